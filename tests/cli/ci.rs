//! What CI servers and code hosts read of a gate

use std::fs;

use serde_json::Value;

use crate::place::{LIGHT, Place};
use crate::{finished, toolprobe};

const RUN: [&str; 3] = ["run", "--models", "models"];

/// A model with a known limitation and a healthy one, both accepted.
fn accepted() -> Place {
    let place = Place::with(&["openai-native", "one-call"]);
    place.exits(0, &[&RUN[..], &["--trials", "1"]].concat());
    place.exits(0, &["accept"]);
    place
}

/// The attribute of the root element of a JUnit file.
fn count(junit: &str, what: &str) -> usize {
    let root = junit.lines().find(|line| line.starts_with("<testsuites")).unwrap();
    let value = root.split_once(&format!(" {what}=\"")).unwrap().1;
    value.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn every_form_of_a_run_and_of_its_gate_says_what_the_gate_says() {
    let place = accepted();
    let junit = |code: i32| {
        let args = [&RUN[..], &["--trials", "1", "--format", "junit"]].concat();
        let (exit, out, err) = place.does(&args);
        assert_eq!(exit, Some(code), "{err}");
        out
    };
    let green = junit(0);
    assert_eq!((count(&green, "failures"), count(&green, "errors")), (0, 0), "{green}");
    assert!(count(&green, "tests") >= 16, "{green}");
    assert!(green.contains("<property name=\"verdict\" value=\"fail\"/>"), "{green}");
    assert!(!green.contains(" time=\"0.000\" tests"), "{green}");

    place.spoil("openai-native", "quirks = [\"one-call\"]");
    let red = junit(1);
    assert_eq!((count(&red, "failures"), count(&red, "errors")), (1, 0), "{red}");
    let failed = red.split("<failure ").next().unwrap().rsplit("<testcase ").next().unwrap();
    assert!(failed.starts_with("name=\"parallel\" classname=\"openai-native\""), "{failed}");

    let gate = |format: &str| place.does(&["gate", "--format", format]);
    let (code, again, _) = gate("junit");
    assert_eq!((code, count(&again, "failures"), count(&again, "errors")), (Some(1), 1, 0));
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let sarif = json(&gate("sarif").1);
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let errors: Vec<&Value> = results.iter().filter(|it| it["level"] == "error").collect();
    assert_eq!(errors.len(), 1, "{sarif:#}");
    assert_eq!(errors[0]["ruleId"], "parallel-lost");
    let location = &errors[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(place.path(location.as_str().unwrap()).is_file(), "{location}");
    let quality = json(&gate("code-quality").1);
    assert_eq!(quality[0]["check_name"], "parallel-lost");
    assert_eq!(quality[0]["severity"], "critical");
    assert!(gate("html").1.contains("gate: failed, 1 denied"));
    let report = |format: &str| place.exits(0, &["report", "--format", format]);
    for format in ["html", "markdown"] {
        assert!(report(format).contains("gate: failed, 1 denied"), "{format}");
    }
    assert_eq!(json(&report("json"))["gate"]["outcome"], "failed");
    assert_eq!(count(&report("junit"), "failures"), 1);
}

#[test]
fn findings_without_a_gate_are_properties() {
    let place = Place::with(&["one-call", "talks-only"]);
    let args = [&RUN[..], &["--trials", "1", "--format", "junit"]].concat();
    let (code, out, err) = place.does(&args);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!((count(&out, "failures"), count(&out, "errors")), (0, 0), "{out}");
    assert!(out.contains("value=\"fail\"/>"), "{out}");
}

#[test]
fn annotations_and_the_summary_are_written_where_github_offers_them() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    place.spoil("openai-native", "quirks = [\"talks-only\"]");
    let summary = place.path("summary.md");
    fs::write(&summary, "before\n").unwrap();
    let github = |args: &[&str]| {
        let mut command = toolprobe(args);
        command.current_dir(place.path("")).env("GITHUB_ACTIONS", "true").env("CI", "true");
        command.env("GITHUB_STEP_SUMMARY", &summary).env("GITHUB_SERVER_URL", "https://github.com");
        command.env("GITHUB_REPOSITORY", "a/b").env("GITHUB_RUN_ID", "7");
        finished(command.output().unwrap())
    };
    let (code, _, err) = github(&LIGHT);
    assert_eq!(code, Some(1), "{err}");
    let errors: Vec<&str> = err.lines().filter(|line| line.starts_with("::error ")).collect();
    assert!(!errors.is_empty() && errors[0].starts_with("::error file=profiles/"), "{err}");
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.starts_with("before\n**gate: failed"), "{text}");
    assert!(text.contains("](https://github.com/a/b/actions/runs/7#artifacts)"), "{text}");
    let (_, _, err) = github(&["gate", "--format", "markdown", "--output", "comment.md"]);
    assert!(!err.contains("::error"), "{err}");
    assert_eq!(fs::read_to_string(&summary).unwrap(), text);
    let plain = toolprobe(&LIGHT).current_dir(place.path("")).output().unwrap();
    assert!(!finished(plain).2.contains("::error"));
}
