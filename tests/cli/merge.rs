//! `toolprobe run --shard` and `toolprobe merge`

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::place::{LIGHT, Place};
use crate::{only_run, toolprobe};

const MODELS: [&str; 5] =
    ["openai-native", "anthropic-native", "gemini-native", "one-call", "qwen3-coder-xml"];

/// The words of a light run whose files go to this folder.
fn into<'a>(reports: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&LIGHT[..], &["--reports", reports], more].concat()
}

/// Runs the program, for which time stands still.
fn exits_at_one_time(place: &Place, args: &[&str]) {
    let mut command = toolprobe(args);
    command.current_dir(place.path("")).env("SOURCE_DATE_EPOCH", "1794700800");
    assert_eq!(command.output().unwrap().status.code(), Some(0), "{args:?}");
}

/// The profiles of a run, by their file's name.
fn profiles(run: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(run.join("profiles")).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    files.map(named).collect()
}

fn run_in(place: &Place, reports: &str) -> String {
    only_run(&place.path(reports)).to_str().unwrap().to_owned()
}

#[test]
fn shards_that_are_merged_are_what_one_run_is() {
    let place = Place::with(&MODELS);
    exits_at_one_time(&place, &into("whole", &[]));
    exits_at_one_time(&place, &into("one", &["--shard", "1/2"]));
    exits_at_one_time(&place, &into("two", &["--shard", "2/2"]));
    let shards = ["one", "two"].map(|reports| run_in(&place, reports));
    let parts = shards.clone().map(|run| profiles(Path::new(&run)).len());
    assert!(parts.iter().all(|targets| (2..=3).contains(targets)), "{parts:?}");
    place.exits(0, &["merge", &shards[0], &shards[1]]);
    let (merged, whole) = (run_in(&place, "reports"), run_in(&place, "whole"));
    let are_alike = profiles(Path::new(&merged)) == profiles(Path::new(&whole));
    assert!(are_alike, "the profiles of the merged run are others");
    assert!(place.path("reports/history.csv").is_file());
    place.exits(0, &["accept"]);
    let said = place.exits(0, &["gate", &merged]);
    assert!(said.contains("5 targets"), "{said}");
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let place = Place::with(&MODELS);
    place.exits(0, &into("one", &["--shard", "1/2"]));
    place.exits(0, &into("again", &["--shard", "1/2"]));
    place.exits(0, &into("three", &["--shard", "1/3"]));
    place.exits(0, &into("seeded", &["--shard", "2/2", "--seed", "7"]));
    let [one, again, three, seeded] =
        ["one", "again", "three", "seeded"].map(|reports| run_in(&place, reports));
    let said = place.exits(2, &["merge", &one, &again]);
    assert!(said.contains("is in run") && said.contains("leave one of them out"), "{said}");
    let said = place.exits(2, &["merge", &one, &three]);
    assert!(said.contains("differ in the number of shards (2 and 3)"), "{said}");
    let said = place.exits(2, &["merge", &one, &seeded]);
    assert!(said.contains("differ in the seed (1 and 7)"), "{said}");
    assert!(!place.path("reports").exists());
    let said = place.exits(2, &["merge", &one]);
    assert!(said.contains("RUN"), "{said}");
}

#[test]
fn a_missing_shard_is_an_error_unless_a_part_is_enough() {
    let place = Place::with(&MODELS);
    place.exits(0, &into("one", &["--shard", "1/3"]));
    place.exits(0, &into("two", &["--shard", "2/3"]));
    let [one, two] = ["one", "two"].map(|reports| run_in(&place, reports));
    let said = place.exits(2, &["merge", &one, &two]);
    assert!(said.contains("shard 3/3 is missing"), "{said}");
    place.exits(0, &["merge", &one, &two, "--partial"]);
}

#[test]
fn a_shard_says_nothing_of_the_targets_of_others() {
    let place = Place::with(&MODELS);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let said = place.exits(0, &into("one", &["--shard", "1/2"]));
    assert!(!said.contains("missing"), "{said}");
    let said = place.exits(2, &into("one", &["--shard", "3/2"]));
    assert!(said.contains("is not a shard"), "{said}");
}

#[test]
fn shards_of_targets_that_changed_meanwhile_are_not_merged() {
    let place = Place::with(&MODELS);
    place.exits(0, &into("one", &["--shard", "1/2"]));
    fs::remove_file(place.path("models/one-call.toml")).unwrap();
    place.exits(0, &into("two", &["--shard", "2/2"]));
    let [one, two] = ["one", "two"].map(|reports| run_in(&place, reports));
    let said = place.exits(2, &["merge", &one, &two]);
    assert!(said.contains("differ in the targets that were shared"), "{said}");
}

#[cfg(not(feature = "object-store"))]
#[test]
fn without_object_storage_the_flag_says_how_to_get_it() {
    let place = Place::with(&MODELS);
    for args in [&["gate"][..], &["merge"], &["accept"], &["drift"], &["report"], &LIGHT] {
        let said = place.exits(2, &[args, &["--store", "s3://bucket/prefix"]].concat());
        assert!(said.contains("--features object-store"), "{said}");
    }
    let said = place.exits(2, &["gate", "--store", "bucket"]);
    assert!(said.contains("'bucket' is not a place in object storage"), "{said}");
}
