//! `toolprobe accept`: all changes, some of them, or one after the other on a terminal

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::finished;
use crate::place::Place;

const RUN: [&str; 5] = ["run", "--models", "models", "--trials", "1"];

/// A run with three changes: `openai-native` makes one call at a time and repairs no error, and
/// `one-call` is gone.
fn changed() -> Place {
    let place = Place::with(&["openai-native", "one-call"]);
    place.exits(0, &RUN);
    place.exits(0, &["accept", "--all"]);
    place.spoil("openai-native", "quirks = [\"one-call\", \"never-repairs\"]");
    fs::remove_file(place.path("models/one-call.toml")).unwrap();
    place.exits(1, &RUN);
    assert_eq!(denied(&place), ["one-call: target-missing", REPAIR, PARALLEL]);
    place
}

const REPAIR: &str = "openai-native: repair-lost";
const PARALLEL: &str = "openai-native: parallel-lost";

/// What the gate denies, each with its target.
fn denied(place: &Place) -> Vec<String> {
    let (_, out, _) = place.does(&["gate"]);
    let lines = out.lines().filter_map(|line| line.strip_prefix("deny: "));
    let mut found: Vec<String> =
        lines.map(|line| line.splitn(3, ": ").take(2).collect::<Vec<_>>().join(": ")).collect();
    found.sort_by_key(|line| (line.starts_with("openai"), line.contains("parallel")));
    found
}

#[test]
fn changes_are_accepted_by_code_and_by_target_and_the_others_stay() {
    let place = changed();
    let said = place.exits(0, &["accept", "--code", "parallel-lost"]);
    assert!(said.starts_with("accepted 1 target of run "), "{said}");
    assert!(said.contains(&format!("\n{PARALLEL}: ")) && said.lines().count() == 2, "{said}");
    assert_eq!(denied(&place), ["one-call: target-missing", REPAIR]);

    let said = place.exits(0, &["accept", "--target", "one-*"]);
    assert!(said.contains("\nremoved profiles/one-call-"), "{said}");
    assert!(said.ends_with(".json: its target is missing\n"), "{said}");
    assert_eq!((place.snapshots().len(), denied(&place)), (1, vec![REPAIR.to_owned()]));

    place.exits(0, &["accept", "--all"]);
    assert!(place.exits(0, &["gate"]).starts_with("gate: no change; 1 target compared"));
    assert!(place.exits(0, &RUN).contains("gate: no change"));
}

#[test]
fn a_target_without_a_change_is_renewed_while_others_have_changes() {
    let place = Place::with(&["openai-native", "one-call"]);
    place.exits(0, &RUN);
    place.exits(0, &["accept", "--all"]);
    place.spoil("openai-native", "quirks = [\"one-call\"]");
    place.exits(1, &RUN);
    let said = place.exits(0, &["accept", "--target", "one-call"]);
    assert!(said.starts_with("accepted 1 target of run "), "{said}");
    assert_eq!(denied(&place), [PARALLEL]);
}

#[test]
fn a_snapshot_that_takes_over_a_part_says_what_follows_from_it() {
    let place = changed();
    place.exits(0, &["accept", "--code", "parallel-lost,target-missing"]);
    let text = fs::read_to_string(place.snapshots().remove(0)).unwrap();
    let profile: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(profile["supportsParallelToolUse"], false);
    assert_eq!(profile["results"]["parallelTool"]["status"], "fail");
    assert_eq!(profile["errorRepair"], "reliable");
    let corrections = profile["corrections"].to_string();
    assert!(corrections.contains("parallel"), "{corrections}");
}

#[test]
fn what_cannot_be_meant_is_refused_and_nothing_is_written() {
    let place = changed();
    let before = place.snapshots();
    for (args, words) in [
        (&["--code", "paralel-lost"][..], "did you mean 'parallel-lost'?"),
        (&["--code", "streaming-lost"], "has no change called streaming-lost"),
        (&["--target", "opnai*"], "has no profile of opnai*"),
        (&["--target", "one-call", "--code", "parallel-lost"], "has no change of one-call called"),
    ] {
        let said = place.exits(2, &[&["accept"], args].concat());
        assert!(said.contains(words), "{said}");
    }
    assert_eq!((place.snapshots(), denied(&place).len()), (before, 3));
}

/// Runs `toolprobe accept` on a terminal, and types these lines.
#[cfg(target_os = "linux")]
fn on_a_terminal(place: &Place, typed: &str) -> (Option<i32>, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_toolprobe"));
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command"])
        .arg(format!("'{}' accept", binary.display()))
        .arg("/dev/null")
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let (code, out, _) = finished(child.wait_with_output().unwrap());
    (code, out.replace('\r', ""))
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_each_change_is_shown_and_kept_accepted_or_skipped() {
    let place = changed();
    let (code, said) = on_a_terminal(&place, "k\nwhat\na\ns\n");
    assert_eq!(code, Some(0), "{said}");
    for shown in ["1 of 3: openai-native: repair-lost: ", "2 of 3: ", "3 of 3: one-call: "] {
        assert!(said.contains(shown), "{shown}: {said}");
    }
    assert!(said.contains("    what to do: ask for one call at a time"), "{said}");
    assert!(said.contains("please answer a, k, s, A or q"), "{said}");
    assert!(said.contains("\nkept as before: openai-native: repair-lost: "), "{said}");
    assert_eq!(denied(&place), ["one-call: target-missing", REPAIR]);

    let (_, said) = on_a_terminal(&place, "a\n");
    assert!(said.contains("1 change of this run you kept as before; --all accepts all"), "{said}");
    assert!(said.contains("1 of 1: one-call: target-missing: "), "{said}");
    assert_eq!((place.snapshots().len(), denied(&place)), (1, vec![REPAIR.to_owned()]));

    place.exits(0, &["accept", "--all"]);
    assert_eq!(denied(&place), [""; 0]);
}

#[test]
#[cfg(target_os = "linux")]
fn quitting_writes_what_was_decided_and_skipping_everything_writes_nothing() {
    let place = changed();
    let before: Vec<_> = place.snapshots().iter().map(|it| fs::read(it).unwrap()).collect();
    let (_, said) = on_a_terminal(&place, "q\n");
    assert!(said.contains("accepted nothing of run "), "{said}");
    let after: Vec<_> = place.snapshots().iter().map(|it| fs::read(it).unwrap()).collect();
    assert!(before == after, "{said}");
    on_a_terminal(&place, "a\nq\n");
    assert_eq!(denied(&place), ["one-call: target-missing", PARALLEL]);
}
