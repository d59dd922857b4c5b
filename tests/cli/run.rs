//! `toolprobe run`

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::{finished, toolprobe};

/// The same time in every run.
const EPOCH: &str = "1763164800";

/// Two that are quickly probed, one of them with a flaw.
const MODELS: [&str; 2] = ["anthropic-native", "one-call"];

/// Runs in a folder of its own.
fn run_in(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = toolprobe(&["run"]);
    command.args(args).current_dir(folder).env("SOURCE_DATE_EPOCH", EPOCH);
    finished(command.output().unwrap())
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn manifest(folder: &Path, run: &str) -> Value {
    json(&folder.join("reports").join(run).join("manifest.json"))
}

/// Every file of a run's profiles, by name.
fn profiles(folder: &Path, run: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder.join("reports").join(run).join("profiles")).unwrap();
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

const FIRST: &str = "20251115T000000Z";
const SECOND: &str = "20251115T000000Z-002";

#[test]
fn simulated_models_are_probed_without_any_configuration_and_twice_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, err) = run_in(dir.path(), &MODELS);
    assert_eq!(code, Some(0), "{err}");
    for model in MODELS {
        assert!(out.contains(model), "{out}");
    }
    assert!(err.contains("2 of 2 targets, ") && err.contains(" tokens in, "), "{err}");
    assert_eq!(run_in(dir.path(), &MODELS).0, Some(0));
    let first = profiles(dir.path(), FIRST);
    assert_eq!(first.len(), 2);
    assert_eq!(first, profiles(dir.path(), SECOND));
}

#[test]
fn a_run_keeps_what_its_results_rest_on() {
    let dir = tempfile::tempdir().unwrap();
    run_in(dir.path(), &["anthropic-native", "--suite", "light"]);
    let manifest = manifest(dir.path(), FIRST);
    assert_eq!(manifest["completion"]["state"], "complete");
    assert_eq!(manifest["suite"], "light");
    let target = &manifest["targets"][0];
    assert_eq!(target["subject"]["endpoint"], "sim:");
    assert_eq!(target["cost"]["requests"], manifest["totals"]["requests"]);
    assert!(target["cost"]["promptTokens"].as_u64().unwrap() > 0, "{target}");
    assert!(target["cost"]["totalMs"]["p95"].is_u64(), "{target}");
    let run = dir.path().join("reports").join(FIRST);
    let profile = json(&run.join("profiles").join(target["profile"].as_str().unwrap()));
    let evidence = profile["results"]["singleTool"]["evidence"].as_array().unwrap();
    assert!(!evidence.is_empty());
    let kept = fs::read_to_string(run.join("evidence/anthropic-native.jsonl")).unwrap();
    let lines: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for digest in evidence {
        let line = lines.iter().find(|line| line["exchange"]["digest"] == *digest).unwrap();
        assert_eq!(line["exchange"]["record"]["request"]["url"], "sim:/v1/messages");
    }
}

#[test]
fn a_dry_run_bounds_what_a_run_then_asks() {
    let dir = tempfile::tempdir().unwrap();
    let models =
        ["deepseek-v4-thinking", "loops", "talks-only", "taught-tool-use", "truncated-stream"];
    let dry = [&models[..], &["--dry-run", "--format", "json"]].concat();
    let (code, out, _) = run_in(dir.path(), &dry);
    assert_eq!(code, Some(0));
    assert!(!dir.path().join("reports").exists());
    let estimate: Value = serde_json::from_str(&out).unwrap();
    run_in(dir.path(), &models);
    let manifest = manifest(dir.path(), FIRST);
    for (foreseen, target) in
        estimate["targets"].as_array().unwrap().iter().zip(manifest["targets"].as_array().unwrap())
    {
        assert_eq!(foreseen["name"], target["name"]);
        let (most, asked) = (&foreseen["most"]["requests"], &target["cost"]["requests"]);
        assert!(asked.as_u64() <= most.as_u64(), "{}: {asked} asked of {most}", target["name"]);
    }
    let totals = &manifest["totals"];
    let used = ["promptTokens", "completionTokens"].map(|it| totals[it].as_u64().unwrap());
    assert!(used.iter().sum::<u64>() <= estimate["bound"]["tokens"].as_u64().unwrap());
}

