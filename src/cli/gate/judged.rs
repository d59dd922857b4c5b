//! A run that is judged against the snapshots, and how that is shown.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{exit_of, outcome_in_words, unfinished};
use crate::campaign::comparable;
use crate::cli::args::confirming::Confirm;
use crate::cli::args::policy::{InForce, PolicyArgs};
use crate::cli::args::stored::{EvidenceFiles, read_profiles};
use crate::cli::diff::targets;
use crate::cli::shell::error::CliError;
use crate::cli::shell::exit::Exit;
use crate::profile::Profile;
use crate::regress::{Gate, Quarantine, diff, flaky_probes, gate};
use crate::report::{ChangeEntry, Changes, changes_text, for_terminal};
use crate::store::{Manifest, RunFolder, RunHistory};

/// What a run is compared with, and by which policy.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct AgainstArgs {
    /// Where the snapshots are
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    profiles: PathBuf,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// The snapshots and the policy, read.
pub(crate) struct Baseline {
    in_force: InForce,
    snapshots: Vec<Profile>,
    folder: PathBuf,
}

/// A run that was compared with the snapshots.
pub(crate) struct Judged {
    pub(super) gate: Gate,
    notes: Vec<String>,
    snapshots: PathBuf,
    run: PathBuf,
    manifest: Manifest,
}

impl AgainstArgs {
    pub(crate) fn load(&self) -> Result<Baseline, CliError> {
        let in_force = self.policy.load()?;
        let snapshots = read_profiles(&self.profiles)?;
        Ok(Baseline { in_force, snapshots, folder: self.profiles.clone() })
    }
}

impl Baseline {
    /// Why nothing can be compared, where there are no snapshots.
    pub(crate) fn missing(&self) -> Option<String> {
        let folder = self.folder.display();
        let text = || format!("no snapshots in {folder}; `toolprobe accept` makes them");
        self.snapshots.is_empty().then(text)
    }

    /// The snapshots that a run could have measured again.
    pub(crate) fn of_run(&self, manifest: &Manifest) -> Vec<Profile> {
        comparable(&self.snapshots, manifest)
    }

    /// Judges the profiles of a run.
    pub(crate) fn judge(
        &self,
        run: &RunFolder,
        manifest: &Manifest,
        profiles: &[Profile],
        confirm: Confirm,
    ) -> Result<Judged, CliError> {
        if let Some(adapter) = &manifest.adapter {
            let problem = format!("run {} is of the adapter at {adapter}", run.id());
            return Err(CliError::usage(for_terminal(&problem)));
        }
        let changes = diff(&self.of_run(manifest), profiles);
        let changes = match confirm {
            Confirm::On => changes.with_confirmations(&manifest.confirmations),
            Confirm::Off => changes,
        };
        let InForce { policy, built_in, today } = &self.in_force;
        let gate = gate(changes, policy, built_in, &quarantine(run)?, *today);
        let notes = gate.expired.iter().cloned().chain(unfinished(manifest)).collect();
        let (snapshots, run) = (self.folder.clone(), run.path().to_owned());
        Ok(Judged { gate, notes, snapshots, run, manifest: manifest.clone() })
    }
}

/// What the history beside a run shows to be too flaky.
fn quarantine(run: &RunFolder) -> Result<Quarantine, CliError> {
    let reports = run.path().parent().unwrap_or(Path::new("."));
    let history = RunHistory::of(reports).results().map_err(CliError::usage)?;
    Ok(flaky_probes(&history.rows).into_iter().collect())
}

impl Judged {
    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        exit_of(&self.gate, &self.manifest)
    }

    /// What a person reads of it.
    pub(crate) fn text(&self, kept: &EvidenceFiles) -> String {
        self.with(kept, changes_text)
    }

    pub(super) fn with<T>(&self, kept: &EvidenceFiles, show: impl FnOnce(&Changes<'_>) -> T) -> T {
        let rulings = self.gate.rulings.iter();
        show(&Changes {
            heading: self.heading(),
            entries: rulings
                .map(|it| ChangeEntry { change: &it.change, ruling: Some((it.level, &it.because)) })
                .collect(),
            notes: &self.notes,
            evidence: &|digest| kept.place(digest),
            accept: Some(&|target| self.accept(target)),
        })
    }

    fn heading(&self) -> String {
        let outcome = outcome_in_words(&self.gate);
        let (targets, folder) = (targets(self.gate.compared), self.snapshots.display());
        format!("gate: {outcome}; {targets} compared with {folder}")
    }

    /// The command that makes a target's new profile the snapshot, as a shell takes it.
    fn accept(&self, target: &str) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
        let run = quoted(&self.run.display().to_string());
        let folder = match self.snapshots.display().to_string() {
            folder if folder == "profiles" => String::new(),
            folder => format!(" --profiles {}", quoted(&folder)),
        };
        format!("toolprobe accept {run} --target {}{folder}", quoted(target))
    }
}
