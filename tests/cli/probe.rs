//! `toolprobe probe`

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::place::root;
use crate::{Sim, finished, only_run, toolprobe};

const QUICK: [&str; 4] = ["--suite", "light", "--trials", "1"];

/// The profile that probing a simulated model prints, and what was said beside it.
fn probed(model: &str, args: &[&str]) -> (Value, String) {
    let sim = Sim::start();
    let mut command = toolprobe(&["probe", &sim.url, "--model", model, "--format", "json"]);
    command.arg("--no-keep");
    let (code, out, err) = finished(command.args(args).output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    (serde_json::from_str(&out).unwrap(), err)
}

#[test]
fn what_the_server_tells_of_itself_stands_in_the_profile() {
    let (profile, _) = probed("ollama-native", &["--suite", "light", "--trials", "1"]);
    let build = profile["server"]["build"].as_str().unwrap();
    assert!(build.starts_with("toolprobe-sim-"), "{build}");
    assert_eq!(profile["server"]["quantization"], "F16");
}

#[test]
fn finding_out_the_dialect_is_paid_for_like_everything_else() {
    let tokens = |dialect: &str| {
        let args = ["--suite", "light", "--trials", "1", "--dialect", dialect];
        let (_, err) = probed("openai-native", &args);
        let spent = err.lines().find(|line| line.contains(" tokens in, ")).unwrap().to_owned();
        let words: Vec<&str> = spent.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        words[2].parse::<u64>().unwrap()
    };
    assert!(tokens("auto") > tokens("openai-chat"));
}

#[test]
fn every_tool_choice_is_asked_for_with_thinking_on_and_off_where_it_can_be_switched() {
    let full = ["--suite", "full", "--trials", "1", "--dialect", "openai-chat"];
    let switch = [
        "--thinking-on",
        r#"{"thinking": {"type": "enabled"}}"#,
        "--thinking-off",
        r#"{"thinking": {"type": "disabled"}}"#,
    ];
    let choices = |args: &[&str]| {
        let (profile, _) = probed("deepseek-v4-thinking", args);
        profile["results"]["extended"]["tool-choice"]["cases"].clone()
    };
    assert_eq!(choices(&full).as_object().unwrap().len(), 4);
    let cases = choices(&[&full[..], &switch].concat());
    assert_eq!(cases.as_object().unwrap().len(), 12);
    assert_eq!(cases["required, thinking on"]["verdict"], "rejected");
    assert_eq!(cases["required, thinking off"]["verdict"], "accepted-valid");
}

/// A folder with some of the built-in probes and some of the user's own.
fn probes(built_in: &[&str], own: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for id in built_in {
        let name = format!("{id}.toml");
        std::fs::copy(root().join("probes").join(&name), dir.path().join(&name)).unwrap();
    }
    for (id, text) in own {
        std::fs::write(dir.path().join(format!("{id}.toml")), text).unwrap();
    }
    dir
}

const ONE_CALL_AT_ONCE: &str = r#"
about = "Is one call asked for as several come?"
suites = ["standard"]
[ask.parallel]
calls = [{ tool = "probe_ping", arguments = '{}' }]
"#;

const PING: &str = r#"
about = "Is a tool without parameters called?"
suites = ["standard"]
[[ask.call]]
id = "ping"
call = { tool = "probe_ping", arguments = '{}' }
"#;

#[test]
fn a_probe_of_the_users_leaves_the_verdict_of_the_built_in_one_alone() {
    let dir = probes(&["basic-format", "parallel"], &[("zz-mine", ONE_CALL_AT_ONCE)]);
    let args = ["--probes", dir.path().to_str().unwrap(), "--trials", "1"];
    let (profile, _) = probed("one-call", &args);
    assert_eq!(profile["results"]["extended"]["zz-mine"]["status"], "pass");
    assert_eq!(profile["results"]["parallelTool"]["probe"], "parallel");
    assert_eq!(profile["supportsParallelToolUse"], false);
}

#[test]
fn a_folder_without_basic_format_is_asked_with_the_built_in_one_as_its_control() {
    let dir = probes(&[], &[("ping", PING)]);
    let args = ["--probes", dir.path().to_str().unwrap(), "--trials", "1"];
    let (profile, _) = probed("openai-native", &args);
    assert_eq!(profile["results"]["extended"]["ping"]["status"], "pass");
    assert_eq!(profile["results"]["singleTool"]["probe"], "basic-format");
}

#[test]
fn a_folder_with_nothing_for_the_suite_is_refused() {
    let dir = probes(&[], &[("ping", PING)]);
    let probes = dir.path().to_str().unwrap();
    let args = ["probe", "http://127.0.0.1:9/v1", "--model", "m", "--probes", probes];
    let mut command = toolprobe(&args);
    let (code, _, err) = finished(command.args(["--suite", "light"]).output().unwrap());
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("light") && err.contains("ping"), "{err}");
}

