//! `toolprobe accept`: make a run's profiles the snapshots.

use std::path::PathBuf;

use clap::Args;

use super::args::stored::{find_run, profiles_of_run};
use super::diff::{summary, targets};
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::campaign::Baseline;
use crate::profile::Profile;
use crate::regress::{Diff, Glob, Pairs, check_acceptable, diff, trim_evidence};
use crate::report::for_terminal;
use crate::store::{Manifest, ProfileFolder, RunFolder};

/// Make the profiles of a run the snapshots
///
/// Only a complete run whose every verdict is conclusive can be accepted.
/// Snapshots of targets that are not in the run are left as they are. A target
/// that was renamed takes the place of its old snapshot, which is removed and
/// named.
#[derive(Debug, Args)]
pub(super) struct AcceptArgs {
    /// The run's name or its folder [default: the latest complete run]
    #[arg(value_name = "RUN")]
    run: Option<String>,

    /// Only targets of this name; * and ? may stand in it
    #[arg(long, value_name = "GLOB")]
    target: Option<String>,

    /// Where the snapshots are
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    profiles: PathBuf,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
}

pub(super) fn run(args: &AcceptArgs, console: &Console) -> Result<Exit, CliError> {
    let run = choose_run(args)?;
    let manifest = run.manifest().map_err(CliError::usage)?;
    let all = profiles_of_run(&run)?;
    let accepted = profiles_to_accept(args, &run, &manifest, &all)?;
    let folder = ProfileFolder::new(&args.profiles);
    let before = folder.read_all().map_err(CliError::usage)?;
    let snapshots: Vec<Profile> = before.iter().map(|(_, profile)| profile.clone()).collect();
    let comparable = Baseline::of(&snapshots, &manifest).comparable;
    let mut pairs = Pairs::of(&comparable, &all).both;
    pairs.retain(|(_, new)| accepted.iter().any(|it| it.name() == new.name()));
    // A snapshot of another file name: from before names were kept, or of a target that was renamed.
    let replaced: Vec<&String> = before
        .iter()
        .filter(|(file, old)| {
            pairs.iter().any(|(it, new)| *it == old && ProfileFolder::file_name(new) != *file)
        })
        .map(|(file, _)| file)
        .collect();
    folder.replace(&accepted, &replaced).map_err(CliError::usage)?;
    let old: Vec<Profile> = pairs.iter().map(|(old, _)| (*old).clone()).collect();
    console.result(&describe(&run, &diff(&old, &accepted), accepted.len(), &replaced, args))?;
    Ok(Exit::Fine)
}

fn choose_run(args: &AcceptArgs) -> Result<RunFolder, CliError> {
    if let Some(name) = &args.run {
        return find_run(Some(name), &args.reports);
    }
    let latest = RunFolder::latest_complete(&args.reports).map_err(CliError::usage)?;
    latest.ok_or_else(|| {
        let folder = args.reports.display();
        CliError::usage(format!("no complete run in {folder}; `toolprobe run` makes one"))
    })
}

/// The profiles to write.
fn profiles_to_accept(
    args: &AcceptArgs,
    run: &RunFolder,
    manifest: &Manifest,
    all: &[Profile],
) -> Result<Vec<Profile>, CliError> {
    if let Some(adapter) = &manifest.adapter {
        let problem = format!("run {} is of the adapter at {adapter}, and no snapshot", run.id());
        return Err(CliError::usage(for_terminal(&problem)));
    }
    let wanted = args.target.as_deref().map(Glob::new);
    let fits = |it: &&Profile| wanted.as_ref().is_none_or(|glob| glob.matches(&it.name()));
    let profiles: Vec<&Profile> = all.iter().filter(fits).collect();
    let refused = |error| {
        CliError::inconclusive(format!("cannot accept run {}: {error}; run again", run.id()))
    };
    check_acceptable(&manifest.completion, profiles.iter().copied()).map_err(refused)?;
    if profiles.is_empty() {
        let what = args.target.as_deref().unwrap_or("anything");
        return Err(CliError::usage(format!("run {} has no profile of {what}", run.id())));
    }
    Ok(profiles.into_iter().map(trim_evidence).collect())
}

/// What changed, one line each.
fn describe(
    run: &RunFolder,
    found: &Diff,
    count: usize,
    replaced: &[&String],
    args: &AcceptArgs,
) -> String {
    let folder = args.profiles.display();
    let heading = format!("accepted {} of run {} into {folder}", targets(count), run.id());
    let lines = found.changes.iter().map(|change| for_terminal(&summary(change)));
    let removed = replaced.iter().map(|file| {
        let path = args.profiles.join(file);
        format!("removed {}: its place is taken", path.display())
    });
    std::iter::once(heading).chain(lines).chain(removed).collect::<Vec<_>>().join("\n")
}
