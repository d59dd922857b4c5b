//! Small accidents that must not turn the gate green

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::json;

use crate::place::{LIGHT, Place, edit, root};
use crate::{Sim, toolprobe};

/// The run of one model by the standard suite, once.
const STANDARD: [&str; 5] = ["run", "--models", "models", "--trials", "1"];

/// A place whose one model was accepted as it is.
fn accepted(model: &str) -> Place {
    let place = Place::with(&[model]);
    place.exits(0, &STANDARD);
    place.exits(0, &["accept"]);
    place
}

/// Configures these targets, each a name and a base URL with the model `openai-native`.
fn configure(place: &Place, targets: &[(&str, &str)]) {
    let target = |(name, url): &(&str, &str)| {
        format!("[[targets]]\nname = '{name}'\nbase_url = '{url}'\nmodel = 'openai-native'\n")
    };
    fs::write(place.path("toolprobe.toml"), targets.iter().map(target).collect::<String>())
        .unwrap();
}

const CONFIGURED: [&str; 3] = ["run", "--suite", "light"];

#[test]
fn one_byte_of_template_does_not_excuse_lost_calls() {
    let place = accepted("openai-native");
    for snapshot in place.snapshots() {
        edit(&snapshot, |profile| profile["chatTemplateHash"] = json!("sha256:another"));
    }
    let said = place.exits(0, &STANDARD);
    assert!(said.contains("gate: passed, 1 allowed; 1 target compared"), "{said}");
    place.spoil("openai-native", "quirks = [\"one-call\"]");
    let said = place.exits(1, &STANDARD);
    let lines: Vec<&str> = said.lines().filter(|line| line.contains(": openai-native: ")).collect();
    assert!(lines[0].starts_with("allow: openai-native: subject-changed: "), "{said}");
    assert!(lines[1].starts_with("deny: openai-native: parallel-lost: "), "{said}");
    assert!(said.contains("    likely cause: chat template changed\n"), "{said}");
}

#[test]
fn an_address_that_is_spelled_otherwise_is_the_same_endpoint() {
    let (place, sim) = (Place::with(&[]), Sim::start());
    configure(&place, &[("house", &sim.url)]);
    place.exits(0, &CONFIGURED);
    place.exits(0, &["accept"]);
    let port = sim.url.rsplit(':').next().unwrap().to_owned();
    for url in [
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{port}/v1/"),
        format!("http://LOCALHOST:{port}/v1/chat/completions"),
    ] {
        configure(&place, &[("house", &url)]);
        let said = place.exits(0, &CONFIGURED);
        assert!(said.contains("gate: no change; 1 target compared"), "{url}: {said}");
    }
}

#[test]
fn two_servers_with_one_model_are_told_apart_by_their_names() {
    let place = Place::with(&[]);
    let (one, two) = (Sim::start(), Sim::start());
    configure(&place, &[("one", &one.url), ("two", &two.url)]);
    place.exits(0, &CONFIGURED);
    place.exits(0, &["accept"]);
    assert_eq!(place.snapshots().len(), 2);
    let of_two = |path: &std::path::PathBuf| path.display().to_string().contains("two-");
    let snapshot = place.snapshots().into_iter().find(of_two).unwrap();
    edit(&snapshot, |profile| profile["toolCallFormat"] = json!("xml"));
    edit(&snapshot, |profile| profile["results"]["closedLoop"]["status"] = json!("fail"));
    let said = place.exits(0, &["gate"]);
    assert!(said.contains("two: call-format-regained: "), "{said}");
    assert!(!said.contains(": one: "), "{said}");
    assert!(said.contains(" --target 'two'"), "{said}");
    let said = place.exits(0, &["accept", "--target", "two"]);
    assert!(said.starts_with("accepted 1 target of run "), "{said}");
    assert!(place.exits(0, &["gate"]).starts_with("gate: no change; 2 targets compared"));
}

#[test]
fn servers_without_a_name_are_called_after_their_hosts() {
    let place = Place::with(&[]);
    let (one, two) = (Sim::start(), Sim::start());
    let text = [&one.url, &two.url]
        .map(|url| format!("[[targets]]\nbase_url = '{url}'\nmodel = 'openai-native'\n"));
    fs::write(place.path("toolprobe.toml"), text.concat()).unwrap();
    let said = place.exits(0, &["status"]);
    for url in [&one.url, &two.url] {
        let name = format!("{}/openai-native", url.trim_start_matches("http://"));
        assert!(said.contains(&name), "{said}");
    }
}

