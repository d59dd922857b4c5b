//! Does probing a simulated model find exactly the profile that its file declares?

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use chrono::DateTime;
use futures_util::{StreamExt, stream};
use serde_json::Value;
use toolprobe::campaign::{RunSettings, probe_target};
use toolprobe::ir::Defect;
use toolprobe::probe::{Suite, SuiteName};
use toolprobe::profile::Profile;
use toolprobe::sim::{Fleet, Options, Sim};
use toolprobe::target::{Defaults, connect, simulated_fleet};
use toolprobe::transport::Budget;

/// How many seeds are tried, from 1 on. `ci/fleet-check` asks for twenty.
fn seeds() -> std::ops::RangeInclusive<u64> {
    1..=std::env::var("FLEET_SEEDS").map_or(1, |seeds| seeds.parse().unwrap())
}

/// Probes the models that are meant with a suite.
async fn probe_all(name: SuiteName, seed: u64, is_meant: fn(&str) -> bool) -> Vec<Profile> {
    let fleet = Fleet::embedded().unwrap();
    let running = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
    let mut targets = simulated_fleet(&fleet, &running.base_url(), &Defaults::default()).unwrap();
    targets.retain(|target| is_meant(&target.name));
    let suite = Suite::embedded().unwrap();
    let verified_at = DateTime::UNIX_EPOCH;
    let settings = RunSettings { suite, name, trials: 3, seed, verified_at };
    let budget = Arc::new(Budget::unlimited());
    let profiles = stream::iter(targets)
        // Tasks of their own, so that both cores are used.
        .map(|target| {
            let (settings, budget) = (settings.clone(), Arc::clone(&budget));
            tokio::spawn(async move {
                let connection = connect(target, &|_| None, &budget).unwrap();
                probe_target(&connection, &settings, &()).await.unwrap().profile
            })
        })
        .buffered(8)
        .map(Result::unwrap)
        .collect()
        .await;
    running.shutdown().await.unwrap();
    profiles
}

/// Where a profile differs from what its model's file declares.
fn differences(profile: &Profile, fleet: &Fleet) -> Vec<String> {
    let declared = &fleet.get(&profile.subject.model).unwrap().profile;
    let found = serde_json::to_value(profile).unwrap();
    let Value::Object(declared) = serde_json::to_value(declared).unwrap() else { panic!() };
    let mut out = undeclared(profile, fleet);
    for (key, expected) in &declared {
        let actual = match key.as_str() {
            // What is declared of plain replies shows only in some calls, such as those without arguments.
            "streamDefects" | "defects" => continue,
            "results" => {
                for (result, status) in expected.as_object().unwrap() {
                    let actual = &found["results"][result]["status"];
                    if actual != status {
                        out.push(format!("{result}: {status} declared, {actual} found"));
                    }
                }
                continue;
            }
            key => &found[key],
        };
        if actual != expected {
            out.push(format!("{key}: {expected} declared, {actual} found"));
        }
    }
    out
}

/// Defects that the file does not declare, and declared ones of streams that did not show.
fn undeclared(profile: &Profile, fleet: &Fleet) -> Vec<String> {
    let declared = &fleet.get(&profile.subject.model).unwrap().profile;
    let plain = profile.results.single_tool.as_ref().unwrap().defects.iter();
    let streaming = profile.results.streaming.as_ref().unwrap();
    let odd = plain.filter(|defect| !declared.defects.contains(defect));
    let known = |defect: &&Defect| {
        declared.defects.contains(defect) || declared.stream_defects.contains(defect)
    };
    let odd = odd.chain(streaming.defects.iter().filter(|defect| !known(defect)));
    let missing = declared.stream_defects.iter().filter(|it| !streaming.defects.contains(it));
    let odd = odd.map(|defect| format!("the defect {defect} is not declared"));
    odd.chain(missing.map(|defect| format!("the defect {defect} did not show"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_simulated_model_has_the_profile_that_its_file_declares() {
    let fleet = Fleet::embedded().unwrap();
    let mut wrong = Vec::new();
    for seed in seeds() {
        for profile in probe_all(SuiteName::Standard, seed, |_| true).await {
            for difference in differences(&profile, &fleet) {
                wrong.push(format!("seed {seed}, {}: {difference}", profile.subject.model));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Which models refuse, ignore and honour a forced call, with thinking left alone, on and off.
const FORCED: [(&str, [&str; 3]); 5] = [
    ("anthropic-thinking-start", ["rejected", "rejected", "accepted-valid"]),
    ("deepseek-v4-thinking", ["rejected", "rejected", "accepted-valid"]),
    ("glm-zai", ["rejected", "rejected", "rejected"]),
    ("ollama-thinking", ["skipped", "skipped", "skipped"]),
    ("openrouter-details", ["accepted-valid", "accepted-valid", "accepted-valid"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn forced_calls_are_judged_with_thinking_on_and_off() {
    let is_meant = |name: &str| FORCED.iter().any(|(model, _)| *model == name);
    let profiles = probe_all(SuiteName::Full, 1, is_meant).await;
    assert_eq!(profiles.len(), FORCED.len());
    for profile in profiles {
        let (model, expected) =
            FORCED.iter().find(|(model, _)| *model == profile.subject.model).unwrap();
        let cases = &profile.results.extended["tool-choice"].cases;
        for choice in ["required", "named"] {
            let found = ["", ", thinking on", ", thinking off"].map(|mode| {
                serde_json::to_value(cases[&format!("{choice}{mode}")].verdict).unwrap()
            });
            assert_eq!(found, *expected, "{model}, {choice}");
        }
        assert!(cases["auto, thinking on"].reason.contains("with reasoning"), "{model}");
        assert!(!cases["auto, thinking off"].reason.contains("with reasoning"), "{model}");
    }
}
