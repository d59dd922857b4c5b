//! Secrets and hostile texts, on whichever command they come in.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::place::root;
use crate::{Sim, finished, toolprobe};

const KEY: &str = "pasted-key-0123456789abcdef";

fn ran(args: &[&str]) -> (Option<i32>, String) {
    let (code, out, err) = finished(toolprobe(args).output().unwrap());
    (code, format!("{out}{err}"))
}

#[test]
fn a_key_where_a_name_belongs_is_refused_and_not_shown() {
    for flag in [vec!["--api-key-env", KEY], vec!["--header", KEY]] {
        let mut args = vec!["probe", "http://127.0.0.1:9/v1", "--model", "m", "--no-keep"];
        args.extend(flag);
        let (code, shown) = ran(&args);
        assert_eq!(code, Some(2), "{shown}");
        assert!(!shown.contains("pasted-key"), "{shown}");
    }
}

#[test]
fn no_credential_is_sent_over_plain_http_to_another_machine() {
    let header = format!("x-any: {KEY}");
    let args = ["probe", "http://192.0.2.1:9/v1", "--model", "m", "--no-keep", "--header", &header];
    let (code, shown) = ran(&args);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("192.0.2.1") && shown.contains("--insecure-http"), "{shown}");
    let mut command = toolprobe(&args);
    let (code, _, shown) =
        finished(command.env("http_proxy", "http://127.0.0.1:9").output().unwrap());
    assert_eq!(code, Some(2), "{shown}");
    let body = format!("{{\"api_key\": \"{KEY}\"}}");
    let args = ["probe", "http://h.test/v1", "--model", "m", "--no-keep", "--extra-body", &body];
    let (code, shown) = ran(&args);
    assert_eq!(code, Some(2), "{shown}");
    assert!(!shown.contains("pasted-key"), "{shown}");
}

#[test]
fn a_header_with_a_word_of_the_protocol_costs_no_verdict() {
    let sim = Sim::start();
    let url = format!("{}/v1", sim.url);
    let light = ["probe", &url, "--model", "openai-native", "--suite", "light", "--trials", "1"];
    let of = |value: &str| {
        let header = format!("x-any: {value}");
        let more = ["--dialect", "openai-chat", "--no-keep", "--format", "json"];
        ran(&[&light[..], &more, &["--header", &header]].concat())
    };
    for word in ["probe_echo", "tool_calls", "assistant", "singleTool", "2026-11-18"] {
        let (code, shown) = of(word);
        assert_eq!(code, Some(0), "{word}: {shown}");
        assert!(!shown.contains("[secret]"), "{word}: {shown}");
        assert!(shown.contains("\"toolCallFormat\": \"openai\""), "{word}: {shown}");
    }
    let (_, shown) = of("openai-native-and-more");
    assert!(!shown.contains("and-more"), "{shown}");
}

/// The names of fields and the fixed values in a schema or a document.
fn collect_words(value: &Value, words: &mut BTreeSet<String>) {
    let fixed = |key: &str| ["enum", "const", "type", "object", "role", "status"].contains(&key);
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                words.insert(key.clone());
                let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let values = values.iter().filter(|_| fixed(key)).filter_map(Value::as_str);
                words.extend(values.map(str::to_owned));
                collect_words(value, words);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_words(item, words)),
        _ => {}
    }
}

#[test]
fn every_word_of_the_protocols_and_of_stored_files_is_known_to_be_open() {
    let mut words = BTreeSet::new();
    for kind in ["profile", "manifest", "exchange", "transcript", "plan", "gate", "rollout"] {
        let (_, schema) = ran(&["schema", kind]);
        collect_words(&serde_json::from_str(&schema).unwrap(), &mut words);
    }
    for dialect in fs::read_dir(root().join("fixtures/dialect")).unwrap() {
        let Ok(files) = fs::read_dir(dialect.unwrap().path()) else { continue };
        for file in files.map(|file| file.unwrap().path()) {
            let text = fs::read_to_string(file).unwrap();
            let bodies = text.lines().map(|it| it.trim_start_matches("data: ")).chain([&*text]);
            for body in bodies.filter_map(|body| serde_json::from_str(body).ok()) {
                collect_words(&body, &mut words);
            }
        }
    }
    let path = root().join("src/secret/open_words.txt");
    let open: BTreeSet<String> =
        fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.:/-".contains(c);
    let words = words.iter().filter(|word| word.len() >= 8 && word.chars().all(plain));
    let missing: BTreeSet<String> =
        words.map(|word| word.to_lowercase()).filter(|word| !open.contains(word)).collect();
    assert!(missing.is_empty(), "add to src/secret/open_words.txt: {missing:?}");
}