/// Probes a simulated model in this folder; gives standard output and standard error.
fn probe_in(folder: &Path, args: &[&str]) -> (String, String) {
    let sim = Sim::start();
    let mut command = toolprobe(&["probe", &sim.url, "--model", "openai-native"]);
    let command = command.args(QUICK).args(args).current_dir(folder);
    let (code, out, err) = finished(command.output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    (out, err)
}

/// Every address of evidence below a value.
fn evidence(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(fields) => fields.values().flat_map(evidence).collect(),
        Value::Array(items) => items.iter().flat_map(evidence).collect(),
        Value::String(text) => text.strip_prefix("sha256:").into_iter().collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_exchanges_of_a_probe_are_kept_and_the_result_says_where() {
    let dir = tempfile::tempdir().unwrap();
    let (out, err) = probe_in(dir.path(), &["--format", "json"]);
    let run = only_run(&dir.path().join("reports"));
    let place = run.strip_prefix(dir.path()).unwrap().display();
    assert!(err.contains(&format!("; kept in {place}\n")), "{err}");
    let profile: Value = serde_json::from_str(&out).unwrap();
    let digests = evidence(&profile["results"]);
    assert!(!digests.is_empty());
    let mut files = std::fs::read_dir(run.join("evidence")).unwrap();
    let kept = std::fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
    assert!(files.next().is_none(), "one file");
    for digest in digests {
        assert!(kept.contains(digest), "{digest} is not kept");
    }
    let manifest = std::fs::read_to_string(run.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["selection"], "named");
    assert_eq!(manifest["completion"]["state"], "complete");
}

#[test]
fn a_probe_keeps_nothing_where_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (_, err) = probe_in(dir.path(), &["--no-keep"]);
    assert!(!err.contains("kept in"), "{err}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_probe_is_never_the_latest_run_but_can_be_named() {
    let dir = tempfile::tempdir().unwrap();
    let told = |args: &[&str]| finished(toolprobe(args).current_dir(dir.path()).output().unwrap());
    probe_in(dir.path(), &[]);
    let probe = only_run(&dir.path().join("reports"));
    for command in ["report", "gate", "accept", "assess"] {
        let (code, _, err) = told(&[command]);
        assert_eq!(code, Some(2), "{command}: {err}");
        assert!(err.contains(" run in reports; `toolprobe run` makes one"), "{command}: {err}");
    }
    let (code, out, err) = told(&["report", probe.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("openai-native"), "{out}");
    let (code, _, err) = told(&["run", "--resume", probe.to_str().unwrap()]);
    assert_eq!(code, Some(2));
    assert!(err.contains("is of a single endpoint; ask it again with `toolprobe probe`"), "{err}");
}

#[test]
fn a_probe_that_is_stopped_says_so_in_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    // Takes connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/chat/completions", silent.local_addr().unwrap());
    let mut child = toolprobe(&["probe", &url, "--model", "m", "--verbose", "--grace", "50ms"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().ends_with(": asking")));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let (code, out, err) = finished(child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("error: interrupted: there is no verdict"), "{err}");
    let manifest = only_run(&dir.path().join("reports")).join("manifest.json");
    let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    assert_eq!(manifest["completion"]["because"], "it was interrupted");
}

/// Probes or records through a server that stops answering, and stops the command then.
fn stopped_half_way(dir: &Path, command: &[&str]) -> (Option<i32>, String, String) {
    stopped_at(dir, command, ": asked basic-format", LET_THROUGH)
}

/// Stops a command when it has said this. Of its requests, so many are answered before, and none after.
fn stopped_at(
    dir: &Path,
    command: &[&str],
    said: &str,
    let_through: usize,
) -> (Option<i32>, String, String) {
    let (sim, left) = (Sim::start(), Arc::new(AtomicUsize::new(let_through)));
    let url = format!("http://{}/v1", stalling(&sim.url, &left));
    let mut child = toolprobe(command)
        .args([&url, "--dialect", "openai-chat", "--model", "deepseek-v4-thinking"])
        .args(["--verbose", "--grace", "50ms", "--concurrency", "4"])
        .current_dir(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().ends_with(said)));
    left.store(0, Ordering::SeqCst);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    finished(child.wait_with_output().unwrap())
}

/// How many requests a [`stalling`] way lets through: enough for the first probe, too few for the suite.
const LET_THROUGH: usize = 60;

/// A way to a server that holds all requests but the first, `left` of them. Gives its address.
fn stalling(url: &str, left: &Arc<AtomicUsize>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, upstream) = (listener.local_addr().unwrap(), url.replace("http://", ""));
    let left = Arc::clone(left);
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = TcpStream::connect(&upstream).unwrap();
            let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            let left = Arc::clone(&left);
            std::thread::spawn(move || pass_on(client, server, &left));
        }
    });
    address
}

