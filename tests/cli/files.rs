//! Files that are corrupt, cut short, foreign or newer: named with place and remedy, and left alone

use std::fs;
use std::path::{Path, PathBuf};

use crate::only_run;
use crate::place::{LIGHT, Place, root};

/// One way for a file to be wrong, and what is said of it.
struct Case {
    damage: &'static str,
    spoil: fn(&str) -> String,
    /// What must follow the file's name.
    place: Where,
    remedy: &'static str,
}

enum Where {
    /// `FILE:LINE:COLUMN: `
    LineAndColumn,
    /// `FILE: line LINE, column COLUMN: `
    InWords,
    /// The file is the place.
    Whole,
}

/// A place in which there is one of every kind of file.
fn full() -> Place {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let copy = |from: &str, to: &str| fs::copy(root().join(from), place.path(to)).unwrap();
    copy("fixtures/transcripts/ollama-native.json", "transcript.json");
    copy("fixtures/telemetry/every-kind.jsonl", "turns.jsonl");
    fs::write(place.path("policy.toml"), "[[rule]]\nclass = \"drift\"\nlevel = \"deny\"\n")
        .unwrap();
    place
}

/// Spoils a file in every way, and holds the command that reads it to what it must say.
fn check(place: &Place, file: &Path, command: &[&str], cases: &[Case]) {
    let whole = fs::read_to_string(file).unwrap();
    place.exits(0, command);
    for Case { damage, spoil, place: at, remedy } in cases {
        let bad = spoil(&whole);
        assert_ne!(bad, whole, "{damage}");
        fs::write(file, &bad).unwrap();
        let (code, out, err) = place.does(command);
        let said = format!("{}, {damage}: {out}{err}", file.display());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{said}");
        let name = file.file_name().unwrap().to_str().unwrap();
        let (_, after) = err.split_once(name).unwrap_or_else(|| panic!("no name: {said}"));
        let numbered = |start: &str| {
            after.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c != '0'))
        };
        match at {
            Where::LineAndColumn => assert!(numbered(":"), "{said}"),
            Where::InWords => assert!(numbered(": line "), "{said}"),
            Where::Whole => {}
        }
        assert!(err.contains(remedy), "{said}");
        assert_eq!(fs::read_to_string(file).unwrap(), bad, "changed: {said}");
    }
    fs::write(file, whole).unwrap();
    place.exits(0, command);
}

fn half(whole: &str) -> String {
    whole.chars().take(whole.chars().count() / 2).collect()
}

fn foreign(_: &str) -> String {
    "{\"name\": \"left-pad\"}\n".to_owned()
}

/// A value that is none, in the second line.
fn corrupt(whole: &str) -> String {
    whole.replacen("\": ", "\": oops ", 1)
}

/// The cases of a JSON file with a version.
fn versioned(newer: fn(&str) -> String, of_newer: &'static str) -> [Case; 4] {
    let case = |damage, spoil, remedy| Case { damage, spoil, place: Where::LineAndColumn, remedy };
    [
        case("corrupt", corrupt, "; restore it or delete it"),
        case("cut", half, "; restore it or delete it"),
        case("foreign", foreign, "; move it elsewhere if it is yours"),
        Case { place: Where::Whole, ..case("newer", newer, of_newer) },
    ]
}

fn first_in(folder: PathBuf) -> PathBuf {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files.remove(0)
}

#[test]
fn profiles_manifests_and_transcripts() {
    let place = full();
    let run = only_run(&place.path("reports"));
    let newer = |whole: &str| {
        let whole = whole.replacen("\"profileVersion\": 1", "\"profileVersion\": 99", 1);
        whole.replacen("\"results\"", "\"findings\"", 1)
    };
    let update = "written by a newer toolprobe (profileVersion 99, this one writes 1)";
    check(&place, &place.snapshots().remove(0), &["gate"], &versioned(newer, update));
    check(&place, &first_in(run.join("profiles")), &["report"], &versioned(newer, update));
    let newer = |whole: &str| {
        let whole = whole.replacen("\"manifestVersion\": 1", "\"manifestVersion\": 99", 1);
        whole.replacen("\"targets\"", "\"subjects\"", 1)
    };
    let update = "written by a newer toolprobe (manifestVersion 99, this one writes 1)";
    check(&place, &run.join("manifest.json"), &["report"], &versioned(newer, update));
    let newer =
        |whole: &str| whole.replacen("\"transcriptVersion\": 1", "\"transcriptVersion\": 99", 1);
    let update = "newer toolprobe (transcriptVersion 99, this one writes 1); it was left as it is: \
                  update toolprobe";
    let replay = ["replay", "transcript.json"];
    check(&place, &place.path("transcript.json"), &replay, &versioned(newer, update));
}

