//! `toolprobe merge`: joins the runs of several machines into one.

use std::path::PathBuf;

use clap::Args;

use super::args::depot::DepotArgs;
use super::args::stored::find_run;
use super::run::REPORTS;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::profile::Profile;
use crate::report::{for_terminal, plural};
use crate::store::{Completeness, Completion, RunFolder, RunHistory, merge_runs};

/// Join the runs of several machines into one
///
/// For runs that were made with `run --shard I/N`, and for others that asked
/// different targets in the same way. The new run is written below --reports and
/// added to the history there; `toolprobe gate` compares it with the snapshots.
/// Two runs of the same target, runs that were asked otherwise, and a missing
/// shard are errors.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The folders of the runs, or their names in --reports or --store [default
    /// with --store: all shards there]
    #[arg(value_name = "RUN", required_unless_present = "store", num_args = 2..)]
    runs: Vec<String>,

    /// Go on where a shard is missing: nothing is said of its targets
    #[arg(long)]
    partial: bool,

    /// Where the new run is written
    #[arg(long, value_name = "DIR", default_value = REPORTS)]
    reports: PathBuf,

    #[command(flatten)]
    depot: DepotArgs,
}

pub(super) fn run(args: &MergeArgs, console: &Console) -> Result<Exit, CliError> {
    let depot = args.depot.open()?;
    let names = match &depot {
        Some(depot) if args.runs.is_empty() => depot.fetch_shards(&args.reports)?,
        Some(depot) => {
            args.runs.iter().try_for_each(|it| depot.fetch_run(Some(it), &args.reports))?;
            args.runs.clone()
        }
        None => args.runs.clone(),
    };
    let runs = names.iter().map(|name| find_run(Some(name), &args.reports));
    let runs = runs.collect::<Result<Vec<RunFolder>, _>>()?;
    let completeness = if args.partial { Completeness::Partial } else { Completeness::Whole };
    let (folder, manifest) =
        merge_runs(&runs, &args.reports, completeness).map_err(CliError::usage)?;
    let profiles = folder.profiles().read_all().map_err(CliError::usage)?;
    let found: Vec<&Profile> = profiles.iter().map(|(_, profile)| profile).collect();
    let history = RunHistory::of(&args.reports);
    history.add(&manifest.run, manifest.started_at, &found).map_err(CliError::usage)?;
    if let Some(depot) = &depot {
        depot.publish(&folder, &manifest, &found, console)?;
    }
    console.result(&folder.path().display().to_string())?;
    console.note(&format!(
        "{} of {}; `toolprobe gate {}` compares them with the snapshots",
        plural(manifest.targets.len(), "target"),
        plural(runs.len(), "run"),
        manifest.run,
    ));
    Ok(match &manifest.completion {
        Completion::Incomplete { because } => {
            console.note(&format!("the run is incomplete: {}", for_terminal(because)));
            Exit::Inconclusive
        }
        Completion::Complete | Completion::Running => Exit::Fine,
    })
}
