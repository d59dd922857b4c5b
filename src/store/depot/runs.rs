//! Runs in object storage: published when they are over, fetched when they are named.

use std::fs;
use std::path::Path;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{Depot, DepotError, Expected, Object, Put};
use crate::ir::Digest;
use crate::store::files::{self, Durability};
use crate::store::{Manifest, RunFolder, RunId, StoreError};

/// The folders of a run.
const FOLDERS: [&str; 3] = ["profiles", "evidence", "telemetry"];

const MANIFEST: &str = "manifest.json";

/// How many runs of the same second have names.
const NAMES: u16 = 900;

/// Objects that are written or read at the same time.
const AT_ONCE: usize = 16;

impl Depot {
    /// Publishes a run, and gives the name that it has there: where another run has its name, it gets the next
    /// one. A run that was published before in part is published to its end.
    pub(crate) async fn publish_run(&self, run: &RunFolder) -> Result<RunId, DepotError> {
        let manifest = run.manifest()?;
        let id = self.claim(&manifest).await?;
        let mut names = Vec::new();
        for folder in FOLDERS {
            let listed = files::list(&run.path().join(folder))?;
            names.extend(listed.into_iter().map(|name| format!("{folder}/{name}")));
        }
        let writes = names.iter().map(|name| self.publish_file(run, &id, name));
        stream::iter(writes).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        let published = Manifest { run: id.clone(), ..manifest };
        let text = serde_json::to_vec_pretty(&published).unwrap_or_default();
        self.objects.put(&key(&id, MANIFEST), text, Expected::Nothing).await?;
        Ok(id)
    }

    async fn publish_file(
        &self,
        run: &RunFolder,
        id: &RunId,
        name: &str,
    ) -> Result<(), DepotError> {
        let path = run.path().join(name);
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        // One that is there was written by the same run: its name is claimed.
        self.objects.put(&key(id, name), bytes, Expected::Nothing).await.map(|_| ())
    }

    /// A name that is this run's alone: its own, or the next one that is free.
    async fn claim(&self, manifest: &Manifest) -> Result<RunId, DepotError> {
        let mark = Digest::of(serde_json::to_vec(manifest).unwrap_or_default()).to_string();
        for steps in 0..NAMES {
            let id = manifest.run.after(steps);
            let claim = key(&id, "claim");
            let bytes = mark.clone().into_bytes();
            if self.objects.put(&claim, bytes, Expected::Nothing).await? == Put::Written {
                return Ok(id);
            }
            let there = self.objects.get(&claim).await?;
            if there.is_some_and(|there| there.bytes == mark.as_bytes()) {
                return Ok(id);
            }
        }
        Err(DepotError::Contended { key: key(&manifest.run, "claim") })
    }

    /// The runs that were published to their end, oldest first.
    pub(crate) async fn list_runs(&self) -> Result<Vec<RunId>, DepotError> {
        let keys = self.objects.list("runs").await?;
        let id = |key: &String| {
            key.strip_prefix("runs/")?.strip_suffix("/manifest.json")?.parse::<RunId>().ok()
        };
        let mut runs: Vec<RunId> = keys.iter().filter_map(id).collect();
        runs.sort();
        Ok(runs)
    }

    /// The manifest of a run.
    pub(crate) async fn manifest(&self, run: &RunId) -> Result<Manifest, DepotError> {
        let key = key(run, MANIFEST);
        let Some(Object { bytes, .. }) = self.objects.get(&key).await? else {
            return Err(DepotError::NoSuchRun(run.to_string()));
        };
        let malformed = |problem: serde_json::Error| problem.to_string();
        serde_json::from_slice(&bytes)
            .map_err(malformed)
            .map_err(|problem| DepotError::Malformed { key, problem })
    }

    /// Brings a run into a local folder, unless it is there already. Its manifest is written last.
    pub(crate) async fn fetch_run(
        &self,
        run: &RunId,
        reports: &Path,
    ) -> Result<RunFolder, DepotError> {
        if let Ok(folder) = RunFolder::open(reports, run.as_str()) {
            return Ok(folder);
        }
        let folder = reports.join(run.as_str());
        let keys = self.objects.list(&format!("runs/{run}")).await?;
        let manifest = key(run, MANIFEST);
        if !keys.contains(&manifest) {
            return Err(DepotError::NoSuchRun(run.to_string()));
        }
        let files = keys.iter().filter(|it| **it != manifest && !it.ends_with("/claim"));
        let fetched = files.map(|file| self.fetch_file(run, file, &folder));
        stream::iter(fetched).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        self.fetch_file(run, &manifest, &folder).await?;
        Ok(RunFolder::open(reports, run.as_str())?)
    }

    async fn fetch_file(&self, run: &RunId, key: &str, folder: &Path) -> Result<(), DepotError> {
        let name = key.strip_prefix(&format!("runs/{run}/")).unwrap_or_default();
        // Keys are somebody else's: none leads out of the folder.
        let parts: Vec<&str> = name.split('/').collect();
        let is_plain =
            |part: &&str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
        if parts.len() > 2 || !parts.iter().all(is_plain) {
            let problem = "it is not the name of a run's file".to_owned();
            return Err(DepotError::Malformed { key: key.to_owned(), problem });
        }
        let Some(Object { bytes, .. }) = self.objects.get(key).await? else { return Ok(()) };
        files::write(&folder.join(name), &bytes, Durability::Process).map_err(Into::into)
    }
}

fn key(run: &RunId, name: &str) -> String {
    format!("runs/{run}/{name}")
}