#[test]
fn a_renamed_target_and_a_snapshot_without_a_name_are_compared() {
    let place = accepted("openai-native");
    let snapshot = place.snapshots().remove(0);
    edit(&snapshot, |profile| drop(profile.as_object_mut().unwrap().remove("name")));
    fs::rename(&snapshot, place.path("profiles/sim-openai-native-0123456789ab.json")).unwrap();
    assert!(place.exits(0, &["gate"]).starts_with("gate: no change; 1 target compared"));
    let said = place.exits(0, &["accept"]);
    let removed = "removed profiles/sim-openai-native-0123456789ab.json: its place is taken";
    assert!(said.contains(removed), "{said}");
    let snapshot = place.snapshots().remove(0);
    edit(&snapshot, |profile| profile["name"] = json!("called-otherwise"));
    place.spoil("openai-native", "quirks = [\"one-call\"]");
    let said = place.exits(1, &STANDARD);
    assert!(said.contains("deny: openai-native: parallel-lost: "), "{said}");
    assert!(said.contains("likely cause: name changed"), "{said}");
}

/// The built-in probes in a folder of the place's own.
fn own_probes(place: &Place) {
    fs::create_dir(place.path("probes")).unwrap();
    let files = fs::read_dir(root().join("probes")).unwrap().map(|file| file.unwrap().path());
    for path in files.filter(|path| path.is_file()) {
        fs::copy(&path, place.path("probes").join(path.file_name().unwrap())).unwrap();
    }
}

#[test]
fn a_changed_suite_does_not_switch_the_gate_off() {
    let place = accepted("openai-native");
    own_probes(&place);
    let file = place.path("probes/parallel.toml");
    let text = fs::read_to_string(&file).unwrap();
    let run = |code| place.exits(code, &[&STANDARD[..], &["--probes", "probes"]].concat());

    fs::write(&file, format!("# a comment\n{text}")).unwrap();
    assert!(run(0).contains("gate: no change; 1 target compared"));
    place.spoil("openai-native", "quirks = [\"one-call\"]");
    assert!(run(1).contains("deny: openai-native: parallel-lost: "));

    let other = text.replacen("then = \"", "then = \"Take your time. ", 1);
    assert_ne!(other, text);
    fs::write(&file, other).unwrap();
    let said = run(1);
    assert!(said.contains("warn: openai-native: suite-changed: probes "), "{said}");
    assert!(said.contains("deny: openai-native: parallel-lost: "), "{said}");
    assert!(said.contains("    its probe asked something else before\n"), "{said}");

    fs::remove_file(&file).unwrap();
    let said = run(3);
    let line = "inconclusive: openai-native: result-incomparable: results.parallelTool pass → ";
    assert!(said.contains(line), "{said}");
}

#[test]
fn a_smaller_suite_that_was_asked_for_leaves_the_rest_as_it_is() {
    let place = accepted("openai-native");
    let said = place.exits(0, &LIGHT);
    assert!(said.contains("warn: openai-native: result-missing: results.schema pass → none"));
    let said = place.exits(0, &["accept", "--all"]);
    assert!(said.contains("kept 6 results that this run did not ask for; --code"), "{said}");
    place.spoil("openai-native", "quirks = [\"one-call\"]");
    assert!(place.exits(1, &STANDARD).contains("deny: openai-native: parallel-lost: "));
}

#[test]
fn a_target_that_is_no_longer_configured_is_missing_whatever_else_is_probed() {
    let (one, other, place) = (Sim::start(), Sim::start(), Place::with(&[]));
    let target = |name: &str, sim: &Sim, model: &str| {
        format!("[[targets]]\nname = '{name}'\nbase_url = '{}'\nmodel = '{model}'\n", sim.url)
    };
    let both = [target("one", &one, "openai-native"), target("other", &other, "one-call")];
    fs::write(place.path("toolprobe.toml"), both.concat()).unwrap();
    place.exits(0, &CONFIGURED);
    place.exits(0, &["accept"]);
    let named = [&CONFIGURED[..], &["one"]].concat();
    assert!(place.exits(0, &named).contains("not probed, though there is a snapshot: other"));
    fs::write(place.path("toolprobe.toml"), &both[0]).unwrap();
    assert!(place.exits(1, &CONFIGURED).contains("deny: other: target-missing: "));
}

#[test]
fn a_run_that_is_to_be_compared_and_finds_no_snapshot_is_inconclusive() {
    let place = Place::with(&["openai-native"]);
    place.exits(0, &LIGHT);
    fs::write(place.path("toolprobe-policy.toml"), "").unwrap();
    assert!(place.exits(3, &LIGHT).contains("nothing was compared: no snapshots in profiles; "));
    fs::remove_file(place.path("toolprobe-policy.toml")).unwrap();
    let said = place.exits(3, &[&LIGHT[..], &["--quiet", "--profiles", "profilse"]].concat());
    assert!(said.contains("nothing was compared: no snapshots in profilse; "), "{said}");
    fs::create_dir(place.path("profiles")).unwrap();
    assert!(place.exits(3, &LIGHT).contains("nothing was compared: no snapshots in profiles; "));
}

