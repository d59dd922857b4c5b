//! `toolprobe assess`, and `replay` of what was asked with tools of the user's own

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolprobe::store::read_profile;

use crate::only_run;
use crate::place::{LIGHT, Place, edit};

fn stored(place: &Place) -> PathBuf {
    let profiles = only_run(&place.path("reports")).join("profiles");
    fs::read_dir(profiles).unwrap().next().unwrap().unwrap().path()
}

/// A file with a tool that no probe knows.
fn tools(place: &Place) -> String {
    let schema = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
        "required": ["city", "days"],
    });
    let tool = json!({"name": "get_forecast", "description": "Weather", "input_schema": schema});
    fs::write(place.path("tools.json"), json!([tool]).to_string()).unwrap();
    "tools.json".to_owned()
}

#[test]
fn stored_evidence_is_judged_to_the_same_profile_again() {
    let place = Place::with(&["openai-native", "deepseek-v4-thinking"]);
    place.exits(0, &["run", "--models", "models"]);
    let said = place.exits(0, &["assess", "--into", "again"]);
    assert!(said.contains("✓ openai-native: as before"), "{said}");
    assert!(said.ends_with("2 profiles judged again, 0 changed\n"), "{said}");
    let path = stored(&place);
    let again = place.path("again").join(path.file_name().unwrap());
    let (before, after) = (read_profile(&path).unwrap(), read_profile(&again).unwrap());
    assert_eq!((after.capabilities, after.metrics), (before.capabilities, before.metrics));
}

#[test]
fn what_is_judged_otherwise_than_it_was_shows_with_both_sides() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    // As a judge of other days might have left it.
    edit(&stored(&place), |profile| profile["results"]["closedLoop"]["status"] = json!("fail"));
    let said = place.exits(0, &["assess"]);
    let expected = "✗ openai-native: 1 change\n    results.closedLoop.status\n      - \"fail\"\n      \
                    + \"pass\"";
    assert!(said.contains(expected), "{said}");
    let json = place.does(&["assess", "--format", "json"]).1;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["changes"][0]["path"], "results.closedLoop.status");
}

#[test]
fn without_its_evidence_nothing_is_concluded() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    fs::remove_dir_all(only_run(&place.path("reports")).join("evidence")).unwrap();
    let said = place.exits(3, &["assess"]);
    assert!(said.contains("  not in the evidence: "), "{said}");
}

#[test]
fn a_run_with_tools_of_the_users_own_is_judged_with_them() {
    let place = Place::with(&["openai-native"]);
    let file = tools(&place);
    place.exits(0, &["run", "--models", "models", "--tools", &file]);
    // They are kept with the run: the file is not needed again.
    fs::remove_file(place.path(&file)).unwrap();
    let said = place.exits(0, &["assess"]);
    assert!(said.contains("✓ openai-native: as before"), "{said}");
}

#[test]
fn a_transcript_with_tools_of_the_users_own_replays_with_them() {
    let place = Place::with(&["openai-native"]);
    let file = tools(&place);
    let args = ["record", "openai-native", "--models", "models", "--trials", "1"];
    place.exits(0, &[&args[..], &["--tools", &file, "--output", "mine.json"]].concat());
    fs::remove_file(place.path(&file)).unwrap();
    let transcript = fs::read_to_string(place.path("mine.json")).unwrap();
    assert!(transcript.contains("get_forecast"));
    let said = place.exits(0, &["replay", "mine.json"]);
    assert!(said.contains("✓ mine.json: "), "{said}");
}
