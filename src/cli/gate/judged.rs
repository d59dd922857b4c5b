//! A run that is judged against the snapshots, and how that is shown.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{exit_of, outcome_in_words, why_unfinished};
use crate::campaign;
use crate::cli::args::confirming::Confirm;
use crate::cli::args::policy::{InForce, PolicyArgs};
use crate::cli::args::stored::{EvidenceFiles, read_profiles};
use crate::cli::diff::targets;
use crate::cli::shell::ci;
use crate::cli::shell::console::Console;
use crate::cli::shell::error::CliError;
use crate::cli::shell::exit::Exit;
use crate::profile::Profile;
use crate::regress::{Change, Gate, Quarantine, diff, flaky_probes, gate};
use crate::report::{ChangeEntry, Changes, Paint, changes_text, for_terminal};
use crate::store::{Manifest, ProfileFolder, RunFolder, RunHistory, StoreError};

/// Where the snapshots are where nothing else is said.
const PROFILES: &str = "profiles";

/// How many targets that were not probed are named in a note; a program reads them all.
const NAMES: usize = 4;

/// What a run is compared with, and by which policy.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct AgainstArgs {
    /// Where the snapshots are [default: profiles]
    ///
    /// A run that has nothing to compare with exits 3 where this folder is named
    /// or exists, or there is a policy.
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// The snapshots and the policy, read.
pub(crate) struct Baseline {
    in_force: InForce,
    snapshots: Vec<Profile>,
    folder: PathBuf,
    /// Whether the user wants a comparison: the folder was named or is there, or a policy is.
    is_wanted: bool,
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
    /// Where the snapshots are.
    pub(crate) fn folder(&self) -> &Path {
        self.profiles.as_deref().unwrap_or_else(|| Path::new(PROFILES))
    }

    pub(crate) fn load(&self) -> Result<Baseline, CliError> {
        let in_force = self.policy.load()?;
        let folder = self.folder().to_owned();
        let is_wanted =
            self.profiles.is_some() || ProfileFolder::new(&folder).is_there() || in_force.is_users;
        Ok(Baseline { in_force, snapshots: read_profiles(&folder)?, folder, is_wanted })
    }
}

impl Baseline {
    /// Why nothing can be compared, where there are no snapshots.
    pub(crate) fn missing(&self) -> Option<String> {
        let folder = self.folder.display();
        let text = || format!("no snapshots in {folder}; `toolprobe accept` makes them");
        self.snapshots.is_empty().then(text)
    }

    /// Says that a run was compared with nothing. That is only fine before the first snapshot.
    pub(crate) fn report_missing(&self, console: &Console) -> Exit {
        let missing = self.missing().unwrap_or_default();
        if self.is_wanted {
            console.problem(&format!("nothing was compared: {missing}"));
            Exit::Inconclusive
        } else {
            console.note(&missing);
            Exit::Fine
        }
    }

    /// All snapshots.
    pub(crate) fn snapshots(&self) -> &[Profile] {
        &self.snapshots
    }

    /// The snapshots that a run could have measured again.
    pub(crate) fn of_run(&self, manifest: &Manifest) -> Vec<&Profile> {
        campaign::Baseline::of(&self.snapshots, manifest).comparable
    }

    /// What of the policy is about no target, be it of the run or of the snapshots.
    fn unmatched_rules(&self, manifest: &Manifest) -> Vec<String> {
        let snapshots: Vec<String> = self.snapshots.iter().map(Profile::name).collect();
        let names = manifest.targets.iter().map(|target| &target.name).chain(&snapshots);
        self.in_force.policy.unmatched_rules(&names.map(String::as_str).collect::<Vec<_>>())
    }

