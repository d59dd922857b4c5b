//! `toolprobe probe`: one endpoint, without a configuration.

use std::path::PathBuf;
use std::slice::from_ref;

use clap::Args;

use super::args::asking::AskingArgs;
use super::args::endpoint::{EndpointArgs, connect_to, first_target};
use super::args::output::{OutputArgs, ReportFormat};
use super::args::with_plan::{self, Comparison};
use super::run::REPORTS;
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
    Campaign, ProbedTarget, RunEnd, RunRecorder, RunSettings, RunSubject, StopRequests,
};
use crate::profile::Requirement;
use crate::report::{EvidenceLinks, Report};
use crate::target::{Connection, Defaults, TargetEntry};

/// Probe one endpoint, without any configuration
///
/// URL is the base that the provider's own SDK takes, or the full path of the
/// call. The verdict is the result: it exits 0 whatever it says, unless
/// something that --require demands is not there. The exchanges that it rests
/// on are kept in a folder of their own below reports/, as those of a run.
/// Other commands take such a folder only by its name: it is never the latest
/// run. After Ctrl-C, what was measured is shown, and it exits 3.
#[derive(Debug, Args)]
pub(super) struct ProbeArgs {
    /// The endpoint's base URL
    #[arg(required_unless_present = "provider")]
    url: Option<String>,

    #[command(flatten)]
    endpoint: EndpointArgs,

    /// What must be there, or exit 1
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    require: Vec<Requirement>,

    /// Probe once more through the plan, and show both side by side
    #[arg(long)]
    with_plan: bool,

    #[command(flatten)]
    asking: AskingArgs,

    /// Where the folders of runs are
    #[arg(long, value_name = "DIR", default_value = REPORTS, help_heading = "Output")]
    reports: PathBuf,

    /// Keep no exchanges, and no profile
    #[arg(long, conflicts_with = "reports", help_heading = "Output")]
    no_keep: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Probes, and says what was found.
pub(super) fn run(args: &ProbeArgs, console: &Console) -> Result<Exit, CliError> {
    let settings = args.asking.settings(&Defaults::default())?;
    let entry = args.endpoint.entry(args.url.as_deref(), &args.asking);
    if args.asking.is_dry_run() {
        let limits = args.asking.limits_of(&Defaults::default())?;
        let target = first_target(&entry)?;
        return DryRun::of([&target], &settings, limits).show(&args.output, console);
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let (probed, end, recorder, compared) =
        runtime.block_on(probe_endpoint(args, &entry, &settings, console))?;
    let links =
        recorder.as_ref().map(|it| EvidenceLinks::from_page(it.folder(), args.output.file()));
    let links = links.transpose()?;
    let mut report = Report::of_profile(&probed.profile).with_cost(probed.cost, &probed.probe_ms);
    if let Some(links) = &links {
        report = report.with_evidence(links);
    }
    match &compared {
        Some(compared) if args.output.format() == ReportFormat::Json => {
            args.output.write(console, &with_plan::json(compared)?)?;
        }
        Some(compared) => {
            args.output.show(console, &report)?;
            console.result(&with_plan::table(from_ref(compared)))?;
        }
        None => args.output.show(console, &report)?,
    }
    let kept = recorder.map(|it| format!("; kept in {}", it.folder().path().display()));
    console.note(&format!("{}{}", describe_spent(probed.cost.into()), kept.unwrap_or_default()));
    let model = &probed.profile.subject.model;
    let exit = demands::exit(model, &probed.profile, &args.require, console);
    Ok(match end {
        RunEnd::Finished => exit,
        RunEnd::Interrupted => {
            console.problem("interrupted: what was not asked has no verdict");
            Exit::Inconclusive
        }
        RunEnd::OutOfTime => {
            console.problem("out of time: what was not asked has no verdict");
            Exit::Inconclusive
        }
    })
}

async fn probe_endpoint(
    args: &ProbeArgs,
    entry: &TargetEntry,
    settings: &RunSettings,
    console: &Console,
) -> Result<(ProbedTarget, RunEnd, Option<RunRecorder>, Option<Comparison>), CliError> {
    let budget = args.asking.budget(&Defaults::default())?;
    let mut connection = connect_to(entry, &budget, &args.asking).await?;
    let mut recorder = None;
    if !args.no_keep {
        let asked = [&mut connection];
        let begun = RunRecorder::begin(&args.reports, settings, asked, RunSubject::OneOff, &budget);
        recorder = Some(begun?);
    }
    let stop = &mut stop_requests(&args.asking, &Defaults::default())?.concluding();
    let (probed, mut end) =
        probe_one(&connection, settings, recorder.as_mut(), stop, console).await?;
    let mut compared = None;
    if args.with_plan && end == RunEnd::Finished {
        console.note("probing once more, through the plan");
        let listener = Progress::new(console, 1, settings.probes().len());
        let measured = Comparison::measure(&connection, settings, &probed.profile);
        match stop.unless_stopped(from_ref(&connection), &listener, measured).await {
            // Half a comparison is none.
            Ok(_) if connection.gate.is_refusing() => end = RunEnd::Interrupted,
            Ok(measured) => compared = Some(measured?),
            Err(stopped) => end = stopped,
        }
    }
    Ok((probed, end, recorder, compared))
}

/// Probes one target until it is done or the process is asked to stop, and shows how it gets on. What
/// was measured until then is the result.
pub(super) async fn probe_one(
    connection: &Connection,
    settings: &RunSettings,
    mut recorder: Option<&mut RunRecorder>,
    stop: &mut StopRequests,
    console: &Console,
) -> Result<(ProbedTarget, RunEnd), CliError> {
    let mut listener = Progress::new(console, 1, settings.probes().len());
    if let Some(recorder) = &recorder {
        listener = listener.kept_in(recorder.folder());
    }
    let listener = &listener;
    let (connections, times) = (from_ref(connection), vec![0]);
    let campaign = Campaign { connections, times, settings, at_once: 1, listener };
    let (results, end) = campaign.probe(recorder.as_deref_mut(), stop, |probed| probed).await?;
    if let Some(recorder) = recorder {
        recorder.finish(end, clock::now()?)?;
    }
    match results.into_iter().next() {
        Some((_, Ok(probed)))
            if end == RunEnd::Finished || probed.profile.results.has_verdict() =>
        {
            Ok((probed, end))
        }
        Some((_, Err(error))) if end == RunEnd::Finished => Err(error.into()),
        Some(_) | None => Err(CliError::inconclusive("interrupted: there is no verdict")),
    }
}