#[test]
fn a_dry_run_within_a_budget_is_bounded_by_it() {
    let dir = tempfile::tempdir().unwrap();
    let bound = |flags: &[&str]| {
        let args = [&["openai-native", "--dry-run", "--format", "json"], flags].concat();
        let (code, out, err) = run_in(dir.path(), &args);
        assert_eq!(code, Some(0), "{err}");
        assert!(err.contains("with every retry that is allowed it is at most "), "{err}");
        let estimate: Value = serde_json::from_str(&out).unwrap();
        ["requests", "tokens"].map(|what| estimate["bound"][what].as_u64().unwrap())
    };
    let [requests, tokens] = bound(&[]);
    assert!(requests > 1_000 && tokens > 1_000_000);
    assert_eq!(bound(&["--max-requests", "77"]), [77, tokens]);
    assert_eq!(bound(&["--max-tokens-total", "88"]), [requests, 88]);
}

#[test]
fn a_dry_run_comes_near_what_a_run_then_asks_whatever_the_suite() {
    let dir = tempfile::tempdir().unwrap();
    let models = ["anthropic-native", "deepseek-v4-thinking", "openai-native"];
    for suite in ["light", "standard", "full"] {
        let args = [&models[..], &["--suite", suite, "--format", "json"]].concat();
        let (_, out, _) = run_in(dir.path(), &[&args[..], &["--dry-run"]].concat());
        let estimate: Value = serde_json::from_str(&out).unwrap();
        let (code, out, err) = run_in(dir.path(), &args);
        assert_eq!(code, Some(0), "{err}");
        let run: Value = serde_json::from_str(&out).unwrap();
        let targets = run["run"]["targets"].as_array().unwrap();
        for (foreseen, target) in estimate["targets"].as_array().unwrap().iter().zip(targets) {
            let count = |field: &str| target["cost"][field].as_f64().unwrap();
            let near = |what: &str, spent: f64, within: f64| {
                let ratio = foreseen["likely"][what].as_f64().unwrap() / spent;
                let name = &target["name"];
                assert!(
                    (1.0 / within..=within).contains(&ratio),
                    "{suite}, {name}: {what} × {ratio}"
                );
            };
            near("requests", count("requests"), 1.25);
            near("tokens", count("promptTokens") + count("completionTokens"), 1.4);
        }
    }
}

fn fixture(model: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models").join(format!("{model}.toml"))
}

#[test]
fn a_budget_that_is_used_up_leaves_the_rest_open_and_the_run_incomplete() {
    for flag in ["--max-requests", "--max-tokens-total"] {
        let dir = tempfile::tempdir().unwrap();
        let (code, _, err) = run_in(dir.path(), &["openai-native", flag, "40"]);
        assert_eq!(code, Some(3), "{err}");
        assert!(
            err.contains("is used up") && err.contains(&format!("raise it with {flag}")),
            "{err}"
        );
        let manifest = manifest(dir.path(), FIRST);
        assert_eq!(manifest["completion"]["state"], "incomplete", "{flag}");
        let because = manifest["completion"]["because"].as_str().unwrap();
        assert!(because.contains("openai-native"), "{because}");
    }
}

