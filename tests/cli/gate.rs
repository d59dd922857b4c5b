//! `toolprobe diff`, `gate`, `accept`, `explain`, and `run` against snapshots

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use toolprobe::probe::Suite;
use toolprobe::store::ProfileFolder;

use crate::only_run;
use crate::place::{LIGHT, Place, edit, root};

#[test]
fn a_changed_quirk_fails_the_run_with_the_one_right_line() {
    let place = Place::with(&["openai-native"]);
    let snapshots = root().join("profiles");
    let run = |code| {
        let snapshots = snapshots.to_str().unwrap();
        let args = ["run", "openai-native", "--models", "models", "--profiles", snapshots];
        place.exits(code, &args)
    };
    assert!(run(0).contains("gate: no change; 1 target compared with "));

    place.spoil("openai-native", "quirks = [\"one-call\"]");
    let said = run(1);
    let denied: Vec<&str> = said.lines().filter(|line| line.starts_with("deny: ")).collect();
    assert_eq!(
        denied,
        ["deny: openai-native: parallel-lost: supportsParallelToolUse true → false (major \
          regression)"]
    );
    assert!(said.contains("gate: failed, 1 denied; 1 target compared with "), "{said}");
    let detail = |start: &str| said.lines().find(|line| line.trim_start().starts_with(start));
    assert!(detail("before: ").unwrap().contains("evidence sha256:"), "{said}");
    let after = detail("after: ").unwrap();
    let kept = after.split_once("evidence ").unwrap().1.split([',', ' ']).next().unwrap();
    assert!(said.contains(&format!("    see it: toolprobe show {kept}\n")), "{said}");
    assert!(place.exits(0, &["show", kept]).contains("\n< 200 after "), "{kept}");
    assert!(said.contains("; confirmed: sampled again, 0 of "), "{said}");
    let accept = detail("accept it: ").unwrap();
    assert!(accept.contains("toolprobe accept 'reports/"), "{accept}");
    let of = " --target 'openai-native' --code parallel-lost --profiles ";
    assert!(accept.contains(of), "{accept}");
}

/// One quirk each, in five dialects: in each case the one right line, and none beside it.
#[test]
fn a_changed_quirk_of_any_dialect_is_told_in_one_line() {
    let spoilt = [
        ("openai-native", "quirks = [\"stringifies-numbers\"]"),
        ("anthropic-native", "wire_quirks = [\"truncated\"]"),
        ("responses-native", "quirks = [\"never-repairs\"]"),
        ("gemini-native", "quirks = [\"ignores-results\"]"),
        ("ollama-native", "http_quirks = [\"stream-ignored\"]"),
        ("qwen3-coder-xml", "quirks = [{ breaks = [\"enum\"] }]"),
    ];
    let place = Place::with(&spoilt.map(|(model, _)| model));
    for (model, quirk) in spoilt {
        place.spoil(model, quirk);
    }
    let snapshots = root().join("profiles");
    let mut args = vec!["run", "--models", "models", "--profiles", snapshots.to_str().unwrap()];
    args.extend(spoilt.map(|(model, _)| model));
    let said = place.exits(1, &args);
    let is_change =
        |line: &&str| ["deny: ", "warn: ", "allow: "].iter().any(|it| line.starts_with(it));
    let mut lines: Vec<&str> = said.lines().filter(is_change).collect();
    lines.sort_unstable();
    let expected = [
        "allow: ollama-native: stream-defect-new: results.streaming.defects.stream-ignored \
         none → present (info drift)",
        "deny: anthropic-native: streaming-lost: supportsStreamingToolUse true → false (major \
         regression)",
        "deny: gemini-native: closed-loop-lost: results.closedLoop.status pass → fail \
         (critical regression)",
        "deny: openai-native: typed-arguments-lost: schemaLevel strict-json-schema → \
         string-only (major regression)",
        "deny: qwen3-coder-xml: calls-wrong: results.singleTool.status pass → fail (critical \
         regression)",
        "deny: responses-native: repair-lost: results.errorRepair.status pass → fail (major \
         regression)",
    ];
    assert_eq!(lines, expected);
    // A defect that breaks no client is not a regression, and needs no confirmation.
    assert_eq!(said.matches("; confirmed: sampled again, 0 of ").count(), 5, "{said}");
}

#[test]
fn what_is_accepted_is_no_change_and_the_gate_says_so() {
    let place = Place::with(&["openai-native", "qwen3-coder-xml"]);
    assert!(place.exits(0, &LIGHT).contains("no snapshots in profiles; `toolprobe accept`"));
    let said = place.exits(0, &["accept"]);
    assert!(said.starts_with("accepted 2 targets of run "), "{said}");
    assert!(said.contains("openai-native: target-new: "), "{said}");
    assert!(place.exits(0, &["gate"]).starts_with("gate: no change; 2 targets compared"));
    assert!(place.exits(0, &["accept"]).lines().count() == 1);
    assert!(place.exits(0, &LIGHT).contains("gate: no change; 2 targets compared"));
}

