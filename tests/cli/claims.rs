//! `toolprobe claims`

use std::fs;

use serde_json::{Value, json};

use crate::place::{LIGHT, Place};

#[test]
fn false_claims_of_both_kinds_are_found_in_a_table() {
    let place = Place::with(&["openai-native", "qwen3-coder-xml"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let table = json!({
        "openai-native": {"supports_function_calling": false},
        "sim/qwen3-coder-xml": {"supports_function_calling": true},
    });
    fs::write(place.path("table.json"), table.to_string()).unwrap();
    let (code, out, err) = place.does(&["claims", "table.json", "--format", "json"]);
    assert_eq!(code, Some(0), "{err}");
    let checks: Value = serde_json::from_str(&out).unwrap();
    let verdicts: Vec<&str> =
        checks.as_array().unwrap().iter().map(|it| it["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["false-no", "false-yes"]);
    place.exits(1, &["claims", "table.json", "--check"]);
}

#[test]
fn a_table_that_cannot_be_read_says_what_it_must_be() {
    let place = Place::with(&[]);
    fs::write(place.path("table.json"), "{}").unwrap();
    let said = place.exits(2, &["claims", "table.json"]);
    assert!(said.contains("LiteLLM's model table"), "{said}");
    assert!(place.exits(2, &["claims", "no-such.json"]).contains("cannot read no-such.json"));
}
