//! `toolprobe gate`: does a run pass, compared with the snapshots?

use std::path::{Path, PathBuf};

use clap::Args;

use super::adapter::{self, AdapterArgs};
use super::args::asking::AskingArgs;
use super::args::confirming::{Confirm, ConfirmArgs};
use super::args::policy::{InForce, PolicyArgs};
use super::args::sides::{Kept, measured, snapshots};
use super::diff::{ChangesArgs, targets};
use super::report::stored;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::profile::Profile;
use crate::regress::{
    Gate, GateOutcome, Level, Quarantine, Suspicion, diff, flaky, gate, in_scope,
};
use crate::report::{Changes, Entry, changes_text, for_terminal};
use crate::store::{Completion, Manifest, ProfileFolder, RunFolder, RunHistory, Selection};

/// Compare a run with the snapshots, or an adapter with what is behind it
///
/// Of a run nothing is asked: suspected regressions are sampled again by
/// `toolprobe run`, while its endpoints can be reached, and what that showed is
/// kept with the run and counts here, unless --confirm is off.
///
/// Exits 0 when nothing is denied, 1 when something is, 3 when the run or a
/// verdict in it is inconclusive. Without a policy of your own, critical and
/// major regressions and missing targets are denied, and minor ones warned of.
///
/// With --adapter, the simulated models stand behind your gateway: start
/// `toolprobe sim` and make its address the gateway's upstream. Each model is
/// then probed directly and through the gateway; what the gateway fixes, breaks
/// and hides is the result, and what it breaks is judged as a regression.
#[derive(Debug, Args)]
#[command(mut_args(of_adapter))]
pub(super) struct GateArgs {
    /// The run's name or its folder [default: the latest run]
    #[arg(value_name = "RUN", conflicts_with = "adapter")]
    run: Option<String>,

    /// The base URL of a gateway with the simulated models behind it
    #[arg(long, value_name = "URL")]
    adapter: Option<String>,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    #[command(flatten)]
    behind: AdapterArgs,

    #[command(flatten)]
    asking: AskingArgs,

    #[command(flatten)]
    against: AgainstArgs,

    #[command(flatten)]
    confirming: ConfirmArgs,

    #[command(flatten)]
    output: ChangesArgs,
}

/// Flags that ask an endpoint something are of no use to a run that is over.
fn of_adapter(arg: clap::Arg) -> clap::Arg {
    let heading = arg.get_help_heading();
    let asks = matches!(heading, Some("Adapter" | "How much is asked"))
        || arg.get_id().as_str().starts_with("confirm_");
    if asks { arg.requires("adapter") } else { arg }
}

/// What a run is compared with, and by which policy.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate")]
pub(super) struct AgainstArgs {
    /// Where the snapshots are
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    pub(super) profiles: PathBuf,

    #[command(flatten)]
    pub(super) policy: PolicyArgs,
}

/// A run that was compared with the snapshots.
pub(super) struct Judged {
    gate: Gate,
    notes: Vec<String>,
    snapshots: PathBuf,
    run: RunFolder,
    manifest: Manifest,
}

pub(super) fn run(args: &GateArgs, console: &Console) -> Result<Exit, CliError> {
    if let Some(url) = &args.adapter {
        let GateArgs { behind, asking, against, confirming, reports, output, .. } = args;
        let adapter = behind;
        let request =
            adapter::Request { url, adapter, asking, confirming, against, reports, output };
        return adapter::run(&request, console);
    }
    let run = stored(args.run.as_deref(), &args.reports)?;
    let Some(judged) = args.against.judge(&run, args.confirming.when())? else {
        let folder = args.against.profiles.display();
        return Err(CliError::usage(format!(
            "no snapshots in {folder}; `toolprobe accept` makes them"
        )));
    };
    let kept = Kept::below(&args.reports);
    judged.with(&kept, |changes| args.output.show(console, changes, &judged.gate))?;
    Ok(judged.exit())
}

impl AgainstArgs {
    /// Compares a run with the snapshots; nothing where there are none.
    pub(super) fn judge(
        &self,
        run: &RunFolder,
        confirm: Confirm,
    ) -> Result<Option<Judged>, CliError> {
        let InForce { policy, built_in, today } = self.policy.load()?;
        let old = snapshots(&self.profiles)?;
        if old.is_empty() {
            return Ok(None);
        }
        let manifest = run.manifest().map_err(CliError::usage)?;
        if let Some(adapter) = &manifest.adapter {
            let problem = format!("run {} is of the adapter at {adapter}", run.id());
            return Err(CliError::usage(for_terminal(&problem)));
        }
        let changes = diff(&comparable(old, &manifest), &measured(run)?);
        let changes = match confirm {
            Confirm::On => changes.with_confirmations(&manifest.confirmations),
            Confirm::Off => changes,
        };
        let gate = gate(changes, &policy, &built_in, &quarantine(run)?, today);
        let notes = gate.expired.iter().cloned().chain(unfinished(&manifest)).collect();
        let (snapshots, run) = (self.profiles.clone(), run.clone());
        Ok(Some(Judged { gate, notes, snapshots, run, manifest }))
    }

