//! `toolprobe prune`

use std::fs;

use crate::place::{LIGHT, Place};

/// The names of the runs that are kept, oldest first.
fn runs(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path("reports")).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_newest_runs_and_what_snapshots_refer_to_are_kept() {
    let place = Place::with(&["openai-native", "one-call"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    for seed in ["2", "3", "4"] {
        place.exits(0, &[&LIGHT[..], &["one-call", "--seed", seed]].concat());
    }
    let all = runs(&place);
    assert_eq!(all.len(), 4);
    let said = place.exits(0, &["prune", "--keep", "1", "--dry-run"]);
    assert!(said.contains("would remove 2 runs, kept 2"), "{said}");
    assert_eq!(runs(&place), all);
    let said = place.exits(0, &["prune", "--keep", "1"]);
    assert!(said.contains(&format!("removed reports/{}\n", all[1])), "{said}");
    assert_eq!(runs(&place), [all[0].clone(), all[3].clone()]);
    assert!(place.path("reports/history.csv").is_file());
    place.exits(0, &["gate"]);
    let said = place.exits(0, &["prune", "--keep", "1"]);
    assert!(said.contains("removed 0 runs, kept 2"), "{said}");
}
