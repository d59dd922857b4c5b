//! What all runs share in object storage: the snapshots and the history.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Depot, DepotError, Expected, Object, Put};
use crate::profile::Profile;
use crate::store::files::{self, Durability};
use crate::store::{Manifest, ProfileFolder, RunHistory, StoreError};

/// The object that holds all snapshots, by their file names.
const SNAPSHOTS: &str = "snapshots.json";

/// The files of the history.
const HISTORY: [&str; 2] = ["history.csv", "metrics.csv"];

/// How often others may be in the way before it is given up.
const TRIES: usize = 50;

/// The snapshots as they were fetched: only those may be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchedSnapshots {
    version: Option<String>,
}

impl Depot {
    /// Brings the snapshots into a local folder, in the place of those that are there. Where none are published,
    /// the folder stays as it is.
    pub(crate) async fn fetch_snapshots(
        &self,
        folder: &Path,
    ) -> Result<FetchedSnapshots, DepotError> {
        let Some(Object { bytes, version }) = self.objects.get(SNAPSHOTS).await? else {
            return Ok(FetchedSnapshots { version: None });
        };
        let malformed =
            |problem: String| DepotError::Malformed { key: SNAPSHOTS.to_owned(), problem };
        let published: BTreeMap<String, Profile> =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        let local = ProfileFolder::new(folder);
        let locked = local.lock()?;
        let before = local.read_all()?;
        let profiles: Vec<Profile> = published.values().cloned().collect();
        let gone: Vec<&String> = before
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !published.contains_key(*name))
            .collect();
        locked.replace(&profiles, &gone)?;
        Ok(FetchedSnapshots { version: Some(version) })
    }

    /// Publishes the snapshots of a local folder, unless somebody changed those that were fetched.
    pub(crate) async fn publish_snapshots(
        &self,
        folder: &Path,
        fetched: FetchedSnapshots,
    ) -> Result<(), DepotError> {
        let all: BTreeMap<String, Profile> =
            ProfileFolder::new(folder).read_all()?.into_iter().collect();
        let bytes = serde_json::to_vec_pretty(&all).unwrap_or_default();
        let expected = fetched.version.map_or(Expected::Nothing, Expected::Version);
        match self.objects.put(SNAPSHOTS, bytes, expected).await? {
            Put::Written => Ok(()),
            Put::Refused => Err(DepotError::SnapshotsChanged),
        }
    }

    /// Brings the history into a local folder, in the place of the one that is there.
    pub(crate) async fn fetch_history(&self, reports: &Path) -> Result<(), DepotError> {
        for name in HISTORY {
            if let Some(Object { bytes, .. }) = self.objects.get(name).await? {
                files::write(&reports.join(name), &bytes, Durability::Process)?;
            }
        }
        Ok(())
    }

    /// Adds the rows of a run to the history, whoever else adds some at the same time.
    pub(crate) async fn add_to_history(
        &self,
        manifest: &Manifest,
        profiles: &[&Profile],
    ) -> Result<(), DepotError> {
        for name in HISTORY {
            self.add_rows(name, manifest, profiles).await?;
        }
        Ok(())
    }

    async fn add_rows(
        &self,
        name: &str,
        manifest: &Manifest,
        profiles: &[&Profile],
    ) -> Result<(), DepotError> {
        for _ in 0..TRIES {
            let there = self.objects.get(name).await?;
            let before = there.as_ref().map(|object| object.bytes.as_slice());
            let bytes = with_rows(name, before, manifest, profiles)?;
            let expected = there.map_or(Expected::Nothing, |it| Expected::Version(it.version));
            if self.objects.put(name, bytes, expected).await? == Put::Written {
                return Ok(());
            }
        }
        Err(DepotError::Contended { key: name.to_owned() })
    }
}

/// A file of the history with the rows of a run, in the place of those that it added before.
fn with_rows(
    name: &str,
    before: Option<&[u8]>,
    manifest: &Manifest,
    profiles: &[&Profile],
) -> Result<Vec<u8>, StoreError> {
    let folder = tempfile::tempdir()
        .map_err(StoreError::io("create a folder in", Path::new("the temporary folder")))?;
    let path = folder.path().join(name);
    if let Some(before) = before {
        files::write(&path, before, Durability::Process)?;
    }
    RunHistory::of(folder.path()).add(&manifest.run, manifest.started_at, profiles)?;
    Ok(files::read_text(&path)?.unwrap_or_default().into_bytes())
}