#[test]
fn a_model_that_is_gone_fails_the_gate_but_named_targets_say_nothing_of_others() {
    let place = Place::with(&["openai-native", "one-call"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let named = [&LIGHT[..], &["one-call"]].concat();
    assert!(place.exits(0, &named).contains("gate: no change; 1 target compared"));
    fs::remove_file(place.path("models/one-call.toml")).unwrap();
    assert!(place.exits(1, &LIGHT).contains("deny: one-call: target-missing: "));
}

#[test]
fn a_policy_decides_and_an_outdated_exception_is_told() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let snapshot = place.snapshots().remove(0);
    edit(&snapshot, |profile| profile["toolCallFormat"] = json!("xml"));
    assert!(place.exits(0, &["gate"]).contains("allow: openai-native: call-format-regained: "));

    let policy = |text: &str| fs::write(place.path("toolprobe-policy.toml"), text).unwrap();
    policy("[[rule]]\ncode = \"call-format-regained\"\nlevel = \"deny\"\n");
    let said = place.exits(1, &["gate"]);
    assert!(said.contains("decided by: policy rule: code = call-format-regained"), "{said}");

    policy(
        "[[exception]]\ncode = \"call-format-regained\"\ntarget = \"*-native\"\n\
         reason = \"the vendor moved\"\nexpires = 2001-01-01\n",
    );
    let said = place.exits(0, &["gate"]);
    assert!(said.contains("note: the exception for call-format-regained of *-native expired on"));

    policy("[[rule]]\nlevel = \"deny\"\nseverty = \"minor\"\n");
    let said = place.exits(2, &["gate"]);
    assert!(said.contains("toolprobe-policy.toml:3:1: field `severty`: unknown field"), "{said}");
    assert!(said.contains("did you mean 'severity'?"), "{said}");
}

#[test]
fn only_a_run_that_came_to_its_end_can_be_accepted() {
    let place = Place::with(&["openai-native"]);
    assert!(place.exits(2, &["accept"]).contains("no complete run in reports"));
    place.exits(0, &LIGHT);
    let run = only_run(&place.path("reports"));
    let manifest = run.join("manifest.json");
    edit(&manifest, |it| it["completion"] = json!({"state": "running"}));
    let name = run.file_name().unwrap().to_str().unwrap();
    assert!(place.exits(3, &["accept", name]).contains("the run has not ended"));
    edit(&manifest, |it| {
        it["completion"] = json!({"state": "incomplete", "because": "it was interrupted"});
    });
    assert!(place.exits(3, &["accept", name]).contains("incomplete: it was interrupted"));
    edit(&manifest, |it| it["completion"] = json!({"state": "complete"}));
    let profile = fs::read_dir(run.join("profiles")).unwrap().next().unwrap().unwrap().path();
    edit(&profile, |it| it["results"]["closedLoop"]["status"] = json!("inconclusive"));
    let said = place.exits(3, &["accept", name]);
    assert!(said.contains("openai-native: `results.closedLoop` is inconclusive"), "{said}");
    assert!(!place.path("profiles").exists());
}

#[test]
fn a_newer_or_foreign_snapshot_is_left_as_it_is() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let snapshot = place.snapshots().remove(0);
    edit(&snapshot, |profile| profile["profileVersion"] = json!(99));
    let newer = fs::read_to_string(&snapshot).unwrap();
    assert!(place.exits(2, &["accept"]).contains("was written by a newer toolprobe"));
    assert_eq!(fs::read_to_string(&snapshot).unwrap(), newer);
    fs::write(&snapshot, "{\"profileVersion\": 1,").unwrap();
    let said = place.exits(2, &["gate"]);
    assert!(said.contains(".json:1:21: not a profile: "), "{said}");
    assert!(said.contains("restore it or delete it"), "{said}");
}