#[test]
fn a_policy_that_is_there_and_cannot_be_read_is_never_passed_over() {
    let place = accepted("openai-native");
    fs::create_dir(place.path("toolprobe-policy.toml")).unwrap();
    assert!(place.exits(2, &["gate"]).contains("cannot read toolprobe-policy.toml"));
}

#[test]
fn a_chat_template_that_cannot_be_read_is_told_before_anything_is_asked() {
    let place = Place::with(&[]);
    configure(&place, &[("mine", "http://127.0.0.1:9")]);
    let config = fs::read_to_string(place.path("toolprobe.toml")).unwrap();
    fs::write(place.path("toolprobe.toml"), config + "chat_template = 'gone.jinja'\n").unwrap();
    let said = place.exits(2, &CONFIGURED);
    assert!(said.contains("target 'mine': ") && said.contains("gone.jinja"), "{said}");
}

#[test]
fn a_run_that_is_not_complete_is_neither_accepted_nor_passed_over_in_silence() {
    let place = accepted("openai-native");
    let cut = [&STANDARD[..], &["--max-requests", "20"]].concat();
    let said = place.exits(3, &cut);
    assert!(said.contains("inconclusive: ") && !said.contains("accept it: "), "{said}");
    let said = place.exits(0, &["accept"]);
    assert!(said.contains(" is not complete; this is about run "), "{said}");
}

#[test]
fn a_reader_that_goes_away_does_not_change_the_verdict() {
    let place = accepted("openai-native");
    place.spoil("openai-native", "quirks = [\"one-call\"]");
    place.exits(1, &STANDARD);
    for command in [&["gate"][..], &["gate", "--format", "json"], &STANDARD] {
        let mut command = toolprobe(command);
        command.current_dir(place.path("")).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(1), "{command:?}");
    }
    let mut command = toolprobe(&["gate"]);
    let mut child = command.current_dir(place.path("")).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("gate: failed, "), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_gate_that_compared_nothing_is_inconclusive_and_names_what_was_not_probed() {
    let place = accepted("openai-native");
    let snapshot = place.snapshots().remove(0);
    edit(&snapshot, |profile| {
        profile["name"] = json!("production");
        profile["provider"] = json!("acme");
    });
    place.exits(3, &[&LIGHT[..], &["openai-native"]].concat());
    let said = place.exits(3, &["gate"]);
    assert!(said.starts_with("gate: inconclusive, 1 warned of; 0 targets compared"), "{said}");
    assert!(said.contains("nothing was compared: no target of the run has a snapshot"), "{said}");
    assert!(said.contains("not probed, though there is a snapshot: production"), "{said}");
}

#[test]
fn a_pattern_that_is_about_no_target_is_told() {
    let place = accepted("openai-native");
    let policy = |target: &str| {
        let text = format!("[[rule]]\ntarget = '{target}'\nlevel = 'allow'\n");
        fs::write(place.path("toolprobe-policy.toml"), text).unwrap();
    };
    policy("sim/openai-*");
    let said = place.exits(0, &["gate"]);
    assert!(said.contains("rule (target = sim/openai-*) is about no target"), "{said}");
    policy("openai-*");
    assert!(!place.exits(0, &["gate"]).contains("is about no target"));
}

#[test]
fn simulated_models_are_never_probed_in_silence() {
    let place = Place::with(&[]);
    let (_, out, err) = place.does(&["run", "openai-native", "--suite", "light"]);
    let (first, last) = (err.lines().next().unwrap(), err.lines().last().unwrap());
    for line in [first, last] {
        assert!(line.contains("simulated models, and none of yours"), "{err}");
    }
    assert!(!out.contains("none of yours"), "{out}");

    fs::write(place.path("toolprobe.toml"), "[defaults]\ntrials = 1\n").unwrap();
    for command in [&["run"][..], &["status"], &["doctor"]] {
        let said = place.exits(2, command);
        assert!(said.contains("toolprobe.toml has no [[targets]]: name what"), "{said}");
    }
    fs::remove_file(place.path("toolprobe.toml")).unwrap();
    fs::create_dir(place.path("toolprobe.toml")).unwrap();
    assert!(place.exits(2, &["run"]).contains("cannot read toolprobe.toml"));
    assert!(place.exits(2, &["run", "--config", "gone.toml"]).contains("cannot read gone.toml"));
}
