//! `toolprobe report`: write a report again from stored results.

use std::path::{Path, PathBuf};

use clap::Args;

use super::CliError;
use super::Exit;
use super::args::output::OutputArgs;
use super::shell::console::Console;
use crate::profile::Profile;
use crate::report::{EvidenceLinks, Report};
use crate::store::{Completion, RunFolder};

/// Write a report again from stored results
///
/// Nothing is asked again. The page of --format html links the evidence from
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
    output: OutputArgs,
}

pub(super) fn run(args: &ReportArgs, console: &Console) -> Result<Exit, CliError> {
    let run = stored(args.run.as_deref(), &args.reports)?;
    let manifest = run.manifest().map_err(CliError::usage)?;
    let profiles = run.profiles().read_all().map_err(CliError::usage)?;
    let profiles: Vec<Profile> = profiles.into_iter().map(|(_, profile)| profile).collect();
    let links = EvidenceLinks::from_page(&run, args.output.file())?;
    args.output.show(console, &Report::of_run(&manifest, &profiles).with_evidence(&links))?;
    if manifest.completion != Completion::Complete {
        console.note(&format!("run {} did not come to its end", run.id()));
    }
    Ok(Exit::Fine)
}

/// A run by its name or its folder; the latest where none is named.
pub(super) fn stored(name: Option<&str>, reports: &Path) -> Result<RunFolder, CliError> {
    match name {
        Some(name) => {
            let (folder, name) = place(name, reports);
            RunFolder::open(&folder, &name).map_err(CliError::usage)
        }
        None => RunFolder::latest(reports).map_err(CliError::usage)?.ok_or_else(|| {
            let folder = reports.display();
            CliError::usage(format!("no run in {folder}; `toolprobe run` makes one"))
        }),
    }
}

/// A path to a run's folder is taken apart; a bare name is looked for where runs are kept.
fn place(name: &str, reports: &Path) -> (PathBuf, String) {
    let path = Path::new(name);
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(file)) if !folder.as_os_str().is_empty() => {
            (folder.to_owned(), file.to_string_lossy().into_owned())
        }
        _ => (reports.to_owned(), name.to_owned()),
    }
}
