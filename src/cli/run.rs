//! `toolprobe run`: every target, and what is kept of it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use futures_util::StreamExt as _;

use super::args::asking::AskingArgs;
use super::args::confirming::{Confirm, ConfirmArgs};
use super::args::output::{Format, OutputArgs};
use super::args::scope::{NOWHERE, Scope, ScopeArgs};
use super::args::sides::Kept;
use super::drift::line as drift_line;
use super::gate::AgainstArgs;
use super::report::stored;
use super::shell::clock;
use super::shell::console::Console;
use super::shell::demands;
use super::shell::dry_run;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use super::shell::progress::Progress;
use super::shell::signal::stop_signal;
use super::shell::spent::spent;
use crate::campaign::{Resumed, RunEnd, RunRecorder, RunSettings, visit_all};
use crate::profile::Profile;
use crate::regress::drifts;
use crate::report::{EvidenceLinks, Report, for_terminal};
use crate::sim::Running;
use crate::store::{Completion, RunFolder, RunHistory, RunId, Totals};
use crate::target::{Connection, Connector, Target};
use crate::transport::Budget;

/// Targets at the same time where nothing else is said.
const JOBS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// Where the folders of runs are where nothing else is said.
const REPORTS: &str = "reports";

/// What stands for the run that began last.
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
    fn resumed(&self) -> Result<Option<Resumed>, CliError> {
        let Some(name) = &self.resume else { return Ok(None) };
        let name = Some(name.as_str()).filter(|name| *name != LATEST);
        let folder = stored(name, &self.reports)?;
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
struct Ended {
    connections: Vec<Connection>,
    /// What was found, by the target's name.
    found: BTreeMap<String, Profile>,
    record: RunRecorder,
    over: RunEnd,
}

/// Probes all targets, and says what was found.
pub(super) fn run(args: &RunArgs, console: &Console) -> Result<Exit, CliError> {
    let mut scope = args.scope.load()?;
    let resumed = args.resumed()?;
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
    let runtime = tokio::runtime::Runtime::new()?;
    let ended = runtime.block_on(probe_all(args, &scope, &settings, resumed, console))?;
    let profiles = ended.profiles();
    let links = EvidenceLinks::from_page(ended.record.folder(), args.output.file())?;
    let report = Report::of_run(ended.record.manifest(), &profiles).with_evidence(&links);
    args.output.show(console, &report)?;
    ended.summarise(args, console);
    remembered(args, &ended, console)?;
    Ok(ended.judged(console).and(compared(args, ended.record.folder(), console)?))
}

/// Adds the run to the history, and tells what declines in it.
fn remembered(args: &RunArgs, ended: &Ended, console: &Console) -> Result<(), CliError> {
    let (history, manifest) = (RunHistory::of(&args.reports), ended.record.manifest());
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
    for drift in drifts(&rows) {
        console.note(&drift_line(&drift));
    }
    Ok(())
}

/// Compares the run with the snapshots, where there are any. What people read beside a table goes
/// to the same place; a program's output is left alone.
fn compared(args: &RunArgs, run: &RunFolder, console: &Console) -> Result<Exit, CliError> {
    let Some(judged) = args.against.judge(run, Confirm::On)? else {
        let folder = args.against.profiles.display();
        console.note(&format!("no snapshots in {folder}; `toolprobe accept` makes them"));
        return Ok(Exit::Fine);
    };
    let text = judged.text(&Kept::below(&args.reports));
    if args.output.format() == Format::Table && args.output.file().is_none() {
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
    console: &Console,
) -> Result<Ended, CliError> {
    // Before anything is asked: whoever stops us then finds a run that says so.
    let stop = stop_signal()?;
    let server = scope.serve().await?;
    let base_url = server.as_ref().map(Running::base_url).unwrap_or_default();
    let budget = args.asking.budget(scope.defaults());
    let connections = connect_all(args, scope, scope.targets(&base_url)?, &budget)?;
    let (mut record, mut found) = match resumed {
        None => {
            let record =
                RunRecorder::begin(&args.reports, settings, &connections, scope.selection())?;
            (record, BTreeMap::new())
        }
        Some(resumed) => RunRecorder::resume(resumed, &connections).map_err(CliError::usage)?,
    };
    let is_open = |it: &&Connection| !found.contains_key(&it.target.name);
    let open: Vec<Connection> = connections.iter().filter(is_open).cloned().collect();
    let progress = Progress::new(console, open.len(), settings.probes().len());
    let began = Instant::now();
    let over = {
        let mut stop = pin!(stop);
        let mut visits = pin!(visit_all(&open, settings, args.jobs.get(), &progress));
        loop {
            tokio::select! {
                () = &mut stop => break RunEnd::Interrupted,
                visit = visits.next() => match visit {
                    None => break RunEnd::Finished,
                    Some((connection, result)) => {
                        record.keep(&connection.target.name, &result)?;
                        progress.ended(&connection.target, &result);
                        found.extend(result.ok().map(|it| (connection.target.name.clone(), it.profile)));
                    }
                }
            }
        }
    };
    progress.clear();
    record.finish(over, totals(&budget, began.elapsed()), clock::now()?)?;
    if over == RunEnd::Finished {
        let confirming = &args.confirming;
        confirming
            .confirm(&args.against, &connections, &found, settings, &mut record, console)
            .await?;
        // What was sampled again was paid for, too.
        record.finish(over, totals(&budget, began.elapsed()), clock::now()?)?;
    }
    Ok(Ended { connections, found, record, over })
}

/// A connection to each target. A key that is missing is better told before anything is spent.
fn connect_all(
    args: &RunArgs,
    scope: &Scope,
    targets: Vec<Target>,
    budget: &Arc<Budget>,
) -> Result<Vec<Connection>, CliError> {
    let connector = Connector::new(Arc::clone(budget), scope.defaults().concurrency);
    let env = |name: &str| std::env::var(name).ok();
    let connect = |mut target: Target| {
        target.endpoint.limits = args.asking.limits().or(target.endpoint.limits);
        target.endpoint.timeouts = args.asking.timeouts().or(target.endpoint.timeouts);
        let name = target.name.clone();
        let connection = connector.connect(target, &env);
        connection.map_err(|error| CliError::usage(format!("target '{name}': {error}")))
    };
    targets.into_iter().map(connect).collect()
}

/// What was spent over all targets.
pub(super) fn totals(budget: &Budget, wall: Duration) -> Totals {
    let tokens = budget.tokens();
    Totals {
        requests: budget.spent(),
        prompt_tokens: tokens.prompt,
        completion_tokens: tokens.completion,
        wall_ms: u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
    }
}

impl Ended {
    /// What was found, in the order of the targets.
    fn profiles(&self) -> Vec<Profile> {
        self.connections.iter().filter_map(|it| self.found.get(&it.target.name).cloned()).collect()
    }

    /// Tells what it cost, where it is, and what is missing.
    fn summarise(&self, args: &RunArgs, console: &Console) {
        let manifest = self.record.manifest();
        console.note(&format!(
            "{} of {} targets, {}; kept in {}",
            self.found.len(),
            self.connections.len(),
            spent(manifest.totals),
            self.record.folder().path().display(),
        ));
        if let Completion::Incomplete { because } = &manifest.completion {
            console.note(&format!("the run is incomplete: {}", for_terminal(because)));
            console.note(&format!("`{}` goes on with it", args.again(&manifest.run)));
        }
    }

    /// The exit code that follows from what was found.
    fn judged(&self, console: &Console) -> Exit {
        let mut exit = match self.over {
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
