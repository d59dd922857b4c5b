//! What does a request of a run cost against a bare client, in CPU time? And is the time of distant endpoints used?
//!
//! The endpoint is a mock in this process that answers at once. What is measured runs in processes of its own:
//! `toolprobe run` over many targets, a loop over `reqwest` that sends the same bodies, reassembles and validates the
//! calls and writes both sides to a file, and the OpenAI Python SDK, where `BENCH_PYTHON` names a Python that has it.
//! CPU time is that of the ended children (user and kernel, from `/proc`), so the mock and a busy machine stay out of
//! the picture. `BENCH_TOOLPROBE` names another binary to measure.
//!
//! - `mock`: the endpoint; `bare`: the loop; `sdk.py`: the SDK

#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench that cannot go on has failed"
)]

mod bare;
mod mock;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mock::{Answers, Mock};
use serde_json::Value;
use toolprobe::sim::{Fleet, Options, Running, Sim};
use toolprobe::store::RunFolder;

/// Targets of a run.
const TARGETS: usize = 24;

/// Requests at the same time.
const AT_ONCE: usize = 16;

/// How often the bare loop sends what one target was sent: enough to count in steps of the clock.
const ROUNDS: usize = 96;

/// How often each side is measured; the one in the middle counts.
const MEASUREMENTS: usize = 3;

/// Steps of the kernel's CPU clock in a second.
const TICKS: f64 = 100.0;

/// How long a distant endpoint takes, and how many requests it gets at once.
const LATENCY: Duration = Duration::from_millis(200);
const IN_FLIGHT: usize = 64;

/// A key as providers give out: it is looked for in everything that is written.
const KEY: &str = "sk-proj-Zk3v9QmTn2WbYx7Lr5Hs8Dc1Fg4Jp6Ua0Ie";

fn main() {
    let words: Vec<String> = env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "--bare") {
        return bare::run(&words[at + 1], Path::new(&words[at + 2]), KEY);
    }
    let answers = Arc::new(record());
    let mock = Mock::start(Arc::clone(&answers), Duration::ZERO);
    println!(
        "{:<10} {:>9} {:>13} {:>10} {:>10} {:>7} {:>7}",
        "requests", "number", "toolprobe", "bare", "SDK", "ratio", "SDK"
    );
    for mode in ["plain", "stream"] {
        compare(&mock, mode);
    }
    assert_eq!(mock.unknown(), 0, "the mock was asked what was not recorded");
    distant(answers);
}

/// Prints what a request costs in this mode.
fn compare(mock: &Mock, mode: &str) {
    let folder = tempfile::tempdir().unwrap();
    let bodies = folder.path().join("bodies");
    run(folder.path(), &mock.base, mode, 1, AT_ONCE);
    let sent = keep_bodies(folder.path(), &bodies);
    let mut ratios = Vec::new();
    for _ in 0..MEASUREMENTS {
        let folder = tempfile::tempdir().unwrap();
        let (requests, own) = run(folder.path(), &mock.base, mode, TARGETS, AT_ONCE);
        let floor = bare_cost(&mock.base, &bodies, sent);
        ratios.push((own / requests / floor, requests, own / requests, floor));
    }
    ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (ratio, requests, cost, floor) = ratios[MEASUREMENTS / 2];
    let sdk = sdk_cost(&mock.base, &bodies, sent);
    println!(
        "{mode:<10} {requests:>9} {:>10.3} ms {:>7.3} ms {:>7.3} ms {ratio:>7.2} {:>7.1}",
        cost * 1e3,
        floor * 1e3,
        sdk * 1e3,
        sdk / cost
    );
    println!("measured cpu-{mode} {ratio:.3}");
    if sdk > 0.0 {
        println!("measured sdk-{mode} {:.2}", sdk / cost);
    }
}

/// Prints how much of what a distant endpoint could answer is asked of it.
#[expect(clippy::cast_precision_loss, reason = "a few requests are exact in an f64")]
fn distant(answers: Arc<Answers>) {
    let mock = Mock::start(answers, LATENCY);
    let folder = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    let (requests, _) = run(folder.path(), &mock.base, "plain", TARGETS, IN_FLIGHT);
    let took = begin.elapsed().as_secs_f64();
    let ideal = requests * LATENCY.as_secs_f64() / IN_FLIGHT as f64;
    println!(
        "\n{requests} requests of {} ms, {IN_FLIGHT} at once: {took:.2} s, ideal {ideal:.2} s, {:.1} %",
        LATENCY.as_millis(),
        100.0 * ideal / took
    );
    println!("measured throughput {:.4}", ideal / took);
}

