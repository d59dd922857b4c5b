//! `toolprobe run`: probes every target and compares the run with the snapshots.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::args::asking::AskingArgs;
use super::args::confirming::ConfirmArgs;
use super::args::depot::DepotArgs;
use super::args::endpoint::env;
use super::args::output::{OutputArgs, ReportFormat};
use super::args::scope::{NOWHERE, Scope, ScopeArgs};
use super::args::stored::{EvidenceFiles, find_run};
use super::args::with_plan::{self, Comparison};
use super::drift::line as drift_line;
use super::gate::{AgainstArgs, Baseline, Judged};
use super::shell::ci;
use super::shell::clock;
use super::shell::console::Console;
use super::shell::demands;
use super::shell::dry_run::DryRun;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use super::shell::progress::Progress;
use super::shell::signal::stop_requests;
use super::shell::spent::describe_spent;
use crate::campaign::{
    Campaign, Resumed, RunEnd, RunRecorder, RunSettings, RunSubject, Share, confirm_all, digest_of,
    expected_times, suspects, take_shard,
};
use crate::profile::{Profile, Status};
use crate::regress::find_drifts;
use crate::report::{EvidenceLinks, Paint, Report, for_terminal, plural};
use crate::sim::Running;
use crate::store::{Completion, Manifest, RunHistory, RunId, Shard, StoreError};
use crate::target::{Connection, Connector, Target, read_template};
use crate::transport::Budget;

/// Targets at the same time at one endpoint where nothing else is said.
const JOBS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// Where the folders of runs are where nothing else is said.
pub(super) const REPORTS: &str = "reports";

/// Stands for the newest run of targets.
const LATEST: &str = "latest";

/// Probe every target of toolprobe.toml, or the simulated models
///
/// Profiles, evidence and a manifest go to a folder of their own below
/// reports/. Without a configuration the simulated models are served over
/// loopback and probed, which the first and the last line say: no key and no
/// network is needed. Where there are
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
    /// Only what is missing is asked, within a target too. Suite, seed and trials
    /// are those of the run, and what it has spent counts.
    #[arg(
        long,
        value_name = "RUN",
        num_args = 0..=1,
        default_missing_value = LATEST,
        conflicts_with_all = ["targets", "dry_run"]
    )]
    resume: Option<String>,

    /// Ask one part of the targets, and leave the others to other machines
    ///
    /// `--shard 2/4` is the second of four parts. The parts follow from the names
    /// of the targets and from what they cost; `toolprobe merge` joins the runs.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["targets", "resume"])]
    shard: Option<Shard>,

    /// Targets at the same time at one endpoint
    ///
    /// No endpoint keeps the targets of another from starting. Over all endpoints
    /// it is at most 64, or as many as this says.
    #[arg(long, short, value_name = "N", default_value_t = JOBS)]
    jobs: NonZeroUsize,

    /// Probe each target once more through its plan, and show both side by side
    #[arg(long, conflicts_with = "resume")]
    with_plan: bool,

    /// Look on only: whatever is found, exit 0 and promote nothing
    ///
    /// For a model that is not in use yet. Everything is measured, stored and
    /// compared as always.
    #[arg(long)]
    shadow: bool,

    #[command(flatten)]
    asking: AskingArgs,

    /// Send credentials over plain HTTP to other machines, where everybody on
    /// the way can read them
    #[arg(long)]
    insecure_http: bool,

    /// Where the folders of runs are
    #[arg(long, value_name = "DIR", default_value = REPORTS, help_heading = "Output")]
    reports: PathBuf,

    #[command(flatten)]
    depot: DepotArgs,

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

    /// The targets that this machine asks; simulated ones are at this address.
    fn targets(
        &self,
        scope: &Scope,
        base_url: &str,
        settings: &RunSettings,
    ) -> Result<Vec<Target>, CliError> {
        let all = scope.targets(base_url)?;
        Ok(match self.shard {
            Some(shard) => take_shard(all, shard, settings),
            None => all,
        })
    }

    fn subject(&self, scope: &Scope) -> Result<RunSubject, CliError> {
        let all = self.shard.map(|_| scope.targets(NOWHERE)).transpose()?;
        let of = all.as_deref().map(digest_of);
        let share = Share { selection: scope.selection(), shard: self.shard, of };
        Ok(if self.shadow { RunSubject::Shadow(share) } else { RunSubject::Targets(share) })
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
    /// What was found, in the order of the targets.
    profiles: Vec<Profile>,
    recorder: RunRecorder,
    end: RunEnd,
    /// Each target once more through its plan, where that was asked for.
    compared: Vec<Comparison>,
}

