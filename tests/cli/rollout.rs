//! `toolprobe rollout`, and `run --shadow`

use std::fs;

use serde_json::Value;

use crate::place::{LIGHT, Place};

fn tier(place: &Place, args: &[&str]) -> Value {
    let args: Vec<&str> = ["rollout", "--format", "json"].iter().chain(args).copied().collect();
    let (code, out, err) = place.does(&args);
    assert_eq!(code, Some(0), "{err}");
    let state: Value = serde_json::from_str(&out).unwrap();
    state["targets"]["openai-native"].clone()
}

/// Runs in the past, so that each is a run of its own.
fn run_standard(place: &Place, more: &[&str]) {
    let standard = ["run", "--models", "models", "--trials", "3"];
    let args: Vec<&str> = standard.iter().chain(more).copied().collect();
    place.exits(0, &args);
}

#[test]
fn a_model_starts_in_shadow_and_rises_only_after_repeated_runs() {
    let place = Place::with(&["openai-native"]);
    run_standard(&place, &[]);
    assert_eq!(tier(&place, &[])["tier"], "shadow");
    for _ in 0..5 {
        assert_eq!(tier(&place, &[])["tier"], "shadow", "one run, again and again");
    }
    for _ in 0..3 {
        run_standard(&place, &["--shadow"]);
    }
    assert_eq!(tier(&place, &[])["tier"], "shadow", "runs that only look on promote nothing");
    for _ in 0..3 {
        run_standard(&place, &[]);
    }
    let standing = tier(&place, &[]);
    assert_eq!(standing["tier"], "read-only", "{standing:#}");
    assert_eq!(standing["mode"]["tools"], "read-only");
    assert_eq!(standing["history"].as_array().unwrap().len(), 2);
}

#[test]
fn one_degraded_metric_demotes_at_once() {
    let place = Place::with(&["openai-native"]);
    run_standard(&place, &[]);
    tier(&place, &[]);
    for _ in 0..3 {
        run_standard(&place, &[]);
    }
    assert_eq!(tier(&place, &[])["tier"], "read-only");
    let bad = r#"{"target": "openai-native", "calls": 1, "closureErrors": 1}"#;
    fs::write(place.path("turns.jsonl"), bad).unwrap();
    let standing = tier(&place, &["--telemetry", "turns.jsonl"]);
    assert_eq!(standing["tier"], "shadow");
    assert!(standing["because"][0].as_str().unwrap().contains("toolResultClosureErrors"));
}

#[test]
fn a_run_in_shadow_never_fails_a_build() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    place.spoil("openai-native", r#"quirks = ["talks-only"]"#);
    place.exits(1, &LIGHT);
    let shadow: Vec<&str> = LIGHT.iter().chain(&["--shadow"]).copied().collect();
    place.exits(0, &shadow);
}

#[test]
fn without_a_run_there_is_nothing_to_say() {
    let said = Place::with(&[]).exits(2, &["rollout"]);
    assert!(said.contains("no complete run in reports"), "{said}");
}

#[test]
fn turns_promote_once_and_only_if_they_say_when_they_were() {
    let place = Place::with(&["openai-native"]);
    run_standard(&place, &[]);
    tier(&place, &[]);
    let turn = r#"{"target": "openai-native", "calls": 1, "succeededCalls": 1}"#;
    fs::write(place.path("turns.jsonl"), format!("{turn}\n").repeat(60)).unwrap();
    for _ in 0..3 {
        let standing = tier(&place, &["--telemetry", "turns.jsonl"]);
        assert_eq!(standing["tier"], "shadow", "the same turns could count again and again");
    }
    let mut state: Value =
        serde_json::from_str(&fs::read_to_string(place.path("rollout.json")).unwrap()).unwrap();
    state["targets"]["openai-native"]["since"] = "2020-01-01T00:00:00Z".into();
    fs::write(place.path("rollout.json"), state.to_string()).unwrap();
    let timed = turn.replace('{', r#"{"at": "2020-01-02T00:00:00Z", "#);
    fs::write(place.path("turns.jsonl"), format!("{timed}\n").repeat(60)).unwrap();
    for _ in 0..3 {
        let standing = tier(&place, &["--telemetry", "turns.jsonl"]);
        assert_eq!(standing["tier"], "read-only", "once, not once more: {standing:#}");
    }
}

#[test]
fn a_state_that_cannot_be_read_or_is_newer_is_left_as_it_is() {
    let place = Place::with(&["openai-native"]);
    run_standard(&place, &[]);
    for (text, problem) in [
        ("{\"rolloutVersion\": 1, \"targets\": {", "restore it"),
        ("{\"rolloutVersion\": 99, \"targets\": {}}", "newer"),
        ("[1, 2]", "rolloutVersion"),
    ] {
        fs::write(place.path("rollout.json"), text).unwrap();
        let said = place.exits(2, &["rollout"]);
        assert!(said.contains("rollout.json") && said.contains(problem), "{said}");
        assert_eq!(fs::read_to_string(place.path("rollout.json")).unwrap(), text);
    }
}

#[test]
fn of_evaluations_at_once_none_is_lost() {
    let place = Place::with(&["openai-native"]);
    run_standard(&place, &[]);
    tier(&place, &[]);
    for _ in 0..3 {
        run_standard(&place, &[]);
    }
    assert_eq!(tier(&place, &[])["tier"], "read-only");
    let bad = r#"{"target": "openai-native", "calls": 1, "closureErrors": 1}"#;
    fs::write(place.path("bad.jsonl"), bad).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| place.exits(0, &["rollout", "--telemetry", "bad.jsonl"]));
        for _ in 0..6 {
            scope.spawn(|| place.exits(0, &["rollout"]));
        }
    });
    let standing = tier(&place, &[]);
    assert_eq!(standing["tier"], "shadow", "{standing:#}");
    assert_eq!(standing["history"].as_array().unwrap().len(), 3);
}