/// What a terminal or a CI system would obey, and what nobody would see.
const HOSTILE: &str = "\u{1b}[2J\u{9b}\u{202e}\u{200b}\u{e0041}\n::error::x\n##[group]";

fn is_hostile(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || "\u{202e}\u{200b}\u{e0041}".contains(c)
}

/// A folder of hostile files: as a table, as JSON, as lines, and as what a run keeps.
fn hostile_files() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let json = format!("{{\"{}\": 1, \"name\": \"{0}", HOSTILE.replace('\n', "\\n"));
    write("table", &format!("[a{HOSTILE}]\n{HOSTILE} = 1\n"));
    write("key", &format!("\"{}\" = 1\n", HOSTILE.replace('\n', "\\n").replace('\u{1b}', "\\e")));
    write("broken.json", &json);
    write("whole.json", &format!("{json}\"}}"));
    write(&format!("{}.json", HOSTILE.replace(['\n', '/'], " ")), &json);
    write("probes/x.toml", &format!("[ask.{HOSTILE}]\n"));
    write("reports/20260101T000000Z/manifest.json", &json);
    write("reports/history.csv", &format!("version,{HOSTILE}\n{HOSTILE},\"\n"));
    dir
}

/// Every command that reads one of these files, or says again what was typed.
fn hostile_commands() -> Vec<Vec<String>> {
    let named = format!("{}.json", HOSTILE.replace(['\n', '/'], " "));
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["explain", HOSTILE],
        vec!["list", HOSTILE],
        vec!["schema", HOSTILE],
        vec!["show", HOSTILE],
        vec!["report", HOSTILE],
        vec!["accept", HOSTILE],
        vec!["assess", HOSTILE],
        vec!["probe", HOSTILE, "--model", HOSTILE, "--no-keep"],
        vec!["probe", "http://127.0.0.1:9", "--model", "m", "--no-keep", "--dialect", HOSTILE],
        vec!["run", "--probes", "probes"],
        vec!["run", "--models", "probes"],
        vec!["report"],
        vec!["gate"],
        vec!["drift"],
        vec!["report", "20260101T000000Z"],
        vec!["run", "--resume", "20260101T000000Z"],
    ];
    for file in ["table", "key", "broken.json", "whole.json", &named] {
        commands.extend([
            vec!["run", "--config", file],
            vec!["doctor", "--config", file],
            vec!["status", "--config", file],
            vec!["gate", "--policy", file],
            vec!["metrics", file],
            vec!["diff", file, file],
            vec!["plan", file],
            vec!["replay", file],
            vec!["claims", file],
            vec!["parse", "--tools", file],
            vec!["report", file],
        ]);
    }
    commands.into_iter().map(|args| args.into_iter().map(ToOwned::to_owned).collect()).collect()
}

#[test]
fn no_control_character_of_a_file_or_a_flag_reaches_the_terminal() {
    let dir = hostile_files();
    for args in hostile_commands() {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = toolprobe(&words);
        command.current_dir(dir.path()).stdin(Stdio::null());
        let (code, out, err) = finished(command.output().unwrap());
        let shown = format!("{out}{err}");
        assert!(matches!(code, Some(0..=3)), "{args:?}: {shown}");
        assert!(!shown.chars().any(is_hostile), "{args:?}: {shown:?}");
        assert!(!shown.contains("::error::") && !shown.contains("##["), "{args:?}: {shown:?}");
    }
}

#[test]
fn no_control_character_of_a_model_is_shown_by_parse() {
    let text = format!(
        "{HOSTILE} <tool_call>{{\"name\": \"{HOSTILE}\", \"arguments\": {{}}}}</tool_call>"
    );
    for args in [vec!["parse"], vec!["parse", "--explain"], vec!["parse", "--jsonl"]] {
        let mut command = toolprobe(&args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let (_, out, err) = finished(child.wait_with_output().unwrap());
        let shown = format!("{out}{err}");
        assert!(!shown.chars().any(is_hostile), "{args:?}: {shown:?}");
        assert!(!shown.contains("::error::") && !shown.contains("##["), "{args:?}: {shown:?}");
    }
}
