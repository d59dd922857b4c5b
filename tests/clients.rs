//! The table of defects and clients: does it follow from the last measurement?
//!
//! `ci/clients-check` measures and writes both; this holds them together, so that neither a snapshot nor
//! the table changes alone.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot read the tree has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Defect, client, dialect and mode.
type Break = (String, String, String, String);

#[test]
fn the_table_of_defects_and_clients_follows_from_the_last_measurement() {
    let (measured, snapshots) = (json("fixtures/clients/measured.json"), snapshots());
    let mut derived = BTreeSet::new();
    for driven in measured["drove"].as_array().unwrap() {
        let (client, dialect) = driven.as_str().unwrap().split_once(' ').unwrap();
        for mode in ["plain", "streamed"] {
            let defect = |it| (it, client.to_owned(), dialect.to_owned(), mode.to_owned());
            let broken = |model: &str| is_broken(&measured, model, client, mode);
            derived.extend(blamed(&snapshots, dialect, mode, &broken).into_iter().map(defect));
        }
    }
    assert_eq!(kept(), derived, "run ci/clients-check --accept");
}

/// The defects that alone are left of a model the client does not cope with.
fn blamed(
    snapshots: &[Value],
    dialect: &str,
    mode: &str,
    is_broken: &dyn Fn(&str) -> bool,
) -> BTreeSet<String> {
    let mine: BTreeMap<&str, BTreeSet<String>> = snapshots
        .iter()
        .filter(|profile| profile["dialect"] == dialect)
        .map(|profile| (profile["model"].as_str().unwrap(), defects(profile, mode)))
        .collect();
    let coped = mine.iter().filter(|(model, _)| !is_broken(model));
    let harmless: BTreeSet<String> = coped.flat_map(|(_, defects)| defects.clone()).collect();
    let failed = mine.iter().filter(|(model, _)| is_broken(model));
    let left = failed.map(|(_, defects)| defects - &harmless);
    left.filter(|left| left.len() == 1).flatten().collect()
}

/// The defects of a model in this mode, where our own decoder reads its calls.
fn defects(profile: &Value, mode: &str) -> BTreeSet<String> {
    let (judged, told) = match mode {
        "plain" => ("parallelTool", "singleTool"),
        _ => ("streaming", "streaming"),
    };
    let judged = &profile["results"][judged];
    let is_read = judged["status"] == "pass" || judged["breaks"].is_array();
    let told = profile["results"][told]["defects"].as_array();
    let told = told.into_iter().flatten().map(|defect| defect.as_str().unwrap().to_owned());
    told.filter(|_| is_read).collect()
}

fn is_broken(measured: &Value, model: &str, client: &str, mode: &str) -> bool {
    let broken = measured["broken"][model][client].as_array();
    broken.is_some_and(|broken| broken.iter().any(|it| it == mode))
}

/// The table as it is built in.
fn kept() -> BTreeSet<Break> {
    let table: toml::Table = read("src/profile/client_breaks.toml").parse().unwrap();
    let text = |row: &toml::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows = table["breaks"].as_array().unwrap().iter();
    rows.map(|row| {
        (text(row, "defect"), text(row, "client"), text(row, "dialect"), text(row, "mode"))
    })
    .collect()
}

fn snapshots() -> Vec<Value> {
    let files = fs::read_dir(root().join("profiles")).unwrap();
    let files = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    files.map(|text| serde_json::from_str(&text).unwrap()).collect()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
