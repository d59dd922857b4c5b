//! `toolprobe accept`: make a run's profiles the snapshots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use super::args::stored::{find_run, read_profiles};
use super::diff::{summary, targets};
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::profile::{Profile, predecessor};
use crate::regress::{Glob, check_acceptable, diff, trim_evidence};
use crate::report::for_terminal;
use crate::store::{ProfileFolder, RunFolder, Selection};

/// Make the profiles of a run the snapshots
///
/// Only a complete run whose every verdict is conclusive can be accepted.
/// Snapshots of targets that are not in the run are left as they are, but for
/// those whose place a target of the run has taken: the same model at another
/// endpoint or with another chat template. These are removed, and named.
#[derive(Debug, Args)]
pub(super) struct AcceptArgs {
    /// The run's name or its folder [default: the latest complete run]
    #[arg(value_name = "RUN")]
    run: Option<String>,

    /// Only targets of this name, as provider/model; * and ? may stand in it
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
    let accepted = profiles_to_accept(args, &run)?;
    let before = read_profiles(&args.profiles)?;
    let replaced = find_replaced(&run, &before, &accepted)?;
    let folder = ProfileFolder::new(&args.profiles);
    // All or nothing: what cannot be written is better told before anything is.
    for profile in accepted.iter().chain(&replaced) {
        folder.check(profile).map_err(CliError::usage)?;
    }
    for profile in &accepted {
        folder.write(profile).map_err(CliError::usage)?;
    }
    for profile in &replaced {
        folder.remove(&ProfileFolder::file_name(profile)).map_err(CliError::usage)?;
    }
    console.result(&describe(&run, &before, &accepted, &replaced, &args.profiles))?;
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
fn profiles_to_accept(args: &AcceptArgs, run: &RunFolder) -> Result<Vec<Profile>, CliError> {
    let manifest = run.manifest().map_err(CliError::usage)?;
    if let Some(adapter) = &manifest.adapter {
        let problem = format!("run {} is of the adapter at {adapter}, and no snapshot", run.id());
        return Err(CliError::usage(for_terminal(&problem)));
    }
    let profiles = run.profiles().read_all().map_err(CliError::usage)?;
    let wanted = args.target.as_deref().map(Glob::new);
    let fits = |profile: &Profile| {
        wanted.as_ref().is_none_or(|glob| glob.matches(&profile.subject.name()))
    };
    let profiles: Vec<Profile> =
        profiles.into_iter().map(|(_, profile)| profile).filter(fits).collect();
    let refused = |error| {
        CliError::inconclusive(format!("cannot accept run {}: {error}; run again", run.id()))
    };
    check_acceptable(&manifest.completion, &profiles).map_err(refused)?;
    if profiles.is_empty() {
        let what = args.target.as_deref().unwrap_or("anything");
        return Err(CliError::usage(format!("run {} has no profile of {what}", run.id())));
    }
    Ok(profiles.iter().map(trim_evidence).collect())
}

/// The snapshots whose place is taken: a target that moved would otherwise be missed for ever. A run
/// of named targets does not know whether the others are still there.
fn find_replaced(
    run: &RunFolder,
    before: &[Profile],
    accepted: &[Profile],
) -> Result<Vec<Profile>, CliError> {
    let manifest = run.manifest().map_err(CliError::usage)?;
    if manifest.selection == Selection::Named {
        return Ok(Vec::new());
    }
    let files: Vec<&String> =
        manifest.targets.iter().filter_map(|it| it.profile.as_ref()).collect();
    let file = |profile: &Profile| ProfileFolder::file_name(profile);
    let is_new = |new: &&Profile| before.iter().all(|old| file(old) != file(new));
    let gone = || before.iter().filter(|old| !files.contains(&&file(old)));
    let moved = accepted.iter().filter(is_new);
    let taken = moved.filter_map(|new| predecessor(gone(), &new.subject));
    let by_file: BTreeMap<String, Profile> = taken.map(|old| (file(old), old.clone())).collect();
    Ok(by_file.into_values().collect())
}

/// What changed, one line each.
fn describe(
    run: &RunFolder,
    before: &[Profile],
    accepted: &[Profile],
    replaced: &[Profile],
    folder: &Path,
) -> String {
    let count = accepted.len();
    let is_about = |old: &&Profile| {
        accepted.iter().any(|new| new.subject == old.subject) || replaced.contains(old)
    };
    let old: Vec<Profile> = before.iter().filter(is_about).cloned().collect();
    let found = diff(&old, accepted);
    let heading =
        format!("accepted {} of run {} into {}", targets(count), run.id(), folder.display());
    let lines = found.changes.iter().map(|change| for_terminal(&summary(change)));
    let removed = replaced.iter().map(|old| {
        let path = folder.join(ProfileFolder::file_name(old));
        format!("removed {}: its place is taken", path.display())
    });
    std::iter::once(heading).chain(lines).chain(removed).collect::<Vec<_>>().join("\n")
}
