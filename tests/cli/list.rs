//! `toolprobe list`

use serde_json::Value;

use crate::{finished, toolprobe};

fn list(args: &[&str]) -> String {
    let args = [&["list"], args].concat();
    let (code, out, err) = finished(toolprobe(&args).output().unwrap());
    assert_eq!((code, err.as_str()), (Some(0), ""));
    out
}

#[test]
fn everything_that_is_built_in_has_a_name_and_a_line_on_it() {
    let all: Value = serde_json::from_str(&list(&["--format", "json"])).unwrap();
    let topics = all.as_object().unwrap();
    let names: Vec<&str> = topics.keys().map(String::as_str).collect();
    assert_eq!(names, ["dialects", "formats", "providers", "probes", "models", "defects", "codes"]);
    for (topic, entries) in topics {
        for entry in entries.as_array().unwrap() {
            let text = |key: &str| entry[key].as_str().unwrap().len();
            assert!(text("name") > 1 && text("about") > 5, "{topic}: {entry}");
        }
    }
    assert_eq!(topics["dialects"].as_array().unwrap().len(), 5);
}

#[test]
fn a_topic_is_a_list_of_its_own() {
    let out = list(&["dialects"]);
    assert_eq!(out.lines().count(), 5);
    assert!(out.starts_with("  anthropic-messages  Anthropic's /v1/messages\n"), "{out}");
    let json: Value = serde_json::from_str(&list(&["probes", "--format", "json"])).unwrap();
    assert!(json.as_array().unwrap().iter().any(|entry| entry["name"] == "basic-format"));
}

#[test]
fn all_topics_fit_a_screen() {
    let out = list(&[]);
    assert!(out.lines().count() < 40, "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
}

#[test]
fn a_typing_error_is_one_even_if_nobody_reads_what_is_said_of_it() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = toolprobe(&["list", "--colour"]).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(2));
}
