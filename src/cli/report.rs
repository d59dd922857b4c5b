//! `toolprobe report`: write a report again from stored results.

use std::path::PathBuf;

use clap::Args;

use super::CliError;
use super::Exit;
use super::args::depot::DepotArgs;
use super::args::output::OutputArgs;
use super::args::stored::{EvidenceFiles, find_run, profiles_of_run};
use super::gate::AgainstArgs;
use super::shell::console::Console;
use crate::report::{EvidenceLinks, Report};
use crate::store::Completion;

/// Write a report again from stored results
///
/// Nothing is asked again. Where there are snapshots, the report says what the
/// gate makes of the run; the exit code does not. The page of --format html links the evidence from
/// where --output puts it, or from the run's own folder.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run's name or its folder [default: the latest run]
    #[arg(value_name = "RUN")]
    run: Option<String>,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    #[command(flatten)]
    depot: DepotArgs,

    #[command(flatten)]
    against: AgainstArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ReportArgs, console: &Console) -> Result<Exit, CliError> {
    args.depot.fetch(args.run.as_deref(), &args.reports, args.against.folder())?;
    let run = find_run(args.run.as_deref(), &args.reports)?;
    let manifest = run.manifest().map_err(CliError::usage)?;
    let profiles = profiles_of_run(&run)?;
    let links = EvidenceLinks::from_page(&run, args.output.file())?;
    let report = Report::of_run(&manifest, &profiles).with_evidence(&links);
    let kept = EvidenceFiles::below(&args.reports);
    match args.against.load()?.judge_run(&run, &manifest, &profiles)? {
        Some(judged) => {
            judged.with(&kept, |gate| args.output.show(console, &report.with_gate(gate)))?;
        }
        None => args.output.show(console, &report)?,
    }
    if manifest.completion != Completion::Complete {
        console.note(&format!("run {} did not come to its end", run.id()));
    }
    Ok(Exit::Fine)
}
