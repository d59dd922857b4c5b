//! `toolprobe record` and `toolprobe replay`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{finished, toolprobe};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/transcripts/{name}.json"))
}

/// A copy of a fixture, with a piece of its text replaced.
fn edited(name: &str, old: &str, new: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("edited.json");
    let text = fs::read_to_string(fixture(name)).unwrap();
    assert!(text.contains(old), "{old}");
    fs::write(&path, text.replacen(old, new, 1)).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (dir, path)
}

fn replay(path: &str) -> (Option<i32>, String, String) {
    finished(toolprobe(&["replay", path]).output().unwrap())
}

#[test]
fn the_committed_transcripts_replay_with_the_network_unplugged() {
    let mut command = toolprobe(&["replay"]);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    // In a network namespace of its own there is not even a loopback to reach.
    let can_unplug = Command::new("unshare").args(["-rn", "true"]).output();
    if can_unplug.is_ok_and(|output| output.status.success()) {
        command = Command::new("unshare");
        command.args(["-rn", env!("CARGO_BIN_EXE_toolprobe"), "replay"]);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
    }
    let (code, out, err) = finished(command.output().unwrap());
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("✓ fixtures/transcripts/anthropic-native.json: "), "{out}");
    assert!(err.ends_with("transcripts replayed, no change\n"), "{err}");
}

#[test]
fn a_changed_request_fails_with_a_readable_diff() {
    let (_dir, path) =
        edited("openai-native", "Return the input payload", "Return the input paylaod");
    let (code, out, _) = replay(&path);
    assert_eq!(code, Some(1), "{out}");
    let expected = "  request-changed: POST /v1/chat/completions\n    \
                    tools[0].function.description\n      \
                    - \"Return the input paylaod unchanged.\"\n      \
                    + \"Return the input payload unchanged.\"";
    assert!(out.contains(expected), "{out}");
}

#[test]
fn programs_read_the_same_as_json() {
    let (_dir, path) = edited("openai-native", "\"max_tokens\": 8192", "\"max_tokens\": 8193");
    let output = toolprobe(&["replay", "--format", "json", &path]).output().unwrap();
    let (code, out, _) = finished(output);
    assert_eq!(code, Some(1));
    let read: serde_json::Value = serde_json::from_str(&out).unwrap();
    let problem = &read[0]["problems"][0];
    assert_eq!(problem["code"], "request-changed");
    assert_eq!(problem["differences"][0]["path"], "max_tokens");
}

#[test]
fn a_damaged_file_is_named_with_place_and_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read_to_string(fixture("ollama-native")).unwrap();
    let cut: String = whole.chars().take(whole.len() / 2).collect();
    let newer = whole.replacen("\"transcriptVersion\": 1", "\"transcriptVersion\": 2", 1);
    let cases = [
        ("cut.json", cut.as_str(), "not a transcript: EOF while parsing"),
        ("corrupt.json", "{\"transcriptVersion\": 1,\n \"dialect\": oops}", ":2:"),
        ("foreign.json", "{\"name\": \"left-pad\"}", "it has no `transcriptVersion`; move it"),
        ("other.json", "{\"transcriptVersion\": 1}", "missing field"),
        ("newer.json", newer.as_str(), "newer toolprobe (transcriptVersion 2, this one writes 1)"),
    ];
    for (name, text, expected) in cases {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        let (code, out, err) = replay(path.to_str().unwrap());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{name}: {err}");
        assert!(err.contains(&path.display().to_string()), "{name}: {err}");
        assert!(err.contains(expected), "{name}: {err}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{name} was changed");
    }
}

#[test]
fn without_transcripts_it_says_how_to_make_one() {
    let dir = tempfile::tempdir().unwrap();
    let output = toolprobe(&["replay"]).current_dir(dir.path()).output().unwrap();
    let (code, _, err) = finished(output);
    assert_eq!(code, Some(2), "{err}");
    assert!(
        err.contains("no fixtures/transcripts here") && err.contains("toolprobe record"),
        "{err}"
    );
}

/// Models whose prober asks twice: after a refusal, after a cut, or on another rung.
#[test]
fn what_was_asked_twice_replays_as_well() {
    let dir = tempfile::tempdir().unwrap();
    for model in ["deepseek-r1", "truncated-stream", "taught-tool-call", "talks-only"] {
        let path = dir.path().join(format!("{model}.json")).display().to_string();
        let output = toolprobe(&["record", model, "--trials", "1", "--output", &path]).output();
        let (code, _, err) = finished(output.unwrap());
        assert_eq!(code, Some(0), "{model}: {err}");
        let (code, out, _) = replay(&path);
        assert_eq!(code, Some(0), "{model}: {out}");
    }
}

#[test]
fn a_file_that_is_there_is_not_replaced_unasked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.json");
    fs::write(&path, "mine").unwrap();
    let shown = path.display().to_string();
    let output = toolprobe(&["record", "openai-native", "--output", &shown]).output().unwrap();
    let (code, _, err) = finished(output);
    assert_eq!(code, Some(2));
    assert_eq!(err, format!("error: {shown} is there already; --force replaces it\n"));
    let output = toolprobe(&["record", "openai-native", "--force", "--output", &shown]).output();
    let (code, _, err) = finished(output.unwrap());
    assert_eq!(code, Some(2), "a file that is no transcript is nobody's to replace: {err}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}