/// The answers of a well-behaved model whose streams come in about fifty pieces.
fn record() -> Answers {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let models = tempfile::tempdir().unwrap();
    let running = runtime.block_on(serve(models.path()));
    let mut answers = Answers::default();
    for mode in ["plain", "stream"] {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &running.base_url(), mode, 1, AT_ONCE);
        for exchange in &exchanges(folder.path()) {
            answers.add(exchange);
        }
    }
    answers
}

async fn serve(models: &Path) -> Running {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models/openai-native.toml");
    let text = format!("piece_length = 1\n{}", fs::read_to_string(file).unwrap());
    fs::write(models.join("openai-native.toml"), text).unwrap();
    let fleet = Fleet::from_dir(models).unwrap();
    Sim::start(fleet, "127.0.0.1:0", Options::default()).await.unwrap()
}

/// Runs the suite over so many targets: the requests that were sent, and the CPU seconds they took.
fn run(folder: &Path, base: &str, mode: &str, targets: usize, at_once: usize) -> (f64, f64) {
    let mut config = format!("[defaults]\nsuite = \"standard\"\nconcurrency = {at_once}\n");
    for target in 0..targets {
        write!(config, "[[targets]]\nname = \"t{target}\"\nbase_url = \"{base}/v1\"\n").unwrap();
        write!(config, "dialect = \"openai-chat\"\nmodel = \"openai-native\"\n").unwrap();
        write!(config, "api_key_env = \"BENCH_KEY\"\nlimits = {{ concurrency = {at_once} }}\n")
            .unwrap();
    }
    fs::write(folder.join("toolprobe.toml"), config).unwrap();
    let before = cpu_of_children();
    let binary = env::var_os("BENCH_TOOLPROBE");
    let status = Command::new(binary.unwrap_or_else(|| env!("CARGO_BIN_EXE_toolprobe").into()))
        .args(["run", "--quiet", "--mode", mode, "--jobs", &at_once.to_string()])
        .current_dir(folder)
        .env("BENCH_KEY", KEY)
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let cpu = cpu_of_children() - before;
    let requests = serde_json::to_value(run_in(folder).manifest().unwrap()).unwrap();
    (requests["totals"]["requests"].as_f64().unwrap(), cpu)
}

fn run_in(folder: &Path) -> RunFolder {
    RunFolder::latest(&folder.join("reports")).unwrap().unwrap()
}

/// The exchanges with the first target of the run, as they are stored.
fn exchanges(folder: &Path) -> Vec<Value> {
    let exchanges = run_in(folder).evidence().of_target("t0").unwrap();
    exchanges.iter().map(|exchange| serde_json::to_value(exchange).unwrap()).collect()
}

/// Writes down the bodies of all turns, one a line, and counts them. What asks for the server's version is left out.
fn keep_bodies(folder: &Path, path: &Path) -> usize {
    let mut file = fs::File::create(path).unwrap();
    let all = exchanges(folder);
    let bodies = all.iter().filter_map(|exchange| exchange["request"].get("body"));
    let bodies = bodies.filter(|body| body.get("messages").is_some());
    bodies.map(|body| writeln!(file, "{body}").unwrap()).count()
}

/// The CPU seconds of one request of the bare loop.
#[expect(clippy::cast_precision_loss, reason = "a few thousand requests are exact in an f64")]
fn bare_cost(base: &str, bodies: &Path, sent: usize) -> f64 {
    let this = env::current_exe().unwrap();
    child_cost(Command::new(this).arg("--bare").arg(base).arg(bodies)) / (sent * ROUNDS) as f64
}

/// The CPU seconds of one request of the OpenAI Python SDK; 0 without one.
#[expect(clippy::cast_precision_loss, reason = "a few thousand requests are exact in an f64")]
fn sdk_cost(base: &str, bodies: &Path, sent: usize) -> f64 {
    let Some(python) = env::var_os("BENCH_PYTHON") else { return 0.0 };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/requests/sdk.py");
    let with = |rounds: &str| {
        let words = [base, KEY, rounds, &AT_ONCE.to_string()];
        child_cost(Command::new(&python).arg(&script).args(words).arg(bodies))
    };
    // What it takes to begin is not counted: a program that lives long pays it once.
    (with("4") - with("0")) / (sent * 4) as f64
}

/// The CPU seconds of a child.
fn child_cost(command: &mut Command) -> f64 {
    let before = cpu_of_children();
    assert!(command.status().unwrap().success());
    cpu_of_children() - before
}

/// User and kernel time of all children that have ended, in seconds.
fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    let ticks: f64 = fields.skip(13).take(2).map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / TICKS
}