    /// The snapshots and profiles of a run that a regression is suspected between, each with what is
    /// to be asked again.
    pub(super) fn suspicions(
        &self,
        run: &RunFolder,
    ) -> Result<Vec<(Profile, Profile, Vec<Suspicion>)>, CliError> {
        let manifest = run.manifest().map_err(CliError::usage)?;
        let old = comparable(snapshots(&self.profiles)?, &manifest);
        let mut suspected = Vec::new();
        for current in measured(run)? {
            let file = ProfileFolder::file_name(&current);
            let before = old.iter().find(|it| ProfileFolder::file_name(it) == file);
            let Some(before) = before else { continue };
            let changes =
                diff(std::slice::from_ref(before), std::slice::from_ref(&current)).changes;
            let suspicions: Vec<Suspicion> = changes
                .iter()
                .filter_map(|change| Suspicion::of(change, before, &current))
                .collect();
            if !suspicions.is_empty() {
                suspected.push((before.clone(), current, suspicions));
            }
        }
        Ok(suspected)
    }
}

/// What the history beside a run shows to be too flaky.
fn quarantine(run: &RunFolder) -> Result<Quarantine, CliError> {
    let reports = run.path().parent().unwrap_or(Path::new("."));
    let history = RunHistory::of(reports).results().map_err(CliError::usage)?;
    Ok(flaky(&history.rows).into_iter().collect())
}

/// The snapshots that the run could have measured again. A target without a profile is not missing
/// but open, and a run of named targets says nothing of the others.
fn comparable(old: Vec<Profile>, manifest: &Manifest) -> Vec<Profile> {
    let subjects: Vec<_> = manifest.targets.iter().map(|target| &target.subject).collect();
    let (reached, open): (Vec<_>, Vec<_>) =
        manifest.targets.iter().partition(|target| target.profile.is_some());
    let asked = |old: &Profile| {
        let subject = &old.subject;
        let same = |other: &crate::profile::Subject| {
            (&other.provider, &other.model, &other.variant)
                == (&subject.provider, &subject.model, &subject.variant)
        };
        let is_open = open.iter().any(|target| same(&target.subject));
        let is_named = reached.iter().any(|target| same(&target.subject));
        !is_open && (manifest.selection == Selection::Every || is_named)
    };
    in_scope(old, &subjects).into_iter().filter(asked).collect()
}

/// Why a run cannot pass, in words.
pub(super) fn unfinished(manifest: &Manifest) -> Option<String> {
    match &manifest.completion {
        Completion::Complete => None,
        Completion::Running => Some("the run has not ended".to_owned()),
        Completion::Incomplete { because } => Some(format!("the run is incomplete: {because}")),
    }
}

/// The exit code of a gate; an unfinished run cannot pass.
pub(super) fn exit_of(gate: &Gate, manifest: &Manifest) -> Exit {
    let exit = match gate.outcome {
        GateOutcome::Passed => Exit::Fine,
        GateOutcome::Inconclusive => Exit::Inconclusive,
        GateOutcome::Failed => Exit::Failed,
    };
    match unfinished(manifest) {
        None => exit,
        Some(_) => exit.and(Exit::Inconclusive),
    }
}

/// How a gate came out, with how many changes are on which level.
pub(super) fn outcome_in_words(gate: &Gate) -> String {
    let count = |(level, word): (Level, &str)| {
        let count = gate.rulings.iter().filter(|ruling| ruling.level == level).count();
        (count > 0).then(|| format!("{count} {word}"))
    };
    let levels = [
        (Level::Deny, "denied"),
        (Level::Inconclusive, "inconclusive"),
        (Level::Warn, "warned of"),
        (Level::Allow, "allowed"),
    ];
    let counts: Vec<String> = levels.into_iter().filter_map(count).collect();
    match gate.outcome {
        _ if counts.is_empty() => "no change".to_owned(),
        GateOutcome::Passed => format!("passed, {}", counts.join(", ")),
        GateOutcome::Inconclusive => format!("inconclusive, {}", counts.join(", ")),
        GateOutcome::Failed => format!("failed, {}", counts.join(", ")),
    }
}

impl Judged {
    /// The exit code.
    pub(super) fn exit(&self) -> Exit {
        exit_of(&self.gate, &self.manifest)
    }

    /// What a person reads of it.
    pub(super) fn text(&self, kept: &Kept) -> String {
        self.with(kept, changes_text)
    }

    fn with<T>(&self, kept: &Kept, show: impl FnOnce(&Changes<'_>) -> T) -> T {
        let rulings = self.gate.rulings.iter();
        show(&Changes {
            heading: self.heading(),
            entries: rulings
                .map(|it| Entry { change: &it.change, ruling: Some((it.level, &it.because)) })
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
        let run = quoted(&self.run.path().display().to_string());
        let folder = match self.snapshots.display().to_string() {
            folder if folder == "profiles" => String::new(),
            folder => format!(" --profiles {}", quoted(&folder)),
        };
        format!("toolprobe accept {run} --target {}{folder}", quoted(target))
    }
}