#[test]
fn nothing_is_accepted_where_one_snapshot_cannot_be_replaced() {
    let place = Place::with(&["openai-native", "one-call"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let snapshots = place.snapshots();
    let of = |model: &str| snapshots.iter().find(|it| it.display().to_string().contains(model));
    let (first, second) = (of("one-call").unwrap(), of("openai-native").unwrap());
    edit(first, |profile| profile["errorRepair"] = json!("none"));
    edit(second, |profile| profile["profileVersion"] = json!(99));
    let before = (fs::read(first).unwrap(), fs::read(second).unwrap());
    let said = place.exits(2, &["accept"]);
    assert!(said.contains("was written by a newer toolprobe (profileVersion 99"), "{said}");
    assert_eq!((fs::read(first).unwrap(), fs::read(second).unwrap()), before);
}

#[test]
fn a_target_that_moved_keeps_its_snapshot_and_says_so_first() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let snapshot = place.snapshots().remove(0);
    edit(&snapshot, |profile| profile["endpoint"] = json!("https://elsewhere.test/v1"));
    let moved = r#"subject {"endpoint":"https://elsewhere.test/v1"} → {"endpoint":"sim:"}"#;
    let said = place.exits(0, &["gate"]);
    assert!(said.contains(&format!("allow: openai-native: subject-changed: {moved}")), "{said}");
    let said = place.exits(0, &["accept"]);
    assert!(said.contains("openai-native: subject-changed: "), "{said}");
    assert_eq!(place.snapshots(), [snapshot]);
    assert!(place.exits(0, &["gate"]).starts_with("gate: no change; 1 target compared"));
}

#[test]
fn the_tokens_of_a_request_are_compared_with_the_snapshot() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let snapshot = place.snapshots().remove(0);
    let mut cost = Value::Null;
    edit(&snapshot, |profile| cost = profile["cost"].clone());
    let tokens = cost["tokensPerTurn"].as_u64().unwrap();
    assert_eq!(cost["medianLatencyMs"], Value::Null, "a simulated model is as fast as the machine");
    edit(&snapshot, |profile| profile["cost"]["tokensPerTurn"] = json!(tokens / 2));
    let said = place.exits(0, &["gate"]);
    let line = format!(
        "warn: openai-native: tokens-grew: cost.tokensPerTurn {} → {tokens} (minor \
         regression)",
        tokens / 2
    );
    assert!(said.contains(&line), "{said}");
}

#[test]
fn two_files_are_compared_in_every_form() {
    let place = Place::with(&[]);
    let base = fs::read_to_string(root().join("fixtures/diff/base.json")).unwrap();
    fs::write(place.path("old.json"), &base).unwrap();
    fs::write(place.path("new.json"), &base).unwrap();
    let same = place.exits(0, &["diff", "old.json", "new.json"]);
    assert_eq!(same, "diff: no change; 1 target compared\n");

    edit(&place.path("new.json"), |it| it["errorRepair"] = json!("none"));
    edit(&place.path("new.json"), |it| it["results"]["errorRepair"]["status"] = json!("fail"));
    let text = place.exits(1, &["diff", "old.json", "new.json"]);
    assert!(text.starts_with("diff: 1 regression; 1 target compared\nacme/model: repair-lost: "));
    let markdown = place.exits(1, &["diff", "old.json", "new.json", "--format", "markdown"]);
    assert!(markdown.contains("| `repair-lost` | `acme/model` |"), "{markdown}");
    let json = place.exits(1, &["diff", "old.json", "new.json", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["changes"][0]["code"], "repair-lost");
    assert_eq!(json["changes"][0]["evidence"]["old"].as_array().unwrap().len(), 3);
    assert_eq!(place.exits(0, &["diff", "new.json", "old.json"]).lines().count(), 6);

    fs::write(place.path("README.md"), "# A page\n").unwrap();
    let said = place.exits(2, &["diff", "README.md", "old.json"]);
    assert!(said.contains("README.md:1:1: not a profile: "), "{said}");
    assert!(said.ends_with("; it never was one: name another file\n"), "{said}");
    let said = place.exits(2, &["diff", "old.json", "nowhere"]);
    assert!(said.contains("'nowhere' is neither a profile, nor a folder, nor the name of a run"));
}

#[test]
fn codes_are_explained_and_typos_answered() {
    let place = Place::with(&[]);
    let said = place.exits(0, &["explain", "call-format-lost"]);
    assert!(said.starts_with("call-format-lost (a change: critical regression)"), "{said}");
    assert!(place.exits(0, &["explain", "index-reused"]).contains("share one index"));
    assert!(place.exits(0, &["explain", "schema-violation"]).contains("a call in text"));
    let said = place.exits(0, &["explain", "request-changed"]);
    assert!(said.starts_with("request-changed (found by a replay: major regression)"), "{said}");
    let said = place.exits(2, &["explain", "call-fromat-lost"]);
    assert_eq!(said, "error: unknown code 'call-fromat-lost'; did you mean 'call-format-lost'?\n");
    assert!(place.exits(0, &["explain"]).lines().count() > 100);
}

#[test]
fn every_shipped_model_has_a_snapshot_by_the_suite_of_today() {
    let remedy = "the snapshots are out of date: run ci/accept-fleet";
    let snapshots = ProfileFolder::new(root().join("profiles")).read_all().unwrap();
    let version = Suite::embedded().unwrap().version().to_owned();
    for (file, profile) in &snapshots {
        assert_eq!(profile.probe_version, version, "{file}: {remedy}");
    }
    let found: BTreeSet<String> =
        snapshots.into_iter().map(|(_, profile)| profile.subject.model).collect();
    let models = fs::read_dir(root().join("fixtures/models")).unwrap();
    let shipped: BTreeSet<String> = models
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(found, shipped, "{remedy}");
}
