//! Publishing, fetching, and writers that are in the way of each other.

use std::fs;
use std::path::Path;

use super::testing::InMemory;
use super::{DepotAddress, DepotError};
use crate::profile::testing::{at, profile};
use crate::store::{Completion, Manifest, ProfileFolder, RunFolder, RunHistory};

/// A run of this time of one target, with a file of evidence.
fn run(reports: &Path, time: &str, completion: Completion) -> RunFolder {
    let run = RunFolder::create(reports, at(time)).unwrap();
    run.profiles().write(&profile()).unwrap();
    fs::create_dir(run.path().join("evidence")).unwrap();
    fs::write(run.path().join("evidence/acme.jsonl"), time).unwrap();
    run.write_manifest(&manifest(&run, completion)).unwrap();
    run
}

fn manifest(run: &RunFolder, completion: Completion) -> Manifest {
    let json = serde_json::json!({
        "manifestVersion": 1, "run": run.id(), "startedAt": "2026-11-15T08:30:00Z", "finishedAt": null,
        "toolprobeVersion": "0.1.0", "probeVersion": "v", "suite": "standard", "seed": 1, "trials": 3,
        "completion": {"state": "complete"}, "totals": {"requests": 1, "promptTokens": 0, "completionTokens": 0},
        "targets": [],
    });
    Manifest { completion, ..serde_json::from_value(json).unwrap() }
}

const TIME: &str = "2026-11-15T08:30:00Z";

#[tokio::test]
async fn a_run_is_fetched_as_it_was_published() {
    let (here, there, objects) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), InMemory::default());
    let published = run(here.path(), TIME, Completion::Complete);
    let id = objects.depot().publish_run(&published).await.unwrap();
    assert_eq!(objects.depot().list_runs().await.unwrap(), std::slice::from_ref(&id));
    let fetched = objects.depot().fetch_run(&id, there.path()).await.unwrap();
    assert_eq!(fetched.manifest().unwrap(), published.manifest().unwrap());
    assert_eq!(fetched.profiles().read_all().unwrap(), published.profiles().read_all().unwrap());
    assert_eq!(fs::read_to_string(fetched.path().join("evidence/acme.jsonl")).unwrap(), TIME);
}

#[tokio::test]
async fn two_runs_of_the_same_second_are_both_kept_and_publishing_again_adds_nothing() {
    let (one, two, objects) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), InMemory::default());
    let first = run(one.path(), TIME, Completion::Complete);
    let second = run(two.path(), TIME, Completion::Incomplete { because: "b".to_owned() });
    let depots = [objects.depot(), objects.depot()];
    let (a, b) = tokio::join!(depots[0].publish_run(&first), depots[1].publish_run(&second));
    let mut ids = [a.unwrap(), b.unwrap()];
    ids.sort();
    assert_eq!(objects.depot().list_runs().await.unwrap(), ids);
    assert_eq!(ids.map(|id| id.to_string()), ["20261115T083000Z", "20261115T083000Z-002"]);
    let before = objects.objects();
    objects.depot().publish_run(&first).await.unwrap();
    assert_eq!(objects.objects(), before);
}

#[tokio::test]
async fn a_run_that_was_published_in_part_is_not_there_and_can_be_published_to_its_end() {
    let (here, objects) = (tempfile::tempdir().unwrap(), InMemory::default());
    let run = run(here.path(), TIME, Completion::Complete);
    let id = objects.depot().publish_run(&run).await.unwrap();
    let whole = objects.objects();
    objects.remove(&format!("runs/{id}/manifest.json"));
    objects.remove(&format!("runs/{id}/evidence/acme.jsonl"));
    assert_eq!(objects.depot().list_runs().await.unwrap(), []);
    let other = tempfile::tempdir().unwrap();
    let missing = objects.depot().fetch_run(&id, other.path()).await.unwrap_err();
    assert_eq!(missing.to_string(), format!("no run {id} in object storage"));
    assert_eq!(objects.depot().publish_run(&run).await.unwrap(), id);
    assert!(objects.objects().keys().eq(whole.keys()));
}