/// Probes all targets, and says what was found.
pub(super) fn run(args: &RunArgs, console: &Console) -> Result<Exit, CliError> {
    let mut scope = args.scope.load()?;
    scope.warn_of_simulation(console);
    let resumed = args.read_resumed()?;
    let settings = match &resumed {
        None => args.asking.settings(scope.defaults())?,
        Some(resumed) => {
            scope = scope.of_run(&resumed.manifest);
            args.asking.settings_of(resumed)?
        }
    };
    if args.asking.is_dry_run() {
        let targets = args.targets(&scope, NOWHERE, &settings)?;
        let limits = args.asking.limits_of(scope.defaults())?;
        let exit = DryRun::of(&targets, &settings, limits).show(&args.output, console)?;
        if args.confirming.test().is_some() {
            console.note(
                "sampling suspected regressions again comes on top; --confirm off leaves it out",
            );
        }
        return Ok(exit);
    }
    // Before anything is spent: neither storage nor a policy with a mistake in it must cost a run.
    let depot = args.depot.open()?;
    if let Some(depot) = &depot {
        depot.fetch_snapshots(args.against.folder())?;
        depot.fetch_history(&args.reports)?;
    }
    let baseline = args.against.load()?;
    // Targets are probed on lanes of their own; this one starts them and serves the simulated models.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let probing = probe_all(args, &scope, &settings, resumed, &baseline, console);
    let mut ended = runtime.block_on(probing)?;
    // Only then is the run complete: one that is killed before it is can be resumed.
    let remembered = write_history(args, &ended);
    ended.recorder.finish(ended.end, clock::now()?)?;
    let profiles = &ended.profiles;
    if let Some(depot) = &depot {
        let found: Vec<&Profile> = profiles.iter().collect();
        depot.publish(ended.recorder.folder(), ended.recorder.manifest(), &found, console)?;
    }
    let links = EvidenceLinks::from_page(ended.recorder.folder(), args.output.file())?;
    let report = Report::of_run(ended.recorder.manifest(), profiles).with_evidence(&links);
    let judged =
        baseline.judge_run(ended.recorder.folder(), ended.recorder.manifest(), profiles)?;
    let kept = EvidenceFiles::below(&args.reports);
    match &judged {
        _ if args.with_plan && args.output.format() == ReportFormat::Json => {
            args.output.write(console, &with_plan::json(&ended.compared)?)
        }
        Some(judged) => judged.with(&kept, |changes| {
            args.output.show(console, &report.with_gate(changes))?;
            ci::announce(console, changes)
        }),
        None => args.output.show(console, &report),
    }?;
    if args.with_plan && args.output.format() == ReportFormat::Table {
        console.result(&with_plan::table(&ended.compared))?;
    }
    ended.print_summary(args, console);
    print_history(remembered, console);
    let met = ended.check_demands(console);
    let exit = if let Some(judged) = judged {
        print_comparison(args, &judged, &kept, console)?;
        met.and(judged.exit())
    } else {
        met.and(baseline.report_missing(console))
    };
    ended.print_counts(console);
    scope.warn_of_simulation(console);
    Ok(if args.shadow { Exit::Fine } else { exit })
}

/// Adds the run to the history. Gives what there is to say about it.
fn write_history(args: &RunArgs, ended: &EndedRun) -> Result<Vec<String>, StoreError> {
    let (history, manifest) = (RunHistory::of(&args.reports), ended.recorder.manifest());
    let found: Vec<&Profile> = ended.profiles.iter().collect();
    let cut = history.add(&manifest.run, manifest.started_at, &found)?;
    let cut = cut.map(|cut| {
        let cut = for_terminal(&cut);
        format!("the history's last line was cut short and is dropped: {cut}")
    });
    let rows = history.results()?.rows;
    let drifts = find_drifts(&rows);
    Ok(cut.into_iter().chain(drifts.iter().map(drift_line)).collect())
}