#[test]
fn what_a_target_requires_and_has_not_fails_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut sim = toolprobe(&["sim", "--addr", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(sim.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    let url = url.trim();
    let config = format!(
        "[defaults]\ntrials = 1\n[[targets]]\nname = \"one\"\nbase_url = \"{url}\"\n\
         dialect = \"openai-chat\"\nmodel = \"one-call\"\nrequire = [\"tools\", \"parallel\"]\n\
         [[targets]]\nname = \"away\"\nbase_url = \"http://127.0.0.1:9\"\n\
         dialect = \"openai-chat\"\nmodel = \"m\"\n"
    );
    fs::write(dir.path().join("toolprobe.toml"), config).unwrap();
    let (code, out, err) = run_in(dir.path(), &["one"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("required and not there: parallel (fail)"), "{err}");
    assert!(out.contains("\none "), "{out}");
    let (code, _, err) = run_in(dir.path(), &["away"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("the run is incomplete: "), "{err}");
    let (code, _, err) = run_in(dir.path(), &["awy"]);
    assert_eq!(code, Some(2));
    assert_eq!(err, "error: no target is called 'awy'; did you mean 'away'?\n");
    sim.kill().unwrap();
    sim.wait().unwrap();
}

/// The models of a run that comes to no end by itself: one is quick, the other hangs.
fn quick_and_hanging(folder: &Path) -> PathBuf {
    let models = folder.join("models");
    fs::create_dir(&models).unwrap();
    fs::copy(fixture("openai-native"), models.join("a.toml")).unwrap();
    let quick = fs::read_to_string(fixture("openai-native")).unwrap();
    let hangs = quick.replace("[profile]", "http_quirks = [\"hangs\"]\n\n[profile]");
    fs::write(models.join("b.toml"), hangs).unwrap();
    models
}

const OF_MODELS: [&str; 7] = ["--models", "models", "--suite", "light", "-v", "--grace", "50ms"];

/// Begins such a run, and waits until the quick one is done with.
fn begun(folder: &Path) -> Child {
    begun_with(folder, &OF_MODELS)
}

fn begun_with(folder: &Path, args: &[&str]) -> Child {
    let mut child = toolprobe(&["run"])
        .args(args)
        .current_dir(folder)
        .env("SOURCE_DATE_EPOCH", EPOCH)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().starts_with("1/2 targets: a ")));
    child
}

/// Begins such a run, and ends it with a signal as soon as the quick one is done with. Gives the exit
/// code and what was told after that.
fn broken_off(folder: &Path, signal: &str) -> (Option<i32>, String) {
    let child = begun(folder);
    assert_eq!(manifest(folder, FIRST)["completion"]["state"], "running");
    let (code, _, err) = run_in(folder, &[&["--resume"], &OF_MODELS[..]].concat());
    assert_eq!(code, Some(2), "{err}");
    let pid = child.id().to_string();
    let busy = format!("run {FIRST} is still under way in process {pid}; wait for it, or stop it");
    assert!(err.contains(&busy), "{err}");
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    let (code, _, err) = finished(child.wait_with_output().unwrap());
    (code, err)
}

#[test]
fn a_run_that_is_stopped_says_so_and_keeps_what_it_has() {
    let dir = tempfile::tempdir().unwrap();
    quick_and_hanging(dir.path());
    let (code, err) = broken_off(dir.path(), "-INT");
    assert_eq!(code, Some(3), "{err}");
    let again = format!("`toolprobe run --resume {FIRST} --models models` goes on with it");
    assert!(err.contains(&again), "{err}");
    let manifest = manifest(dir.path(), FIRST);
    assert_eq!(manifest["completion"]["because"], "it was interrupted");
    assert_eq!(profiles(dir.path(), FIRST).len(), 1);
}

#[test]
fn a_second_signal_ends_at_once_what_the_first_lets_end() {
    let dir = tempfile::tempdir().unwrap();
    let models = quick_and_hanging(dir.path());
    let of_models = ["--models", "models", "--suite", "light", "-v", "--grace", "1h"];
    let mut child = begun_with(dir.path(), &of_models);
    let pid = child.id().to_string();
    let interrupt =
        || assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    interrupt();
    let mut told = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().starts_with("stopping: what is under way has 3600 s")));
    interrupt();
    let (code, _, err) = finished(child.wait_with_output().unwrap());
    assert_eq!(code, Some(3), "{err}");
    assert_eq!(manifest(dir.path(), FIRST)["completion"]["because"], "it was interrupted");
    fs::copy(fixture("one-call"), models.join("b.toml")).unwrap();
    let (code, _, err) = run_in(dir.path(), &[&["--resume", FIRST], &of_models[..]].concat());
    assert_eq!(code, Some(0), "{err}");
}

