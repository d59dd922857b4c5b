//! `toolprobe status`

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{finished, toolprobe};

const MEASURED: &str = "1763164800";
const A_DAY_LATER: &str = "1763251200";
const A_MONTH_LATER: &str = "1765756800";

fn status(folder: &Path, at: &str, args: &[&str]) -> (Option<i32>, Value) {
    let mut command = toolprobe(&["status", "openai-native", "--format", "json"]);
    command.args(args).current_dir(folder).env("SOURCE_DATE_EPOCH", at);
    let (code, out, err) = finished(command.output().unwrap());
    let rows: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    (code, rows[0].clone())
}

/// Probes one model and takes its profile for the committed one.
fn measure(folder: &Path) {
    let mut command = toolprobe(&["run", "openai-native", "--suite", "light"]);
    command.current_dir(folder).env("SOURCE_DATE_EPOCH", MEASURED);
    let (code, _, err) = finished(command.output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    let made = folder.join("reports/20251115T000000Z/profiles");
    fs::rename(made, folder.join("profiles")).unwrap();
}

#[test]
fn a_profile_is_missing_then_fresh_then_stale() {
    let dir = tempfile::tempdir().unwrap();
    let (code, row) = status(dir.path(), MEASURED, &[]);
    assert_eq!((code, &row["state"]), (Some(0), &"missing".into()));
    measure(dir.path());
    let (code, row) = status(dir.path(), A_DAY_LATER, &["--check"]);
    assert_eq!((code, &row["state"]), (Some(0), &"fresh".into()), "{row}");
    let (code, row) = status(dir.path(), A_MONTH_LATER, &["--check"]);
    assert_eq!((code, &row["state"]), (Some(1), &"stale".into()));
    assert_eq!(row["reasons"][0], "ran out on 2025-11-22 00:00 UTC");
}

#[test]
fn other_questions_make_a_profile_stale() {
    let dir = tempfile::tempdir().unwrap();
    measure(dir.path());
    let probes = dir.path().join("probes");
    fs::create_dir(&probes).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("probes/basic-format.toml");
    fs::copy(own, probes.join("basic-format.toml")).unwrap();
    let (_, row) = status(dir.path(), MEASURED, &["--probes", "probes"]);
    assert_eq!(row["state"], "stale");
    assert!(row["reasons"][0].as_str().unwrap().starts_with("measured by tool-probe-v1+"), "{row}");
}
