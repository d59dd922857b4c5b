//! What does a request of a run cost against a bare client, in CPU time?
//!
//! The endpoint is a simulated model in this process. What is measured runs in processes of its own: `toolprobe run`
//! over many targets, and a loop over `reqwest` that sends the same bodies, reassembles and validates the calls, and
//! writes both sides to a file. CPU time is that of the ended children (user and kernel, from `/proc`), so the
//! endpoint and a busy machine stay out of the picture.

#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench that cannot go on has failed"
)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use toolprobe::sim::{Fleet, Options, Running, Sim};

/// Targets of the run.
const TARGETS: usize = 24;

/// Requests at the same time, for both.
const AT_ONCE: usize = 16;

/// How often the bare loop sends everything, so that its CPU time is far above the clock's step.
const ROUNDS: usize = 4;

/// Steps of the kernel's CPU clock in a second.
const TICKS: f64 = 100.0;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "--bare") {
        return bare(&words[at + 1], Path::new(&words[at + 2]));
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let models = tempfile::tempdir().unwrap();
    let running = runtime.block_on(serve(models.path()));
    let base = running.base_url();
    println!(
        "{:<10} {:>9} {:>13} {:>10} {:>7}",
        "requests", "number", "toolprobe", "bare", "ratio"
    );
    for mode in ["plain", "stream"] {
        let folder = tempfile::tempdir().unwrap();
        let (requests, own) = run(folder.path(), &base, mode);
        let bodies = folder.path().join("bodies");
        let sent = keep_bodies(folder.path(), &bodies);
        let floor = bare_cost(&base, &bodies, sent);
        let cost = own / requests;
        println!(
            "{mode:<10} {requests:>9} {:>10.3} ms {:>7.3} ms {:>7.1}",
            cost * 1e3,
            floor * 1e3,
            cost / floor
        );
    }
}

/// One well-behaved model whose streams come in about fifty pieces.
async fn serve(models: &Path) -> Running {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models/openai-native.toml");
    let text = format!("piece_length = 1\n{}", fs::read_to_string(file).unwrap());
    fs::write(models.join("openai-native.toml"), text).unwrap();
    let fleet = Fleet::from_dir(models).unwrap();
    Sim::start(fleet, "127.0.0.1:0", Options::default()).await.unwrap()
}

/// Runs the suite over all targets: the requests that were sent, and the CPU seconds they took.
fn run(folder: &Path, base: &str, mode: &str) -> (f64, f64) {
    let mut config = String::from("[defaults]\nsuite = \"standard\"\n");
    for target in 0..TARGETS {
        write!(config, "[[targets]]\nname = \"t{target}\"\nbase_url = \"{base}/v1\"\n").unwrap();
        writeln!(config, "dialect = \"openai-chat\"\nmodel = \"openai-native\"").unwrap();
    }
    fs::write(folder.join("toolprobe.toml"), config).unwrap();
    let before = cpu_of_children();
    let at_once = AT_ONCE.to_string();
    let status = Command::new(env!("CARGO_BIN_EXE_toolprobe"))
        .args(["run", "--quiet", "--mode", mode, "--concurrency", &at_once])
        .current_dir(folder)
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let cpu = cpu_of_children() - before;
    let sent = lines(folder).filter_map(|line| line["sent"].as_f64()).sum();
    (sent, cpu)
}

