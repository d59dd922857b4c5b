//! Merging runs: the shards of one run, asked on several machines, become one run again.
//!
//! The merged run appears with its manifest, which is written last: a merge that is killed leaves no run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::files::list;
use super::{Completion, Manifest, RunFolder, Shard, StoreError, Totals, merge_metrics};
use crate::ir::{Digest, ToolSpec};

/// Why runs cannot be merged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MergeError {
    /// Their files cannot be read, or the new ones not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing was named.
    #[error("name the folders of at least two runs")]
    TooFew,
    /// One of them has not come to its end.
    #[error("run {run} is not over; `toolprobe run --resume` goes on with it")]
    Running {
        /// The run.
        run: String,
    },
    /// One of them is not of targets.
    #[error("run {run} is of an adapter or of a single endpoint, which cannot be merged")]
    NotOfTargets {
        /// The run.
        run: String,
    },
    /// They were asked otherwise.
    #[error("runs {one} and {other} cannot be merged: they differ in {what} ({here} and {there})")]
    Differ {
        /// The first run.
        one: String,
        /// The other run.
        other: String,
        /// In what they differ.
        what: &'static str,
        /// The first run's.
        here: String,
        /// The other run's.
        there: String,
    },
    /// Two of them asked the same target.
    #[error("target '{target}' is in run {one} and in run {other}; leave one of them out")]
    Conflict {
        /// The target.
        target: String,
        /// The first run.
        one: String,
        /// The other run.
        other: String,
    },
    /// A shard is not there.
    #[error("shard {missing} is missing; name its run as well, or merge with --partial")]
    Missing {
        /// The shard.
        missing: Shard,
    },
}

/// Whether all shards must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completeness {
    /// They must.
    Whole,
    /// Some may be missing: nothing is said of their targets.
    Partial,
}

/// Joins runs into a new one below `reports`.
pub(crate) fn merge_runs(
    runs: &[RunFolder],
    reports: &Path,
    completeness: Completeness,
) -> Result<(RunFolder, Manifest), MergeError> {
    let manifests = runs.iter().map(RunFolder::manifest).collect::<Result<Vec<_>, _>>()?;
    let [first, _, ..] = manifests.as_slice() else { return Err(MergeError::TooFew) };
    for manifest in &manifests {
        check_mergeable(manifest)?;
        check_alike(first, manifest)?;
    }
    check_conflicts(&manifests)?;
    let missing = missing_shard(&manifests);
    if let (Some(missing), Completeness::Whole) = (missing, completeness) {
        return Err(MergeError::Missing { missing });
    }
    let begin = manifests.iter().map(|it| it.started_at).min().unwrap_or(first.started_at);
    let folder = RunFolder::create(reports, begin)?;
    for run in runs {
        copy_files(run.path(), folder.path())?;
    }
    let mut merged = join(first, &manifests);
    merged.run = folder.id().clone();
    merged.started_at = begin;
    merged.shard = first.shard.filter(|_| missing.is_some());
    merged.shared_targets = first.shared_targets.clone().filter(|_| missing.is_some());
    merged.metrics =
        merge_metrics(folder.profiles().read_all()?.iter().map(|(_, profile)| profile));
    folder.write_manifest(&merged)?;
    Ok((folder, merged))
}

fn check_mergeable(manifest: &Manifest) -> Result<(), MergeError> {
    let run = manifest.run.to_string();
    if !manifest.is_of_targets() {
        return Err(MergeError::NotOfTargets { run });
    }
    match manifest.completion {
        Completion::Running => Err(MergeError::Running { run }),
        Completion::Complete | Completion::Incomplete { .. } => Ok(()),
    }
}

/// Results of runs that were asked otherwise do not belong together.
fn check_alike(first: &Manifest, other: &Manifest) -> Result<(), MergeError> {
    let parts = |it: &Manifest| {
        let shards = it.shard.map(Shard::of);
        [
            ("toolprobe's version", it.toolprobe_version.clone()),
            ("the suite", it.suite.clone()),
            ("the probes", it.probe_version.clone()),
            ("the seed", it.seed.to_string()),
            ("the trials", it.trials.to_string()),
            ("how they were asked", format!("{:?}", it.manner)),
            ("the user's tools", fingerprint(&it.tools)),
            ("looking on only", it.shadow.to_string()),
            ("the number of shards", shards.map_or("none".to_owned(), |of| of.to_string())),
            (
                "the targets that were shared",
                it.shared_targets.as_ref().map_or("unknown".to_owned(), short),
            ),
        ]
    };
    let differ = |((what, here), (_, there)): ((&'static str, String), (_, String))| {
        let (one, other) = (first.run.to_string(), other.run.to_string());
        (here != there).then_some(MergeError::Differ { one, other, what, here, there })
    };
    parts(first).into_iter().zip(parts(other)).find_map(differ).map_or(Ok(()), Err)
}

/// Short, and different for different tools.
fn fingerprint(tools: &[ToolSpec]) -> String {
    let digest = Digest::of(serde_json::to_vec(tools).unwrap_or_default());
    format!("{} with {}", tools.len(), short(&digest))
}

fn short(digest: &Digest) -> String {
    format!("digest {}", digest.hex().get(..8).unwrap_or_default())
}

fn check_conflicts(manifests: &[Manifest]) -> Result<(), MergeError> {
    let mut asked_by: BTreeMap<&str, &Manifest> = BTreeMap::new();
    for manifest in manifests {
        for target in &manifest.targets {
            if let Some(one) = asked_by.insert(&target.name, manifest) {
                let (one, other) = (one.run.to_string(), manifest.run.to_string());
                return Err(MergeError::Conflict { target: target.name.clone(), one, other });
            }
        }
    }
    Ok(())
}

/// The first shard that none of the runs is.
fn missing_shard(manifests: &[Manifest]) -> Option<Shard> {
    let mut siblings = manifests.first()?.shard?.siblings();
    siblings.find(|shard| manifests.iter().all(|manifest| manifest.shard != Some(*shard)))
}

/// The manifest of all runs together.
fn join(first: &Manifest, manifests: &[Manifest]) -> Manifest {
    let mut merged = first.clone();
    merged.targets = manifests.iter().flat_map(|it| it.targets.clone()).collect();
    merged.targets.sort_by(|a, b| a.name.cmp(&b.name));
    merged.confirmations = manifests.iter().flat_map(|it| it.confirmations.clone()).collect();
    merged.finished_at = manifests.iter().filter_map(|it| it.finished_at).max();
    let totals = manifests.iter().map(|it| it.totals);
    merged.totals = totals.clone().fold(Totals::default(), Totals::plus);
    // They ran at the same time.
    merged.totals.wall_ms = totals.map(|it| it.wall_ms).max().unwrap_or_default();
    merged.cost = manifests.iter().filter_map(|it| it.cost).reduce(|sum, cost| sum + cost);
    let incomplete = manifests.iter().find(|it| it.completion != Completion::Complete);
    if let Some(incomplete) = incomplete {
        merged.completion = incomplete.completion.clone();
    }
    merged
}

/// Copies the profiles, journals and turns of a run. Their names come from targets, so no two runs
/// without a common target share one.
fn copy_files(from: &Path, to: &Path) -> Result<(), StoreError> {
    for folder in ["profiles", "evidence", "telemetry"] {
        let (source, copy) = (from.join(folder), to.join(folder));
        fs::create_dir_all(&copy).map_err(StoreError::io("create the folder", &copy))?;
        for name in list(&source)? {
            let path = source.join(&name);
            fs::copy(&path, copy.join(&name)).map_err(StoreError::io("copy", &path))?;
        }
    }
    Ok(())
}
