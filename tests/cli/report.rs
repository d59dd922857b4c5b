//! `toolprobe report`

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{finished, only_run, toolprobe};

fn report(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let args = [&["report"], args].concat();
    finished(toolprobe(&args).current_dir(folder).output().unwrap())
}

/// A folder with a run of two simulated models in `reports/`, and what the run printed.
fn after_a_run() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let args = ["run", "openai-native", "one-call", "--suite", "light", "--format", "markdown"];
    let run = toolprobe(&args).current_dir(dir.path()).output().unwrap();
    let (code, out, err) = finished(run);
    assert_eq!(code, Some(0), "{err}");
    (dir, out)
}

#[test]
fn a_stored_run_gives_the_report_that_the_run_gave() {
    let (dir, printed) = after_a_run();
    assert_eq!(report(dir.path(), &["--format", "markdown"]), (Some(0), printed, String::new()));
}

#[test]
fn a_run_is_found_by_its_name_and_by_its_folder() {
    let (dir, _) = after_a_run();
    let run = only_run(&dir.path().join("reports"));
    let name = run.file_name().unwrap().to_str().unwrap().to_owned();
    for run in [name.clone(), format!("reports/{name}")] {
        let (code, out, err) = report(dir.path(), &[&run, "--format", "json"]);
        assert_eq!(code, Some(0), "{err}");
        let json: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(json["run"]["run"], name.as_str());
        assert_eq!(json["profiles"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_page_links_evidence_from_where_it_is_written() {
    let (dir, _) = after_a_run();
    let args = ["--format", "html", "--output", "page.html"];
    assert_eq!(report(dir.path(), &args), (Some(0), String::new(), String::new()));
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    let links: Vec<&str> = page.split("href=\"reports/").skip(1).collect();
    assert!(!links.is_empty());
    for link in links {
        let target = link.split('"').next().unwrap();
        assert!(dir.path().join("reports").join(target).is_file(), "{target}");
    }
}

#[test]
fn what_is_missing_is_named_with_the_command_that_makes_it() {
    let dir = tempfile::tempdir().unwrap();
    for (args, expected) in [
        (&[][..], "error: no run in reports; `toolprobe run` makes one\n"),
        (
            &["20261115T083000Z"],
            "error: no run '20261115T083000Z' in reports; `toolprobe run` makes one\n",
        ),
    ] {
        assert_eq!(report(dir.path(), args), (Some(2), String::new(), expected.to_owned()));
    }
}
