//! `toolprobe gate`: compares a run with the snapshots, or an adapter with what is behind it.

mod adapter;
mod judged;
mod rows;
mod upstream;

use std::path::PathBuf;

use clap::Args;

use super::args::asking::AskingArgs;
use super::args::confirming::ConfirmArgs;
use super::args::depot::DepotArgs;
use super::args::stored::{EvidenceFiles, find_run, profiles_of_run};
use super::diff::ChangesArgs;
use super::shell::ci;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::regress::{Gate, GateOutcome, Level};
use crate::report::Report;
use crate::store::{Completion, Manifest};
use adapter::AdapterArgs;
pub(super) use judged::{AgainstArgs, Baseline, Judged};

/// Compare a run with the snapshots, or an adapter with what is behind it
///
/// Of a run nothing is asked: suspected regressions are sampled again by
/// `toolprobe run`, while its endpoints can be reached, and what that showed is
/// kept with the run and counts here, unless --confirm is off.
///
/// Exits 0 when nothing is denied, 1 when something is, 3 when the run or a
/// verdict in it is inconclusive or nothing could be compared. Without a policy
/// of your own, critical and major regressions, missing targets and whatever an
/// adapter breaks are denied, and minor regressions warned of.
///
/// With --adapter, the simulated models stand behind your gateway: start
/// `toolprobe sim` and make its address the gateway's upstream. Each model is
/// then probed directly and through the gateway; what the gateway fixes, breaks
/// and hides is the result, and what it breaks is judged as a regression.
///
/// With --transcripts, recorded replies stand behind your gateway: start
/// `toolprobe sim --transcripts DIR` as its upstream. It is asked what was
/// asked when they were recorded. A request of the gateway that no recording
/// matches is denied (request-unrecorded), with where the nearest differs.
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
    depot: DepotArgs,

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

pub(super) fn run(args: &GateArgs, console: &Console) -> Result<Exit, CliError> {
    if let Some(url) = &args.adapter {
        let GateArgs { behind, asking, against, confirming, reports, output, .. } = args;
        let adapter = behind;
        let request =
            adapter::Request { url, adapter, asking, confirming, against, reports, output };
        return adapter::run(&request, console);
    }
    args.depot.fetch(args.run.as_deref(), &args.reports, args.against.folder())?;
    let run = find_run(args.run.as_deref(), &args.reports)?;
    let baseline = args.against.load()?;
    if let Some(missing) = baseline.missing() {
        return Err(CliError::usage(missing));
    }
    let manifest = run.manifest().map_err(CliError::usage)?;
    let profiles = profiles_of_run(&run)?;
    let judged = baseline.judge(&run, &manifest, &profiles, args.confirming.confirm)?;
    let kept = EvidenceFiles::below(&args.reports);
    let report = Report::of_run(&manifest, &profiles);
    judged.with(&kept, |changes| {
        args.output.show(console, changes, &judged.gate, Some(report))?;
        // A file is the same verdict in another form, which was announced already.
        if args.output.is_to_file() { Ok(()) } else { ci::announce(console, changes) }
    })?;
    Ok(judged.exit())
}

/// Why a run cannot pass, in words.
pub(super) fn why_unfinished(manifest: &Manifest) -> Option<String> {
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
    match why_unfinished(manifest) {
        None => exit,
        Some(_) => exit.and(Exit::Inconclusive),
    }
}

/// How a gate came out, with how many of its rows are on which level.
fn outcome_in_words(gate: &Gate, rows: impl Iterator<Item = Level>) -> String {
    let rows: Vec<Level> = rows.collect();
    let count = |(level, word): (Level, &str)| {
        let count = rows.iter().filter(|row| **row == level).count();
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
        GateOutcome::Inconclusive if counts.is_empty() => "inconclusive".to_owned(),
        _ if counts.is_empty() => "no change".to_owned(),
        GateOutcome::Passed => format!("passed, {}", counts.join(", ")),
        GateOutcome::Inconclusive => format!("inconclusive, {}", counts.join(", ")),
        GateOutcome::Failed => format!("failed, {}", counts.join(", ")),
    }
}