#[test]
fn a_deadline_stops_a_run_that_can_go_on_later() {
    let dir = tempfile::tempdir().unwrap();
    let light =
        [&MODELS[..], &["--suite", "light", "--deadline", "1ms", "--grace", "1ms"]].concat();
    let (code, _, err) = run_in(dir.path(), &light);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("the deadline is reached; stopping: "), "{err}");
    assert_eq!(manifest(dir.path(), FIRST)["completion"]["because"], "its deadline was reached");
    let (code, _, err) = run_in(dir.path(), &["--resume"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(profiles(dir.path(), FIRST).len(), 2);
}

#[test]
fn two_first_runs_at_once_are_both_in_the_history() {
    let dir = tempfile::tempdir().unwrap();
    let begin = || {
        let mut command = toolprobe(&["run", "openai-native", "--suite", "light", "--trials", "1"]);
        command.current_dir(dir.path()).env("SOURCE_DATE_EPOCH", EPOCH);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let runs = [begin(), begin(), begin()];
    for mut run in runs {
        assert_eq!(run.wait().unwrap().code(), Some(0));
    }
    let history = fs::read_to_string(dir.path().join("reports/history.csv")).unwrap();
    let heads = history.lines().filter(|line| line.starts_with("historyVersion")).count();
    assert_eq!((heads, history.lines().count()), (1, 1 + 3 * 2), "{history}");
    for run in [FIRST, SECOND] {
        let rows = history.lines().filter(|line| line.split(',').any(|it| it == run));
        assert_eq!(rows.count(), 2, "{run}: {history}");
    }
}

#[test]
fn a_run_that_was_broken_off_goes_on_with_what_is_left_and_is_one_run_in_the_end() {
    for signal in ["-INT", "-KILL"] {
        let dir = tempfile::tempdir().unwrap();
        let models = quick_and_hanging(dir.path());
        broken_off(dir.path(), signal);
        let first = manifest(dir.path(), FIRST);
        assert_eq!(first["targets"][0]["problem"], Value::Null, "{signal}");
        fs::copy(fixture("one-call"), models.join("b.toml")).unwrap();
        let resume = [&["--resume", FIRST], &OF_MODELS[..]].concat();
        let (code, out, err) = run_in(dir.path(), &resume);
        assert_eq!(code, Some(0), "{signal}: {err}");
        assert!(err.contains("b: asking") && !err.contains("a: asking"), "{signal}: {err}");
        assert!(out.contains("\na ") && out.contains("\nb "), "{out}");
        let whole = manifest(dir.path(), FIRST);
        assert_eq!(whole["completion"]["state"], "complete", "{signal}");
        assert_eq!(whole["targets"][0], first["targets"][0], "{signal}");
        assert_eq!(profiles(dir.path(), FIRST).len(), 2, "{signal}");
        let history = fs::read_to_string(dir.path().join("reports/history.csv")).unwrap();
        assert_eq!(history.lines().count(), 1 + 2 * 2, "{signal}: {history}");
        let (code, _, err) = run_in(dir.path(), &resume);
        assert_eq!(
            (code, err.contains("is complete; there is nothing to resume")),
            (Some(2), true)
        );
    }
}

#[test]
fn a_history_that_is_not_one_is_told_and_hides_no_verdict() {
    let dir = tempfile::tempdir().unwrap();
    let light = [&MODELS[..], &["--suite", "light", "--trials", "1"]].concat();
    fs::create_dir(dir.path().join("reports")).unwrap();
    let path = dir.path().join("reports/history.csv");
    fs::write(&path, "not,a\nhistory,at,all\n").unwrap();
    let (code, out, err) = run_in(dir.path(), &light);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(MODELS[0]), "{out}");
    assert!(
        err.contains("the run is not in the history: ") && err.contains("move the file"),
        "{err}"
    );
    assert_eq!(manifest(dir.path(), FIRST)["completion"]["state"], "complete");
    let gate = toolprobe(&["accept"]).current_dir(dir.path()).output().unwrap();
    assert!(gate.status.success(), "{gate:?}");
    let (code, out, err) = run_in(dir.path(), &light);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("gate: no change") && out.contains("history.csv"), "{out}");
    assert_eq!(fs::read_to_string(path).unwrap(), "not,a\nhistory,at,all\n");
}

#[test]
fn a_folder_that_vanishes_fails_the_run_and_is_not_made_again() {
    let dir = tempfile::tempdir().unwrap();
    quick_and_hanging(dir.path());
    let run = dir.path().join("reports").join(FIRST);
    let mut child = begun(dir.path());
    fs::remove_dir_all(&run).unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let mut told = String::new();
    child.stderr.as_mut().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{told}");
    assert!(told.contains("vanished while the run was under way"), "{told}");
    assert!(!run.exists());
}

