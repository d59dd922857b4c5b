//! `toolprobe metrics`

use std::fs;

use serde_json::Value;
use toolprobe::telemetry::MetricName;

use crate::place::{LIGHT, Place};
use crate::{finished, only_run, toolprobe};

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

#[test]
fn a_run_tells_the_seven_metrics_in_profile_manifest_and_history_and_its_turns_give_them_again() {
    let place = Place::with(&["openai-native", "talks-only"]);
    place.exits(0, &[&LIGHT[..], &["--confirm", "off"]].concat());
    let run = only_run(&place.path("reports"));
    let read = |path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let files = |folder: &str| -> Vec<_> {
        fs::read_dir(run.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    for profile in files("profiles") {
        let metrics = read(profile)["metrics"].clone();
        assert!(MetricName::ALL.iter().all(|name| metrics.get(name.as_str()).is_some()));
        assert_eq!(metrics["repairSuccessRate"], Value::Null, "nothing was there to repair");
    }
    let history = fs::read_to_string(place.path("reports/metrics.csv")).unwrap();
    let head = history.lines().next().unwrap();
    let names = MetricName::ALL.map(MetricName::as_str).join(",");
    assert!(head.ends_with(&names), "{head}");
    assert_eq!(history.lines().count(), 4, "{history}");

    let turns: Vec<String> =
        files("telemetry").iter().map(|path| path.display().to_string()).collect();
    let mut args = vec!["metrics", "--format", "json"];
    args.extend(turns.iter().map(String::as_str));
    let counted: Value = serde_json::from_str(&place.exits(0, &args)).unwrap();
    let manifest = read(run.join("manifest.json"));
    assert_eq!(counted["all"], manifest["metrics"]);
    assert!(counted["targets"]["openai-native"].is_object(), "{counted}");
}
