//! `toolprobe run`: probes every target and compares the run with the snapshots.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::args::asking::AskingArgs;
use super::args::confirming::{Confirm, ConfirmArgs};
use super::args::endpoint::env;
use super::args::output::{OutputArgs, ReportFormat};
use super::args::scope::{NOWHERE, Scope, ScopeArgs};
use super::args::stored::{EvidenceFiles, find_run};
use super::drift::line as drift_line;
use super::gate::{AgainstArgs, Baseline};
use super::shell::clock;
use super::shell::console::Console;
use super::shell::demands;
use super::shell::dry_run;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use super::shell::progress::Progress;
use super::shell::signal::stop_signal;
use super::shell::spent::spent;
use crate::campaign::{
    Campaign, Resumed, RunEnd, RunRecorder, RunSettings, RunSubject, confirm_all, suspects,
};
use crate::profile::Profile;
use crate::regress::find_drifts;
use crate::report::{EvidenceLinks, Report, for_terminal};
use crate::sim::Running;
use crate::store::{Completion, RunHistory, RunId};
use crate::target::{Connection, Connector, Target};
use crate::transport::Budget;

/// Targets at the same time where nothing else is said.
const JOBS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// Where the folders of runs are where nothing else is said.
pub(super) const REPORTS: &str = "reports";

/// Stands for the newest run of targets.
const LATEST: &str = "latest";

/// Probe every target of toolprobe.toml, or the simulated models
///
/// Profiles, evidence and a manifest go to a folder of their own below
/// reports/. Without a configuration the simulated models are served over
/// loopback and probed: no key and no network is needed. Where there are
/// snapshots, the run is compared with them as `toolprobe gate` does. Exits 1
/// when the gate fails or something that a target requires is not there, and 3
/// when a target has no verdict. A run that was broken off keeps what it has:
/// --resume goes on with it.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    scope: ScopeArgs,

    /// Go on with a run that did not come to its end [default: latest]
    ///
    /// Targets that are done with are kept, the others are asked. Suite, seed and
    /// trials are those of the run; limits count anew.
    #[arg(
        long,
        value_name = "RUN",
        num_args = 0..=1,
        default_missing_value = LATEST,
        conflicts_with_all = ["targets", "dry_run"]
    )]
    resume: Option<String>,

    /// Targets at the same time
    #[arg(long, short, value_name = "N", default_value_t = JOBS)]
    jobs: NonZeroUsize,

    #[command(flatten)]
    asking: AskingArgs,

    /// Where the folders of runs are
    #[arg(long, value_name = "DIR", default_value = REPORTS, help_heading = "Output")]
    reports: PathBuf,

    #[command(flatten)]
    against: AgainstArgs,

    #[command(flatten)]
    confirming: ConfirmArgs,

    #[command(flatten)]
    output: OutputArgs,
}

impl RunArgs {
    /// The run that goes on, where one does.
    fn read_resumed(&self) -> Result<Option<Resumed>, CliError> {
        let Some(name) = &self.resume else { return Ok(None) };
        let name = Some(name.as_str()).filter(|name| *name != LATEST);
        let folder = find_run(name, &self.reports)?;
        Resumed::read(folder).map(Some).map_err(CliError::usage)
    }

    /// The command that goes on with a run of these flags.
    fn again(&self, run: &RunId) -> String {
        let mut words = vec![format!("toolprobe run --resume {run}")];
        words.extend(self.scope.flags());
        words.extend(self.asking.suite_args.flags());
        if self.reports != Path::new(REPORTS) {
            words.push(format!("--reports {}", self.reports.display()));
        }
        words.join(" ")
    }
}

/// A run that is over.
struct EndedRun {
    connections: Vec<Connection>,
    /// What was found, by the target's name.
    found: BTreeMap<String, Profile>,
    recorder: RunRecorder,
    end: RunEnd,
}

/// Probes all targets, and says what was found.
pub(super) fn run(args: &RunArgs, console: &Console) -> Result<Exit, CliError> {
    let mut scope = args.scope.load()?;
    let resumed = args.read_resumed()?;
    let settings = match &resumed {
        None => args.asking.settings(scope.defaults())?,
        Some(resumed) => {
            scope = scope.of_run(&resumed.manifest);
            args.asking.settings_of(resumed)?
        }
    };
    if args.asking.is_dry_run() {
        return dry_run::show(&scope.targets(NOWHERE)?, &settings, &args.output, console);
    }
    // Before anything is spent: a policy with a mistake in it must not cost a run.
    let baseline = args.against.load()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let probing = probe_all(args, &scope, &settings, resumed, &baseline, console);
    let ended = runtime.block_on(probing)?;
    let profiles = ended.profiles();
    let links = EvidenceLinks::from_page(ended.recorder.folder(), args.output.file())?;
    let report = Report::of_run(ended.recorder.manifest(), &profiles).with_evidence(&links);
    args.output.show(console, &report)?;
    ended.print_summary(args, console);
    write_history(args, &ended, console)?;
    let met = ended.check_demands(console);
    Ok(met.and(print_comparison(args, &baseline, &ended, &profiles, console)?))
}

