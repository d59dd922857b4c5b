//! `--store`: runs, snapshots and history in object storage.

use std::path::Path;

use clap::Args;

use super::endpoint::env;
use crate::cli::shell::console::Console;
use crate::cli::shell::error::CliError;
use crate::profile::Profile;
use crate::store::{Depot, DepotAddress, DepotError, FetchedSnapshots, Manifest, RunFolder, RunId};

/// The flag that says where runs are besides the local folder.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Object storage")]
pub(crate) struct DepotArgs {
    /// Share runs, snapshots and the history there, such as `s3://bucket/prefix`
    ///
    /// What is needed is fetched into the local folders before, and what is new is
    /// published after. Keys, region and endpoint come from the AWS_… variables.
    #[arg(long, value_name = "URL")]
    store: Option<DepotAddress>,
}

impl DepotArgs {
    pub(crate) fn open(&self) -> Result<Option<OpenDepot>, CliError> {
        let Some(address) = &self.store else { return Ok(None) };
        let depot = Depot::open(address, &env).map_err(told)?;
        Ok(Some(OpenDepot { depot, runtime: tokio::runtime::Runtime::new()? }))
    }

    /// Brings what a command reads into the local folders: a run (the latest where none is named) and the
    /// snapshots.
    pub(crate) fn fetch(
        &self,
        run: Option<&str>,
        reports: &Path,
        snapshots: &Path,
    ) -> Result<Option<(OpenDepot, FetchedSnapshots)>, CliError> {
        let Some(open) = self.open()? else { return Ok(None) };
        open.fetch_run(run, reports)?;
        let fetched = open.fetch_snapshots(snapshots)?;
        Ok(Some((open, fetched)))
    }
}

/// What the service does not do is not the user's mistake; the rest is.
fn told(error: DepotError) -> CliError {
    match error {
        DepotError::Service { .. }
        | DepotError::Contended { .. }
        | DepotError::SnapshotsChanged => CliError::inconclusive(error),
        _ => CliError::usage(error),
    }
}

/// Object storage that is open.
pub(crate) struct OpenDepot {
    depot: Depot,
    runtime: tokio::runtime::Runtime,
}

impl OpenDepot {
    fn wait<T>(&self, work: impl Future<Output = Result<T, DepotError>>) -> Result<T, CliError> {
        self.runtime.block_on(work).map_err(told)
    }

    pub(crate) fn fetch_snapshots(&self, folder: &Path) -> Result<FetchedSnapshots, CliError> {
        self.wait(self.depot.fetch_snapshots(folder))
    }

    pub(crate) fn publish_snapshots(
        &self,
        folder: &Path,
        fetched: FetchedSnapshots,
    ) -> Result<(), CliError> {
        self.wait(self.depot.publish_snapshots(folder, fetched))
    }

    pub(crate) fn fetch_history(&self, reports: &Path) -> Result<(), CliError> {
        self.wait(self.depot.fetch_history(reports))
    }

    /// Brings a run into the local folder: that of this name, or the latest of targets. One that is given as a
    /// folder is there.
    pub(crate) fn fetch_run(&self, name: Option<&str>, reports: &Path) -> Result<(), CliError> {
        match name.map(str::parse::<RunId>) {
            Some(Ok(run)) => self.wait(self.depot.fetch_run(&run, reports)).map(|_| ()),
            Some(Err(_)) => Ok(()),
            None => {
                for run in self.wait(self.depot.list_runs())?.iter().rev() {
                    if self.wait(self.depot.manifest(run))?.is_of_targets() {
                        return self.wait(self.depot.fetch_run(run, reports)).map(|_| ());
                    }
                }
                Ok(())
            }
        }
    }

    /// Brings every shard that is published into the local folder, and gives their names.
    pub(crate) fn fetch_shards(&self, reports: &Path) -> Result<Vec<String>, CliError> {
        let mut shards = Vec::new();
        for run in self.wait(self.depot.list_runs())? {
            if self.wait(self.depot.manifest(&run))?.shard.is_some() {
                self.wait(self.depot.fetch_run(&run, reports))?;
                shards.push(run.to_string());
            }
        }
        Ok(shards)
    }

    /// Publishes a run that is over, and adds it to the history. A shard is added when it is merged.
    pub(crate) fn publish(
        &self,
        run: &RunFolder,
        manifest: &Manifest,
        profiles: &[&Profile],
        console: &Console,
    ) -> Result<(), CliError> {
        let id = self.wait(self.depot.publish_run(run))?;
        let manifest = Manifest { run: id.clone(), ..manifest.clone() };
        if manifest.shard.is_none() {
            self.wait(self.depot.add_to_history(&manifest, profiles))?;
        }
        console.note(&format!("published as run {id}"));
        Ok(())
    }
}
