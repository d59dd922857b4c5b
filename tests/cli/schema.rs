//! `toolprobe schema`

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{finished, only_run, toolprobe};

fn schema(kind: &str) -> Value {
    let (code, out, err) = finished(toolprobe(&["schema", kind]).output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    serde_json::from_str(&out).unwrap()
}

/// Checks that a schema takes these instances, and that there are some.
fn takes(kind: &str, instances: &[(PathBuf, Value)]) {
    let schema = schema(kind);
    assert_eq!(schema.get("title"), Some(&format!("toolprobe {kind}").into()));
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(!instances.is_empty(), "{kind}");
    for (path, instance) in instances {
        let errors: Vec<String> =
            validator.iter_errors(instance).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
    assert!(!validator.is_valid(&Value::from(1)), "{kind} takes anything");
}

fn files(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let wanted = entries.filter(|path| path.extension().is_some_and(|it| it == ending));
    wanted.map(|path| (path.clone(), fs::read_to_string(&path).unwrap())).collect()
}

fn toml_files(folder: &str) -> Vec<(PathBuf, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let parsed = |(path, text): (PathBuf, String)| (path, toml::from_str(&text).unwrap());
    files(&folder, "toml").into_iter().map(parsed).collect()
}

fn json_files(folder: &Path) -> Vec<(PathBuf, Value)> {
    let parsed = |(path, text): (PathBuf, String)| (path, serde_json::from_str(&text).unwrap());
    files(folder, "json").into_iter().map(parsed).collect()
}

#[test]
fn the_built_in_probes_and_models_keep_to_their_schemas() {
    takes("probe", &toml_files("probes"));
    takes("model", &toml_files("fixtures/models"));
}

#[test]
fn what_a_run_stores_keeps_to_its_schemas() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = toolprobe(&["run", "openai-native", "deepseek-v4-thinking", "--reports", "."]);
    let (code, _, err) = finished(run.current_dir(dir.path()).output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    let run = only_run(dir.path());
    takes("manifest", &json_files(&run));
    takes("profile", &json_files(&run.join("profiles")));
    for (path, text) in files(&run.join("evidence"), "jsonl") {
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let records = lines.filter_map(|line| line.pointer("/exchange/record").cloned());
        takes("exchange", &records.map(|it| (path.clone(), it)).collect::<Vec<_>>());
    }
    takes("history", &csv_rows(&dir.path().join("history.csv")));
    takes("metrics", &csv_rows(&dir.path().join("metrics.csv")));
    for (path, text) in files(&run.join("telemetry"), "jsonl") {
        let turn = |line: &str| (path.clone(), serde_json::from_str(line).unwrap());
        takes("telemetry", &text.lines().map(turn).collect::<Vec<_>>());
    }
}

/// The rows of a CSV file as objects: numbers where a cell is one, null where it is empty.
fn csv_rows(path: &Path) -> Vec<(PathBuf, Value)> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let cell = |column: &str, text: &str| match text {
        "" if column != "profile" => Value::Null,
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    };
    let rows = reader.deserialize::<std::collections::BTreeMap<String, String>>();
    rows.map(|row| {
        let cells = row.unwrap().into_iter().map(|(column, text)| {
            let value = cell(&column, &text);
            (column, value)
        });
        (path.to_owned(), Value::Object(cells.collect()))
    })
    .collect()
}

#[test]
fn the_columns_of_a_history_are_its_schemas_properties_in_order() {
    let columns = |kind: &str| -> Vec<String> {
        schema(kind)["properties"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(columns("history")[..3], ["historyVersion", "run", "time"]);
    assert_eq!(columns("metrics").last().unwrap(), "unsafeExecutionsBlocked");
}

#[test]
fn transcripts_and_printed_changes_keep_to_their_schemas() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    takes("transcript", &json_files(&root.join("fixtures/transcripts")));
    let dir = tempfile::tempdir().unwrap();
    let mut base: Value =
        serde_json::from_str(&fs::read_to_string(root.join("fixtures/diff/base.json")).unwrap())
            .unwrap();
    let (old, new) = (dir.path().join("old.json"), dir.path().join("new.json"));
    fs::write(&old, base.to_string()).unwrap();
    base["results"]["errorRepair"]["status"] = "fail".into();
    fs::write(&new, base.to_string()).unwrap();
    let args = ["diff", old.to_str().unwrap(), new.to_str().unwrap(), "--format", "json"];
    let (_, out, _) = finished(toolprobe(&args).output().unwrap());
    takes("diff", &[("diff".into(), serde_json::from_str(&out).unwrap())]);
}

#[test]
fn the_starter_configuration_and_the_built_in_policy_keep_to_their_schemas() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (kind, file) in
        [("config", "src/target/starter.toml"), ("policy", "src/regress/default-policy.toml")]
    {
        let text = fs::read_to_string(root.join(file)).unwrap();
        takes(kind, &[(file.into(), toml::from_str(&text).unwrap())]);
    }
}

#[test]
fn a_line_of_telemetry_keeps_to_its_schema() {
    let turn = serde_json::to_value(toolprobe::telemetry::TurnEvent::default()).unwrap();
    takes("telemetry", &[("a turn".into(), turn)]);
}