    /// Judges a run of targets, where there are snapshots. The run of an adapter or of one endpoint on
    /// the command line is not compared with them.
    pub(crate) fn judge_run(
        &self,
        run: &RunFolder,
        manifest: &Manifest,
        profiles: &[Profile],
    ) -> Result<Option<Judged>, CliError> {
        if self.snapshots.is_empty() || !manifest.is_of_targets() {
            return Ok(None);
        }
        self.judge(run, manifest, profiles, Confirm::On).map(Some)
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
        let baseline = campaign::Baseline::of(&self.snapshots, manifest);
        let changes = diff(baseline.comparable, profiles);
        let changes = match confirm {
            Confirm::On => changes.with_confirmations(&manifest.confirmations),
            Confirm::Off => changes,
        };
        let InForce { policy, built_in, today, .. } = &self.in_force;
        let (quarantine, history) = match quarantine(run) {
            Ok(quarantine) => (quarantine, None),
            Err(error) => (Quarantine::default(), Some(flaky_unknown(error))),
        };
        let mut gate = gate(changes, policy, built_in, &quarantine, *today);
        gate.unmatched = self.unmatched_rules(manifest);
        gate.not_probed = baseline.not_probed;
        let notes = notes(&gate).chain(why_unfinished(manifest)).chain(history).collect();
        let (snapshots, run) = (self.folder.clone(), run.path().to_owned());
        Ok(Judged { gate, notes, snapshots, run, manifest: manifest.clone() })
    }
}

/// What is to be said of a gate beside its changes.
fn notes(gate: &Gate) -> impl Iterator<Item = String> {
    let nothing = "nothing was compared: no target of the run has a snapshot".to_owned();
    let nothing = (gate.compared == 0).then_some(nothing);
    let not_probed = (!gate.not_probed.is_empty())
        .then(|| format!("not probed, though there is a snapshot: {}", some(&gate.not_probed)));
    let warnings = gate.expired.iter().chain(&gate.unmatched).cloned();
    nothing.into_iter().chain(not_probed).chain(warnings)
}

/// The first of many names, and how many more there are.
fn some(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(NAMES).map(String::as_str).collect();
    match names.len().saturating_sub(NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Says that a history cannot be read, which hides no verdict.
fn flaky_unknown(error: StoreError) -> String {
    let problem = for_terminal(&CliError::usage(error).chain());
    format!("which probes are flaky is not known: {problem}")
}

/// What the history beside a run shows to be too flaky.
fn quarantine(run: &RunFolder) -> Result<Quarantine, StoreError> {
    let reports = run.path().parent().unwrap_or(Path::new("."));
    let history = RunHistory::of(reports).results()?;
    Ok(flaky_probes(&history.rows).into_iter().collect())
}

impl Judged {
    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        exit_of(&self.gate, &self.manifest)
    }

    /// What a person reads of it.
    pub(crate) fn text(&self, kept: &EvidenceFiles, paint: Paint) -> String {
        self.with(kept, |changes| changes_text(changes, paint))
    }

    pub(crate) fn with<T>(&self, kept: &EvidenceFiles, show: impl FnOnce(&Changes<'_>) -> T) -> T {
        let rulings = self.gate.rulings.iter();
        let accept = |change: &Change| self.accept(change);
        // An unfinished run cannot be accepted.
        let is_acceptable = why_unfinished(&self.manifest).is_none();
        show(&Changes {
            heading: self.heading(),
            entries: rulings
                .map(|it| ChangeEntry { change: &it.change, ruling: Some((it.level, &it.because)) })
                .collect(),
            notes: &self.notes,
            evidence: &|digest| kept.address(digest),
            accept: is_acceptable.then_some(&accept),
            gate: Some(&self.gate),
            snapshots: Some(&self.snapshots),
            link: ci::job_link(),
            audit: None,
        })
    }

    /// How it came out, in one line.
    pub(crate) fn heading(&self) -> String {
        let outcome = outcome_in_words(&self.gate, self.gate.rulings.iter().map(|it| it.level));
        let (targets, folder) = (targets(self.gate.compared), self.snapshots.display());
        format!("gate: {outcome}; {targets} compared with {folder}")
    }

    /// The command that makes a change part of the snapshot, as a shell takes it.
    fn accept(&self, change: &Change) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
        let run = quoted(&self.run.display().to_string());
        let folder = match self.snapshots.display().to_string() {
            folder if folder == PROFILES => String::new(),
            folder => format!(" --profiles {}", quoted(&folder)),
        };
        let target = quoted(&change.target);
        format!("toolprobe accept {run} --target {target} --code {}{folder}", change.code)
    }
}