#[tokio::test]
async fn nothing_is_written_outside_the_folder_of_a_run() {
    let (here, there, objects) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), InMemory::default());
    let id =
        objects.depot().publish_run(&run(here.path(), TIME, Completion::Complete)).await.unwrap();
    for name in ["../../x", "profiles/../x", "a/b/c", ".lock"] {
        let key = format!("runs/{id}/{name}");
        objects.insert(&key, b"x");
        let refused = objects.depot().fetch_run(&id, there.path()).await.unwrap_err();
        assert!(matches!(refused, DepotError::Malformed { .. }), "{name}");
        objects.remove(&key);
    }
}

#[tokio::test]
async fn of_many_writers_none_loses_the_rows_of_another() {
    let (here, objects) = (tempfile::tempdir().unwrap(), InMemory::default());
    let probed = {
        let mut profile = profile();
        profile.results.single_tool =
            Some(crate::profile::testing::single_tool(crate::ir::Layer::Structured));
        profile
    };
    let runs: Vec<Manifest> = (0..8)
        .map(|nth| run(here.path(), &format!("2026-11-15T08:30:0{nth}Z"), Completion::Complete))
        .map(|run| run.manifest().unwrap())
        .collect();
    let added = runs.iter().map(|manifest| {
        let (depot, probed) = (objects.depot(), &probed);
        async move { depot.add_to_history(manifest, &[probed]).await }
    });
    for added in futures_util::future::join_all(added).await {
        added.unwrap();
    }
    let there = tempfile::tempdir().unwrap();
    objects.depot().fetch_history(there.path()).await.unwrap();
    let mut rows: Vec<String> = RunHistory::of(there.path())
        .results()
        .unwrap()
        .rows
        .iter()
        .map(|row| row.run.to_string())
        .collect();
    rows.sort();
    assert_eq!(rows, runs.iter().map(|it| it.run.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn snapshots_that_somebody_changed_meanwhile_are_not_replaced() {
    let objects = InMemory::default();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut fetched = Vec::new();
    for folder in &folders {
        ProfileFolder::new(folder.path()).write(&profile()).unwrap();
        fetched.push(objects.depot().fetch_snapshots(folder.path()).await.unwrap());
    }
    let [first, second] = [fetched.remove(0), fetched.remove(0)];
    objects.depot().publish_snapshots(folders[0].path(), first).await.unwrap();
    let refused = objects.depot().publish_snapshots(folders[1].path(), second).await.unwrap_err();
    assert!(matches!(refused, DepotError::SnapshotsChanged));
    let again = objects.depot().fetch_snapshots(folders[1].path()).await.unwrap();
    objects.depot().publish_snapshots(folders[1].path(), again).await.unwrap();
}

#[tokio::test]
async fn fetched_snapshots_take_the_place_of_those_that_are_there() {
    let (objects, here, there) =
        (InMemory::default(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    ProfileFolder::new(here.path()).write(&profile()).unwrap();
    let fetched = objects.depot().fetch_snapshots(here.path()).await.unwrap();
    objects.depot().publish_snapshots(here.path(), fetched).await.unwrap();
    let mut gone = profile();
    gone.name = Some("gone".to_owned());
    ProfileFolder::new(there.path()).write(&gone).unwrap();
    objects.depot().fetch_snapshots(there.path()).await.unwrap();
    let names: Vec<String> = ProfileFolder::new(there.path())
        .read_all()
        .unwrap()
        .into_iter()
        .map(|(_, it)| it.name())
        .collect();
    assert_eq!(names, ["acme/big"]);
}

#[test]
fn an_address_is_a_bucket_and_a_prefix() {
    let parsed = |text: &str| text.parse::<DepotAddress>().map(|it| (it.bucket, it.prefix));
    assert_eq!(parsed("s3://b/a/c/").unwrap(), ("b".to_owned(), "a/c".to_owned()));
    assert_eq!(parsed("s3://b").unwrap(), ("b".to_owned(), String::new()));
    for text in
        ["", "b/c", "s3://", "s3:///a", "https://b/a", "s3://b c/a", "s3://u:p@b/a", "s3://b/a?x=1"]
    {
        let shown = parsed(text).unwrap_err().to_string();
        assert!(shown.ends_with("such as s3://bucket/prefix"), "{text}: {shown}");
    }
}