/// Tells what declines in the history. One that cannot be read or written hides nothing else.
fn print_history(remembered: Result<Vec<String>, StoreError>, console: &Console) {
    match remembered {
        Ok(notes) => notes.iter().for_each(|note| console.note(note)),
        Err(error) => {
            let problem = for_terminal(&CliError::usage(error).chain());
            console.note(&format!("the run is not in the history: {problem}"));
        }
    }
}

/// Tells how the run compares with the snapshots. Beside a table it goes to standard output, else to
/// standard error: a program's output is left alone.
fn print_comparison(
    args: &RunArgs,
    judged: &Judged,
    kept: &EvidenceFiles,
    console: &Console,
) -> Result<(), CliError> {
    if args.output.format() == ReportFormat::Table && args.output.file().is_none() {
        console.result(&judged.text(kept, console.style().paint))?;
    } else {
        console.note(judged.text(kept, Paint::Plain).trim_end());
    }
    if console.is_quiet() && judged.exit() != Exit::Fine {
        console.problem(&judged.heading());
    }
    Ok(())
}

async fn probe_all(
    args: &RunArgs,
    scope: &Scope,
    settings: &RunSettings,
    resumed: Option<Resumed>,
    baseline: &Baseline,
    console: &Console,
) -> Result<EndedRun, CliError> {
    // Before the first request: a process that is stopped from here on leaves a run that says so.
    let stop = &mut stop_requests(&args.asking, scope.defaults())?;
    let server = scope.serve().await?;
    let base_url = server.as_ref().map(Running::base_url).unwrap_or_default();
    let budget = match &resumed {
        None => args.asking.budget(scope.defaults())?,
        Some(resumed) => args.asking.budget_of(resumed, scope.defaults())?,
    };
    let mut connections =
        connect_all(args, scope, args.targets(scope, &base_url, settings)?, &budget)?;
    let (mut recorder, mut found) = match resumed {
        None => {
            let subject = args.subject(scope)?;
            let begun =
                RunRecorder::begin(&args.reports, settings, &mut connections, subject, &budget)?;
            (begun, BTreeMap::new())
        }
        Some(resumed) => {
            RunRecorder::resume(resumed, &mut connections, &budget).map_err(CliError::usage)?
        }
    };
    let is_open = |it: &&Connection| !found.contains_key(&it.target.name);
    let open: Vec<Connection> = connections.iter().filter(is_open).cloned().collect();
    let listener =
        &Progress::new(console, open.len(), settings.probes().len()).kept_in(recorder.folder());
    let times = expected_times(&open, settings, baseline.snapshots());
    let at_once = args.jobs.get();
    let campaign = Campaign { connections: &open, times, settings, at_once, listener };
    let (results, mut end) = campaign.probe(Some(&mut recorder), stop, |it| it.profile).await?;
    found.extend(results.into_iter().filter_map(|(name, profile)| Some((name, profile.ok()?))));
    if let (RunEnd::Finished, Some(test)) = (end, args.confirming.test()) {
        let suspects = suspects(&connections, &found, &baseline.of_run(recorder.manifest()));
        end = confirm_all(&suspects, settings, test, &mut recorder, stop, listener).await?;
    }
    let mut compared = Vec::new();
    if args.with_plan && end == RunEnd::Finished {
        let measured = with_plan::measure_all(&connections, settings, &found, args.jobs.get());
        match stop.unless_stopped(&connections, listener, measured).await {
            Ok(measured) => compared = measured?,
            Err(stopped) => end = stopped,
        }
    }
    // Moved, not copied: with many targets they are most of what is in memory.
    let mut profile_of = |it: &Connection| found.remove(&it.target.name);
    let profiles = connections.iter().filter_map(&mut profile_of).collect();
    Ok(EndedRun { connections, profiles, recorder, end, compared })
}

