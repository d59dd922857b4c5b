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
    let expected = "  deny: request-changed: POST /v1/chat/completions\n    \
                    tools[0].function.description\n      \
                    - \"Return the input paylaod unchanged.\"\n      \
                    + \"Return the input payload unchanged.\"";
    assert!(out.contains(expected), "{out}");
}

#[test]
fn programs_read_the_same_as_json() {
    let (_dir, path) = edited("openai-native", "\"max_tokens\": 2048", "\"max_tokens\": 2049");
    let output = toolprobe(&["replay", "--format", "json", &path]).output().unwrap();
    let (code, out, _) = finished(output);
    assert_eq!(code, Some(1));
    let read: serde_json::Value = serde_json::from_str(&out).unwrap();
    let problem = &read[0]["problems"][0];
    assert_eq!(problem["code"], "request-changed");
    assert_eq!(problem["level"], "deny");
    assert_eq!(problem["differences"][0]["path"], "max_tokens");
}

#[test]
fn a_policy_says_what_becomes_of_a_changed_request() {
    let (dir, path) = edited("openai-native", "\"max_tokens\": 2048", "\"max_tokens\": 2049");
    let replay = |policy: &str| {
        let file = dir.path().join("policy.toml");
        fs::write(&file, policy).unwrap();
        let args = ["replay", &path, "--policy", file.to_str().unwrap()];
        finished(toolprobe(&args).output().unwrap())
    };
    let exception = |day: &str| {
        format!(
            "[[exception]]\ncode = \"request-changed\"\ntarget = \"openai-*\"\n\
             reason = \"the limit moved\"\nexpires = {day}\n"
        )
    };
    let (code, out, _) = replay(&exception("2999-01-01"));
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("  warn: request-changed: POST /v1/chat/completions\n"), "{out}");
    assert!(out.contains("decided by: exception until 2999-01-01: the limit moved"), "{out}");

    let (code, out, err) = replay(&exception("2001-01-01"));
    assert_eq!(code, Some(1), "{out}");
    assert!(err.contains("the exception for request-changed of openai-* expired on"), "{err}");

    let rule = |target: &str| {
        let code = "code = \"request-changed\"";
        format!("[[rule]]\n{code}\ntarget = \"{target}\"\nlevel = \"allow\"\n")
    };
    assert_eq!(replay(&rule("openai-*")).0, Some(0));
    assert_eq!(replay(&rule("other/*")).0, Some(1));
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