#[test]
fn policies() {
    let place = full();
    let case = |damage, spoil| Case {
        damage,
        spoil,
        place: Where::LineAndColumn,
        remedy: "; `toolprobe schema policy` says what a policy may hold",
    };
    let cases = [
        case("corrupt", |whole| whole.replacen("]]", "]", 1)),
        case("cut", |whole| whole.trim_end().trim_end_matches('"').to_owned()),
        case("foreign", |_| "name = \"left-pad\"\n".to_owned()),
        case("newer", |whole| format!("{whole}unless = \"it rains\"\n")),
        Case {
            place: Where::Whole,
            remedy: "was written by a newer toolprobe (policy_version 2, this one writes 1)",
            ..case("newer, and says so", |whole| format!("policy_version = 2\nunless = 1\n{whole}"))
        },
    ];
    let gate = ["gate", "--policy", "policy.toml"];
    check(&place, &place.path("policy.toml"), &gate, &cases);
}

#[test]
fn histories() {
    let place = full();
    let case = |damage, spoil| Case {
        damage,
        spoil,
        place: Where::LineAndColumn,
        remedy: "; correct the line, update toolprobe if a newer one wrote it, or move the file \
                 elsewhere",
    };
    let cases = [
        case("corrupt", |whole| whole.replacen(",pass,", ",oops,", 1)),
        case("foreign", |_| "name,version\nleft-pad,1\n".to_owned()),
        case("newer", |whole| whole.replacen(",status,", ",verdict,", 1)),
        Case {
            place: Where::Whole,
            remedy: "was written by a newer toolprobe (historyVersion 2, this one writes 1)",
            ..case("newer, and says so", |whole| whole.replacen("\n1,", "\n2,", 1))
        },
    ];
    let history = place.path("reports/history.csv");
    check(&place, &history, &["drift"], &cases);
    // A row that a crash cut short is passed over, told, and left for the next run to cut off.
    let whole = fs::read_to_string(&history).unwrap();
    fs::write(&history, whole.trim_end()).unwrap();
    assert!(place.exits(0, &["drift"]).contains("the last line of the history is cut short: "));
    assert_eq!(fs::read_to_string(&history).unwrap(), whole.trim_end());
}

#[test]
fn telemetry() {
    let place = full();
    let case = |damage, spoil, remedy| Case { damage, spoil, place: Where::InWords, remedy };
    let schema = "; `toolprobe schema telemetry` says what a line may hold";
    let cases = [
        case("corrupt", |whole| whole.replacen("\":", "\":oops", 1), schema),
        case("cut", half, schema),
        case("foreign", foreign, schema),
        case(
            "newer",
            |whole| format!("{{\"telemetryVersion\":99}}\n{whole}"),
            "this toolprobe reads 1: update toolprobe",
        ),
    ];
    check(&place, &place.path("turns.jsonl"), &["metrics", "turns.jsonl"], &cases);
}

#[test]
fn evidence() {
    let place = full();
    let case = |damage, spoil| Case {
        damage,
        spoil,
        place: Where::Whole,
        remedy: "does not hold what its name says; it was changed, cut short, or written by a newer \
                 toolprobe: update toolprobe, or delete it and run again",
    };
    let cases = [
        case("corrupt", |whole| whole.replacen("\"answered\":", "\"answered\":oops", 1)),
        case("newer", |whole| whole.replacen("\"exchangeVersion\":1", "\"exchangeVersion\":99", 1)),
    ];
    let folder = only_run(&place.path("reports")).join("evidence");
    let journal = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    check(&place, &journal, &["assess"], &cases);
}