/// A connection to each target. A missing key is better told before anything is spent.
fn connect_all(
    args: &RunArgs,
    scope: &Scope,
    targets: Vec<Target>,
    budget: &Arc<Budget>,
) -> Result<Vec<Connection>, CliError> {
    let mut bounds = scope.defaults().bounds.clone();
    bounds.extend(args.asking.bounds());
    let connector = Connector::new(Arc::clone(budget), scope.defaults().concurrency)
        .limiting(&scope.defaults().providers)
        .within(&bounds)
        .at_prices(args.asking.prices(scope.defaults())?);
    let connect = |mut target: Target| {
        let name = target.name.clone();
        target.endpoint.insecure_http |= args.insecure_http;
        check_template(&target)?;
        let connection = connector.connect(args.asking.limit(target), &env);
        connection.map_err(|error| CliError::usage(format!("target '{name}': {error}")))
    };
    targets.into_iter().map(connect).collect()
}

/// A chat template that cannot be read is better told before anything is spent, too.
fn check_template(target: &Target) -> Result<(), CliError> {
    let Some(path) = &target.endpoint.chat_template else { return Ok(()) };
    let read = read_template(path).map_err(|error| CliError::usage(error).chain());
    read.map(drop).map_err(|error| CliError::usage(format!("target '{}': {error}", target.name)))
}

/// The flag that sets the limit which a run has reached.
fn used_up(manifest: &Manifest) -> Option<&'static str> {
    let (budget, totals) = (&manifest.budget, &manifest.totals);
    let is_out = |problem: &String| problem.contains(" is used up");
    manifest.targets.iter().filter_map(|it| it.problem.as_ref()).find(|it| is_out(it))?;
    let is_reached = |limit: Option<u64>| limit.is_some_and(|limit| totals.requests >= limit);
    if is_reached(budget.max_requests) {
        return Some("--max-requests");
    }
    Some(if budget.max_cost.is_some() { "--max-cost" } else { "--max-tokens-total" })
}

impl EndedRun {
    /// Tells what it cost, where it is, and what is missing.
    fn print_summary(&self, args: &RunArgs, console: &Console) {
        let manifest = self.recorder.manifest();
        console.note(&format!(
            "{} of {}, {}; kept in {}",
            self.profiles.len(),
            plural(self.connections.len(), "target"),
            describe_spent(manifest.totals),
            self.recorder.folder().path().display(),
        ));
        if let Completion::Incomplete { because } = &manifest.completion {
            console.note(&format!("the run is incomplete: {}", for_terminal(because)));
            let again = args.again(&manifest.run);
            let larger = used_up(manifest).map(|flag| format!(", with a larger {flag}"));
            console.note(&format!("`{again}` goes on with it{}", larger.unwrap_or_default()));
        }
    }

    /// Tells how many targets came out how.
    fn print_counts(&self, console: &Console) {
        let all = self.connections.len();
        let conclusive = self.profiles.iter().filter(|it| it.results.has_verdict()).count();
        let passes = |profile: &&Profile| {
            let mut outcomes = profile.results.outcomes();
            outcomes.all(|it| matches!(it.status, Status::Pass | Status::Skipped))
        };
        let healthy =
            self.profiles.iter().filter(|it| it.results.has_verdict()).filter(passes).count();
        let mut parts = vec![format!("{healthy} without a finding")];
        let others =
            [(conclusive - healthy, "with findings"), (all - conclusive, "without a verdict")];
        let others = others.iter().filter(|(count, _)| *count > 0);
        parts.extend(others.map(|(count, words)| format!("{count} {words}")));
        console.note(&format!("{}: {}", plural(all, "target"), parts.join(", ")));
    }

    /// The exit code that follows from what the targets require.
    fn check_demands(&self, console: &Console) -> Exit {
        let mut exit = match self.end {
            RunEnd::Finished => Exit::Fine,
            RunEnd::Interrupted | RunEnd::OutOfTime => Exit::Inconclusive,
        };
        let found: BTreeMap<String, &Profile> =
            self.profiles.iter().map(|profile| (profile.name(), profile)).collect();
        for Connection { target, .. } in &self.connections {
            exit = exit.and(match found.get(&target.name) {
                Some(profile) => demands::exit(&target.name, profile, &target.require, console),
                None => Exit::Inconclusive,
            });
        }
        if let (Exit::Fine, Some(flag)) = (exit, used_up(self.recorder.manifest())) {
            let why = "the budget is used up: not every trial was asked";
            console.problem(&format!("{why}; raise it with {flag}"));
            exit = Exit::Inconclusive;
        }
        exit
    }
}