/// Adds the run to the history, and tells what declines in it.
fn write_history(args: &RunArgs, ended: &EndedRun, console: &Console) -> Result<(), CliError> {
    let (history, manifest) = (RunHistory::of(&args.reports), ended.recorder.manifest());
    if args.resume.is_some() {
        history.remove_run(&manifest.run).map_err(CliError::usage)?;
    }
    let found: Vec<&Profile> = ended.found.values().collect();
    let cut = history.add(&manifest.run, manifest.started_at, &found).map_err(CliError::usage)?;
    if let Some(cut) = cut {
        let cut = for_terminal(&cut);
        console.note(&format!("the history's last line was cut short and is dropped: {cut}"));
    }
    let rows = history.results().map_err(CliError::usage)?.rows;
    for drift in find_drifts(&rows) {
        console.note(&drift_line(&drift));
    }
    Ok(())
}

/// Compares the run with the snapshots, where there are any. Beside a table it goes to standard
/// output, else to standard error: a program's output is left alone.
fn print_comparison(
    args: &RunArgs,
    baseline: &Baseline,
    ended: &EndedRun,
    profiles: &[Profile],
    console: &Console,
) -> Result<Exit, CliError> {
    if let Some(missing) = baseline.missing() {
        console.note(&missing);
        return Ok(Exit::Fine);
    }
    let recorder = &ended.recorder;
    let judged = baseline.judge(recorder.folder(), recorder.manifest(), profiles, Confirm::On)?;
    let text = judged.text(&EvidenceFiles::below(&args.reports));
    if args.output.format() == ReportFormat::Table && args.output.file().is_none() {
        console.result(&text)?;
    } else {
        console.note(text.trim_end());
    }
    Ok(judged.exit())
}

async fn probe_all(
    args: &RunArgs,
    scope: &Scope,
    settings: &RunSettings,
    resumed: Option<Resumed>,
    baseline: &Baseline,
    console: &Console,
) -> Result<EndedRun, CliError> {
    // Before anything is asked: whoever stops the process then finds a run that says so.
    let stop = stop_signal()?;
    let server = scope.serve().await?;
    let base_url = server.as_ref().map(Running::base_url).unwrap_or_default();
    let budget = args.asking.budget(scope.defaults());
    let connections = connect_all(args, scope, scope.targets(&base_url)?, &budget)?;
    let (mut recorder, mut found) = match resumed {
        None => {
            let subject = RunSubject::Targets(scope.selection());
            let begun =
                RunRecorder::begin(&args.reports, settings, &connections, subject, &budget)?;
            (begun, BTreeMap::new())
        }
        Some(resumed) => {
            RunRecorder::resume(resumed, &connections, &budget).map_err(CliError::usage)?
        }
    };
    let is_open = |it: &&Connection| !found.contains_key(&it.target.name);
    let open: Vec<Connection> = connections.iter().filter(is_open).cloned().collect();
    let listener = &Progress::new(console, open.len(), settings.probes().len());
    let campaign = Campaign { connections: &open, settings, at_once: args.jobs.get(), listener };
    let (results, end) = campaign.probe(Some(&mut recorder), stop, |it| it.profile).await?;
    found.extend(results.into_iter().filter_map(|(name, profile)| Some((name, profile.ok()?))));
    recorder.finish(end, clock::now()?)?;
    if let (RunEnd::Finished, Some(test)) = (end, args.confirming.test()) {
        let suspects = suspects(&connections, &found, &baseline.of_run(recorder.manifest()));
        confirm_all(&suspects, settings, test, &mut recorder, listener).await?;
        // The samples are part of the cost.
        recorder.finish(end, clock::now()?)?;
    }
    Ok(EndedRun { connections, found, recorder, end })
}

/// A connection to each target. A missing key is better told before anything is spent.
fn connect_all(
    args: &RunArgs,
    scope: &Scope,
    targets: Vec<Target>,
    budget: &Arc<Budget>,
) -> Result<Vec<Connection>, CliError> {
    let connector = Connector::new(Arc::clone(budget), scope.defaults().concurrency);
    let connect = |target: Target| {
        let name = target.name.clone();
        let connection = connector.connect(args.asking.limit(target), &env);
        connection.map_err(|error| CliError::usage(format!("target '{name}': {error}")))
    };
    targets.into_iter().map(connect).collect()
}

impl EndedRun {
    /// What was found, in the order of the targets.
    fn profiles(&self) -> Vec<Profile> {
        self.connections.iter().filter_map(|it| self.found.get(&it.target.name).cloned()).collect()
    }

    /// Tells what it cost, where it is, and what is missing.
    fn print_summary(&self, args: &RunArgs, console: &Console) {
        let manifest = self.recorder.manifest();
        console.note(&format!(
            "{} of {} targets, {}; kept in {}",
            self.found.len(),
            self.connections.len(),
            spent(manifest.totals),
            self.recorder.folder().path().display(),
        ));
        if let Completion::Incomplete { because } = &manifest.completion {
            console.note(&format!("the run is incomplete: {}", for_terminal(because)));
            console.note(&format!("`{}` goes on with it", args.again(&manifest.run)));
        }
    }

    /// The exit code that follows from what the targets require.
    fn check_demands(&self, console: &Console) -> Exit {
        let mut exit = match self.end {
            RunEnd::Finished => Exit::Fine,
            RunEnd::Interrupted => Exit::Inconclusive,
        };
        for Connection { target, .. } in &self.connections {
            exit = exit.and(match self.found.get(&target.name) {
                Some(profile) => demands::exit(profile, &target.require, console),
                None => Exit::Inconclusive,
            });
        }
        exit
    }
}
