//! The shell parts of the CI kit, on simulated models

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::place::{LIGHT, Place, root};
use crate::{Sim, finished};

/// A script of the kit in a folder, with toolprobe on its path.
fn script(name: &str, folder: &Path) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_toolprobe")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.arg(root().join("ci").join(name)).env_clear().env("PATH", path);
    command.current_dir(folder);
    command
}

#[test]
fn the_action_runs_gates_and_writes_what_the_steps_after_it_need() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    place.exits(0, &["accept"]);
    let outputs = place.path("outputs");
    let probe = || {
        let mut command = script("github/probe.sh", &place.path(""));
        command.env("GITHUB_OUTPUT", &outputs).env("GITHUB_ACTIONS", "true").env("CI", "true");
        command.env("GITHUB_STEP_SUMMARY", place.path("summary.md"));
        command.env("TOOLPROBE_ARGUMENTS", "--models models --suite light");
        let (code, _, err) = finished(command.output().unwrap());
        assert_eq!(code, Some(0), "{err}");
        fs::read_to_string(&outputs).unwrap().lines().last().unwrap().to_owned()
    };
    assert_eq!(probe(), "exit-code=0");
    place.spoil("openai-native", "quirks = [\"talks-only\"]");
    assert_eq!(probe(), "exit-code=1");
    for (file, words) in [
        ("toolprobe-report.html", "gate: failed"),
        ("toolprobe-junit.xml", "<failure "),
        ("toolprobe-comment.md", "**gate: failed"),
        ("toolprobe.sarif", "\"level\": \"error\""),
        ("toolprobe-code-quality.json", "\"check_name\""),
        ("summary.md", "**gate: failed"),
    ] {
        let text = fs::read_to_string(place.path(file)).unwrap();
        assert!(text.contains(words), "{file}: {text}");
    }
}

#[test]
fn a_mistake_in_the_configuration_is_the_exit_code_of_the_action() {
    let place = Place::with(&[]);
    let mut command = script("github/probe.sh", &place.path(""));
    command.env("GITHUB_OUTPUT", place.path("outputs"));
    command.env("TOOLPROBE_ARGUMENTS", "--config nowhere.toml");
    assert_eq!(finished(command.output().unwrap()).0, Some(0));
    assert_eq!(fs::read_to_string(place.path("outputs")).unwrap(), "exit-code=2\n");
}

#[test]
fn the_cron_script_is_silent_until_something_changes() {
    let (sim, place) = (Sim::start(), Place::with(&[]));
    let config = |model: &str| {
        format!(
            "[[targets]]\nname = \"mine\"\nbase_url = \"{}/v1\"\ndialect = \"openai-chat\"\n\
             model = \"{model}\"\n[defaults]\nsuite = \"light\"\n",
            sim.url
        )
    };
    let set = |model: &str| fs::write(place.path("toolprobe.toml"), config(model)).unwrap();
    let night = || finished(script("nightly.sh", &place.path("")).output().unwrap());
    set("openai-native");
    assert_eq!(night(), (Some(0), String::new(), String::new()));
    place.exits(0, &["accept"]);
    assert_eq!(night(), (Some(0), String::new(), String::new()));
    assert!(place.path("reports/latest.html").is_file());
    set("talks-only");
    let (code, out, _) = night();
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("gate: failed") && out.ends_with("toolprobe exits with 1\n"), "{out}");
}
