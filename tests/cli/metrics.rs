//! `toolprobe metrics`

use std::fs;

use crate::{finished, toolprobe};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/telemetry/every-kind.jsonl");

#[test]
fn the_same_numbers_come_as_table_json_and_csv() {
    let (code, out, _) = finished(toolprobe(&["metrics", SAMPLE]).output().unwrap());
    assert_eq!(code, Some(0));
    assert!(out.contains("toolCallParseSuccessRate") && out.contains("0.7778 (7 of 9)"), "{out}");

    let (_, out, _) =
        finished(toolprobe(&["metrics", SAMPLE, "--format", "json"]).output().unwrap());
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["all"]["toolCallParseSuccessRate"], 0.7778);
    assert!(json["targets"]["deepseek"]["repairSuccessRate"].is_null(), "{out}");

    let (_, out, _) =
        finished(toolprobe(&["metrics", SAMPLE, "--format", "csv"]).output().unwrap());
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert_eq!(lines[1], "all,0.7778,0.2,2,1,0.5,0.3333,5");
    assert_eq!(lines[2], "deepseek,1,0.2,2,1,0.5,,1");
}

#[test]
fn a_bad_line_is_named_with_file_line_and_field() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("turns.jsonl");
    fs::write(&file, "{\"calls\": 1}\n{\"cals\": 1}\n").unwrap();
    let path = file.to_str().unwrap();
    let (code, out, err) = finished(toolprobe(&["metrics", path]).output().unwrap());
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with(&format!("error: {path}: line 2, column 7: unknown field `cals`")));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let (code, _, err) = finished(toolprobe(&["metrics", "no-such-file"]).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(err.starts_with("error: cannot read no-such-file: "), "{err}");
}