fn pass_on(mut client: TcpStream, mut server: TcpStream, left: &AtomicUsize) {
    let mut buffer = vec![0; 65536];
    while let Ok(count @ 1..) = client.read(&mut buffer) {
        let chunk = &buffer[..count];
        let take = |left: usize| left.checked_sub(usize::from(chunk.starts_with(b"POST ")));
        let is_left = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok();
        if is_left && server.write_all(chunk).is_err() {
            break;
        }
    }
}

/// Whether a table says that a probe passed.
fn has_passed(probe: &str, table: &str) -> bool {
    table.lines().any(|line| line.starts_with(probe) && line.contains(" ✓ pass "))
}

#[test]
fn a_probe_that_is_stopped_shows_what_it_measured() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = stopped_half_way(dir.path(), &["probe"]);
    assert_eq!(code, Some(3), "{out}{err}");
    assert!(has_passed("basic-format", &out), "{out}");
    assert!(out.contains("? inconclusive") && out.contains("not asked: the command"), "{out}");
    assert!(err.ends_with("interrupted: what was not asked has no verdict\n"), "{err}");
    let manifest = only_run(&dir.path().join("reports")).join("manifest.json");
    let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    assert_eq!(manifest["completion"]["because"], "it was interrupted");
}

#[test]
fn a_probe_that_is_stopped_on_its_way_through_the_plan_shows_the_first_half() {
    let dir = tempfile::tempdir().unwrap();
    let said = "probing once more, through the plan";
    let (code, out, err) = stopped_at(dir.path(), &["probe", "--with-plan"], said, usize::MAX);
    assert_eq!(code, Some(3), "{out}{err}");
    assert!(has_passed("streaming", &out) && !out.contains("with plan"), "{out}");
    assert!(err.ends_with("interrupted: what was not asked has no verdict\n"), "{err}");
}

#[test]
fn a_recording_that_is_stopped_shows_what_it_measured_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = stopped_half_way(dir.path(), &["record", "--output", "t.json"]);
    assert_eq!(code, Some(3), "{out}{err}");
    assert!(has_passed("basic-format", &out), "{out}");
    assert!(err.ends_with("error: nothing recorded: interrupted\n"), "{err}");
    assert!(!dir.path().join("t.json").exists());
}
