//! Does a gate keep quiet about a flaky model, and speak up when a model falls?
//!
//! Two hundred nights of each, over HTTP against simulated models whose luck is a hash of the
//! request. Takes a minute, so `ci/noise-check` runs it.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells its figures"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use chrono::DateTime;
use futures_util::{StreamExt, stream};
use toolprobe::campaign::{Confirmed, RunSettings, Suspect, confirm, probe_target};
use toolprobe::probe::{Suite, SuiteName};
use toolprobe::profile::{Decision, Profile};
use toolprobe::regress::{Suspicion, TestPlan, diff};
use toolprobe::sim::{Fleet, Options, Running, Sim};
use toolprobe::target::{Connection, Defaults, connect, simulated};
use toolprobe::transport::Budget;

const NIGHTS: u64 = 200;
const SNAPSHOT_TRIALS: u32 = 40;
const NIGHTLY_TRIALS: u32 = 20;

/// A model that makes two calls at once in so many of a hundred conversations.
fn model(success: u8) -> Fleet {
    let dir = tempfile::tempdir().unwrap();
    let well_behaved = include_str!("../fixtures/models/openai-native.toml");
    let luck = 100 - success;
    let quirk =
        format!("quirks = [{{ sometimes = {{ percent = {luck}, quirk = \"one-call\" }} }}]");
    let (head, profile) = well_behaved.split_once("[profile]").unwrap();
    let text = format!("{head}{quirk}\n\n[profile]{profile}");
    fs::write(dir.path().join("flaky.toml"), text).unwrap();
    Fleet::from_dir(dir.path()).unwrap()
}

/// Only the probe in question, and the one that finds out how calls arrive.
fn suite() -> Suite {
    let dir = tempfile::tempdir().unwrap();
    for probe in ["basic-format.toml", "parallel.toml"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("probes").join(probe);
        fs::copy(from, dir.path().join(probe)).unwrap();
    }
    Suite::load(dir.path()).unwrap()
}

fn settings(seed: u64, trials: u32) -> RunSettings {
    let verified_at = DateTime::UNIX_EPOCH;
    RunSettings { suite: suite(), name: SuiteName::Standard, trials, seed, verified_at }
}

async fn serve(fleet: &Fleet) -> (Running, Connection) {
    let running = Sim::start(fleet.clone(), "127.0.0.1:0", Options::default()).await.unwrap();
    let file = fleet.get("flaky").unwrap();
    let target = simulated(file, &running.base_url(), &Defaults::default()).unwrap();
    let connection = connect(target, &|_| None, &Arc::new(Budget::unlimited())).unwrap();
    (running, connection)
}

async fn probed(connection: &Connection, settings: &RunSettings) -> Profile {
    probe_target(connection, settings, &()).await.unwrap().profile
}

/// What a night's gate says: suspected at all, what the samples decide, and how many they were.
async fn night(connection: &Connection, before: &Profile, seed: u64) -> Option<(Decision, u32)> {
    let settings = settings(seed, NIGHTLY_TRIALS);
    let current = &probed(connection, &settings).await;
    let changes = diff(std::slice::from_ref(before), std::slice::from_ref(current)).changes;
    let suspicions: Vec<Suspicion> =
        changes.iter().filter_map(|change| Suspicion::of(change, before, current)).collect();
    if suspicions.is_empty() {
        return None;
    }
    let suspect = Suspect { connection, before: before.clone(), current, suspicions };
    let Confirmed { confirmations, .. } = confirm(&suspect, &settings, TestPlan::default()).await;
    let first = confirmations.first()?;
    Some((first.decision, first.samples.trials))
}

/// How many of the nights fail, after a snapshot of the one rate and at the other.
async fn failing(before: u8, now: u8) -> usize {
    let (running, connection) = serve(&model(before)).await;
    let snapshot = probed(&connection, &settings(1, SNAPSHOT_TRIALS)).await;
    running.shutdown().await.unwrap();
    let (running, connection) = serve(&model(now)).await;
    let nights: Vec<Option<(Decision, u32)>> = stream::iter(1..=NIGHTS)
        .map(|seed| night(&connection, &snapshot, 1000 + seed))
        .buffer_unordered(8)
        .collect()
        .await;
    running.shutdown().await.unwrap();
    let count = |decision| nights.iter().flatten().filter(|(it, _)| *it == decision).count();
    let suspected = nights.iter().flatten().count();
    let samples: u32 = nights.iter().flatten().map(|(_, trials)| trials).sum();
    let parallel = snapshot.results.parallel_tool.unwrap().outcome;
    println!(
        "{before} % to {now} %: snapshot {} of {}; {NIGHTS} nights, {suspected} suspected, \
         {} regressions, {} noise, {} undecided; {:.1} samples for each suspicion",
        parallel.passes,
        parallel.trials,
        count(Decision::Regression),
        count(Decision::Noise),
        count(Decision::Inconclusive),
        f64::from(samples) / f64::from(u32::try_from(suspected.max(1)).unwrap()),
    );
    count(Decision::Regression)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "two hundred nights take a minute; ci/noise-check runs it"]
async fn a_flaky_model_passes_and_a_fallen_one_is_caught() {
    let nights = usize::try_from(NIGHTS).unwrap();
    let (flaky, fallen) = (failing(80, 80).await, failing(95, 60).await);
    assert!(flaky * 100 <= nights * 5, "{flaky} of {nights} gates of a flaky model fail");
    assert!(fallen * 100 >= nights * 95, "{fallen} of {nights} gates of a fallen model fail");
}