/// The lines of all journals of the run.
fn lines(folder: &Path) -> impl Iterator<Item = Value> {
    let run = fs::read_dir(folder.join("reports")).unwrap().map(|entry| entry.unwrap().path());
    let evidence = run.map(|run| run.join("evidence")).find(|folder| folder.is_dir()).unwrap();
    let files = fs::read_dir(evidence).unwrap().map(|entry| fs::File::open(entry.unwrap().path()));
    files
        .flat_map(|file| BufReader::new(file.unwrap()).lines())
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

/// Writes down the bodies of all requests, one a line, and counts them.
fn keep_bodies(folder: &Path, path: &Path) -> usize {
    let mut file = fs::File::create(path).unwrap();
    let bodies = lines(folder).filter_map(|mut line| {
        let request = line.get_mut("exchange")?.get_mut("record")?.get_mut("request")?.take();
        request.get("body").filter(|body| body.get("messages").is_some()).cloned()
    });
    bodies.map(|body| writeln!(file, "{body}").unwrap()).count()
}

/// The CPU seconds of one request of the bare loop.
#[expect(clippy::cast_precision_loss, reason = "a few thousand requests are exact in an f64")]
fn bare_cost(base: &str, bodies: &Path, sent: usize) -> f64 {
    let before = cpu_of_children();
    let this = std::env::current_exe().unwrap();
    let status = Command::new(this).arg("--bare").arg(base).arg(bodies).status();
    assert!(status.unwrap().success());
    (cpu_of_children() - before) / (sent * ROUNDS) as f64
}

/// User and kernel time of all children that have ended, in seconds.
fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    let ticks: f64 = fields.skip(13).take(2).map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / TICKS
}

/// Sends all bodies with as little as it takes to know the calls in the answers.
fn bare(base: &str, bodies: &Path) {
    let texts: Vec<String> =
        BufReader::new(fs::File::open(bodies).unwrap()).lines().map(Result::unwrap).collect();
    let url = format!("{base}/v1/chat/completions");
    let mut kept = fs::File::create(bodies.with_extension("kept")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        rustls::crypto::ring::default_provider().install_default().unwrap();
        let client = reqwest::Client::new();
        let mut schemas = HashMap::new();
        let all = (0..ROUNDS).flat_map(|_| &texts);
        let mut answers =
            stream::iter(all).map(|text| exchange(&client, &url, text)).buffer_unordered(AT_ONCE);
        while let Some((request, answer)) = answers.next().await {
            let reply = reassemble(&answer);
            validate(&request, &reply, &mut schemas);
            writeln!(kept, "{}", json!({"request": request, "answer": answer})).unwrap();
        }
    });
}

async fn exchange(client: &reqwest::Client, url: &str, text: &str) -> (Value, String) {
    let request = serde_json::from_str(text).unwrap();
    let call = client.post(url).header("content-type", "application/json").body(text.to_owned());
    let mut pieces = call.send().await.unwrap().bytes_stream();
    let mut answer = Vec::new();
    while let Some(piece) = pieces.next().await {
        answer.extend_from_slice(&piece.unwrap());
    }
    (request, String::from_utf8(answer).unwrap())
}

/// Name and arguments of every call in a reply, plain or streamed.
fn reassemble(answer: &str) -> Vec<(String, String)> {
    let mut calls: Vec<(String, String)> = Vec::new();
    let mut take = |message: &Value| {
        for (place, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let index =
                call["index"].as_u64().map_or(place, |index| usize::try_from(index).unwrap());
            calls.resize(calls.len().max(index + 1), Default::default());
            let known = &mut calls[index];
            known.0 += call["function"]["name"].as_str().unwrap_or_default();
            known.1 += call["function"]["arguments"].as_str().unwrap_or_default();
        }
    };
    if answer.starts_with("data:") {
        for data in answer.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let Ok(chunk) = serde_json::from_str::<Value>(data) else { continue };
            take(&chunk["choices"][0]["delta"]);
        }
    } else {
        let reply: Value = serde_json::from_str(answer).unwrap();
        take(&reply["choices"][0]["message"]);
    }
    calls
}

/// Holds every call against the schema of its tool; each schema is compiled once.
fn validate(
    request: &Value,
    calls: &[(String, String)],
    schemas: &mut HashMap<String, jsonschema::Validator>,
) {
    for (name, arguments) in calls {
        let mut tools = request["tools"].as_array().into_iter().flatten();
        let Some(tool) = tools.find(|tool| tool["function"]["name"] == *name) else { continue };
        let schema = &tool["function"]["parameters"];
        let validator = schemas
            .entry(schema.to_string())
            .or_insert_with(|| jsonschema::validator_for(schema).unwrap());
        let arguments = serde_json::from_str(arguments).unwrap_or(Value::Null);
        std::hint::black_box(validator.is_valid(&arguments));
    }
}
