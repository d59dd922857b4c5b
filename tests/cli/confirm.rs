//! `toolprobe run --confirm` and `toolprobe gate --confirm`

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;
use toolprobe::store::ProfileFolder;

use crate::place::{Place, root};
use crate::{Sim, finished, only_run, toolprobe};

/// A place with a model that makes only one of two calls in so many of a hundred conversations, and
/// with the two probes that show it.
fn flaky(percent: u32) -> Place {
    let place = Place::with(&["openai-native"]);
    luck(&place, percent);
    fs::create_dir(place.path("probes")).unwrap();
    for probe in ["basic-format.toml", "parallel.toml"] {
        fs::copy(root().join("probes").join(probe), place.path("probes").join(probe)).unwrap();
    }
    place
}

fn luck(place: &Place, percent: u32) {
    let well_behaved = root().join("fixtures/models/openai-native.toml");
    let text = fs::read_to_string(well_behaved).unwrap();
    let quirk = format!(
        "quirks = [{{ sometimes = {{ percent = {percent}, quirk = \"one-call\" }} }}]\n\n[profile]"
    );
    let path = place.path("models/openai-native.toml");
    fs::write(path, text.replacen("[profile]", &quirk, 1)).unwrap();
}

fn run(place: &Place, code: i32, seed: &str, confirm: &str) -> String {
    place.exits(
        code,
        &[
            "run",
            "--models",
            "models",
            "--probes",
            "probes",
            "--trials",
            "20",
            "--seed",
            seed,
            "--confirm",
            confirm,
        ],
    )
}

#[test]
fn a_rate_that_fell_within_one_verdict_is_sampled_again_and_confirmed() {
    let place = flaky(20);
    run(&place, 0, "1", "on");
    place.exits(0, &["accept"]);
    assert!(run(&place, 0, "2", "on").contains("gate: no change; 1 target compared"));

    luck(&place, 75);
    let said = run(&place, 0, "3", "on");
    let line = said.lines().find(|line| line.contains("pass-rate-fell")).unwrap_or(&said);
    assert!(line.starts_with("warn: openai-native: pass-rate-fell: "), "{said}");
    assert!(line.contains("results.parallelTool.passes ") && line.contains(" of 20 → "), "{line}");
    assert!(said.contains("; confirmed: sampled again, "), "{said}");
}

#[test]
fn a_signal_while_sampling_again_stops_the_run_which_can_go_on_later() {
    let place = flaky(0);
    let sim = Sim::of_folder(&place.path("models"));
    let config = |sim: &Sim, limit: &str| {
        let target = "[[targets]]\nname = 'm'\nmodel = 'openai-native'\ndialect = 'openai-chat'";
        let text = format!("{target}\nbase_url = '{}/v1'\n{limit}", sim.url);
        fs::write(place.path("toolprobe.toml"), text).unwrap();
    };
    config(&sim, "");
    let asked = ["run", "--probes", "probes", "--trials", "4"];
    place.exits(0, &asked);
    place.exits(0, &["accept"]);
    let first = only_run(&place.path("reports")).join("manifest.json");
    let first: Value = serde_json::from_slice(&fs::read(first).unwrap()).unwrap();
    drop(sim);

    luck(&place, 100);
    let sim = Sim::of_folder(&place.path("models"));
    // All of a minute's requests are used up before anything is sampled again.
    let limit = format!("limits = {{ requests_per_minute = {} }}", first["totals"]["requests"]);
    config(&sim, &limit);
    let mut child = toolprobe(&asked)
        .current_dir(place.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().contains("may have changed: sampling again")));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let (code, out, err) = finished(child.wait_with_output().unwrap());
    assert_ne!(code, Some(0), "{out}{err}");
    assert!(err.contains("the run is incomplete: it was interrupted"), "{out}{err}");

    config(&sim, "");
    let said = place.exits(1, &["run", "--resume", "--probes", "probes"]);
    assert!(said.contains("; confirmed: sampled again, "), "{said}");
}

/// The first seed, from this one on, whose luck gives this verdict on two calls at once.
fn seed_that(place: &Place, from: u32, both: bool) -> String {
    let mut seeds = (from..from + 60).map(|seed| seed.to_string());
    seeds
        .find(|seed| {
            let dir = format!("luck-{seed}");
            let args = ["run", "--models", "models", "--probes", "probes", "--trials", "20"];
            let more = ["--seed", seed, "--profiles", "none", "--reports", &dir];
            place.exits(3, &[&args[..], &more].concat());
            let profiles = only_run(&place.path(&dir)).join("profiles");
            let profiles = ProfileFolder::new(profiles).read_all().unwrap();
            profiles[0].1.capabilities.supports_parallel_tool_use == Some(both)
        })
        .expect("some luck of sixty")
}

#[test]
fn a_bad_night_is_noise_where_samples_say_so_and_fails_where_they_do_not_count() {
    let place = flaky(14);
    run(&place, 0, &seed_that(&place, 1, true), "on");
    place.exits(0, &["accept"]);
    let bad = seed_that(&place, 1, false);
    let said = run(&place, 0, &bad, "on");
    assert!(said.contains("allow: openai-native: parallel-lost: "), "{said}");
    assert!(said.contains("decided by: noise: sampled again, "), "{said}");
    assert!(place.exits(0, &["gate"]).contains("decided by: noise: sampled again, "));
    let said = place.exits(1, &["gate", "--confirm", "off"]);
    assert!(said.contains("deny: openai-native: parallel-lost: "), "{said}");
    assert!(!said.contains("sampled again"), "{said}");
    let said = run(&place, 1, &bad, "off");
    assert!(said.contains("deny: openai-native: parallel-lost: "), "{said}");
    assert!(!said.contains("sampling again"), "{said}");
}