#[test]
fn a_run_whose_budget_was_used_up_goes_on_with_the_same_questions_only() {
    let dir = tempfile::tempdir().unwrap();
    let light = [&MODELS[..], &["--suite", "light", "--jobs", "1", "--max-requests", "20"]];
    let (code, _, err) = run_in(dir.path(), &light.concat());
    assert_eq!(code, Some(3), "{err}");
    let first = manifest(dir.path(), FIRST);
    assert_eq!(first["targets"][0]["problem"], Value::Null, "{first}");
    assert!(first["targets"][1]["problem"].is_string(), "{first}");
    for (flag, value) in [("--seed", "2"), ("--suite", "full"), ("--trials", "1")] {
        let (code, _, err) = run_in(dir.path(), &["--resume", FIRST, flag, value]);
        assert_eq!(code, Some(2), "{flag}: {err}");
        assert!(err.contains("was made with") && err.contains("begin a new run"), "{flag}: {err}");
    }
    let (code, _, err) = run_in(dir.path(), &["--resume"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("goes on with it, with a larger --max-requests"), "{err}");
    assert_eq!(manifest(dir.path(), FIRST)["totals"]["requests"], 20, "the budget holds");
    let (code, _, err) = run_in(dir.path(), &["--resume", "--max-requests", "1000"]);
    assert_eq!(code, Some(0), "{err}");
    let whole = manifest(dir.path(), FIRST);
    assert_eq!(whole["targets"].as_array().unwrap().len(), 2, "only those that were named");
    let requests = |manifest: &Value| manifest["totals"]["requests"].as_u64().unwrap();
    let costs = [0, 1].map(|it| whole["targets"][it]["cost"]["requests"].as_u64().unwrap());
    assert_eq!(requests(&whole), costs.iter().sum::<u64>());
    assert_eq!(requests(&first), 20);
    let once = ["--suite", "light", "--jobs", "1"];
    run_in(dir.path(), &[&MODELS[..], &once].concat());
    let whole_at_once = requests(&manifest(dir.path(), SECOND));
    assert_eq!(requests(&whole), whole_at_once, "nothing is asked twice");
    assert_eq!(profiles(dir.path(), FIRST), profiles(dir.path(), SECOND));
}

#[test]
fn the_users_own_tools_are_asked_for_one_case_each() {
    let dir = tempfile::tempdir().unwrap();
    let tools = r#"{"tools": [
        {"name": "find_part", "inputSchema": {"type": "object", "required": ["part"], "properties":
            {"part": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}}}},
        {"name": "set_unit", "inputSchema": {"type": "object", "required": ["unit"], "properties":
            {"unit": {"enum": ["celsius", "kelvin"]}}}}
    ]}"#;
    fs::write(dir.path().join("tools.json"), tools).unwrap();
    let args = ["enum-ignorer", "--suite", "light", "--tools", "tools.json", "--format", "json"];
    let (code, out, err) = run_in(dir.path(), &args);
    assert_eq!(code, Some(0), "{err}");
    let run: Value = serde_json::from_str(&out).unwrap();
    let result = &run["profiles"][0]["results"]["extended"]["user-tools"];
    assert_eq!(result["cases"]["find_part"]["verdict"], "accepted-valid", "{result}");
    assert_eq!(result["cases"]["set_unit"]["verdict"], "accepted-invalid", "{result}");
}

#[test]
fn progress_is_told_in_lines_where_nobody_sees_bars() {
    let dir = tempfile::tempdir().unwrap();
    let told = |args: &[&str], ci: &str| {
        let mut command = toolprobe(&["run", "openai-native", "--suite", "light"]);
        command.args(args).current_dir(dir.path()).env("CI", ci);
        finished(command.output().unwrap()).2
    };
    assert!(told(&[], "true").contains("1/1 target: openai-native ("));
    assert!(!told(&[], "").contains("1/1 target"));
    assert!(told(&["-v"], "").contains("openai-native: asked closed-loop\n"));
    assert_eq!(told(&["-q"], "true"), "");
}
