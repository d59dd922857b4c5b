//! `toolprobe accept`: make what a run found the snapshots, change by change.
//!
//! - `review`: asks about each change on a terminal
//! - `snapshots`: what the snapshots become

mod review;
mod snapshots;

use std::path::PathBuf;

use clap::Args;

use super::args::depot::DepotArgs;
use super::args::stored::{EvidenceFiles, find_run, profiles_of_run};
use super::diff::{summary, targets};
use super::shell::ci::is_ci;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::campaign::Baseline;
use crate::ir::Digest;
use crate::profile::Profile;
use crate::regress::{Change, Code, Glob, check_acceptable, diff};
use crate::report::{ChangeEntry, Changes, Paint, change_text, for_terminal, plural};
use crate::store::{KeptChange, Manifest, ProfileFolder, RunFolder};
use review::{Choice, review};
use snapshots::{NewSnapshots, Unchanged};

/// Make what a run found the snapshots
///
/// On a terminal each change is shown, and you say what becomes of it: `a`
/// accepts it, `k` keeps the snapshot as it is (the same run does not ask
/// again), `s` leaves it for later, `A` accepts all that follow, `q` ends the
/// questions. Nothing is written before the last answer. With --all, --target
/// or --code, and without a terminal, nothing is asked.
///
/// Only a complete run whose every verdict is conclusive can be accepted. All
/// snapshots change together or none does. A target that is missing in a run
/// of all targets loses its snapshot; snapshots of targets that were not meant
/// to be probed are left as they are. A target that was renamed takes the place
/// of its old snapshot.
#[derive(Debug, Args)]
pub(super) struct AcceptArgs {
    /// The run's name or its folder [default: the latest complete run]
    #[arg(value_name = "RUN")]
    run: Option<String>,

    /// Accept without asking: everything, or all that --target and --code leave
    #[arg(long)]
    all: bool,

    /// Only targets of this name; * and ? may stand in it
    #[arg(long, value_name = "GLOB")]
    target: Option<String>,

    /// Only changes of this code; may be given several times
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = read_code)]
    code: Vec<Code>,

    /// Where the snapshots are
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    profiles: PathBuf,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    #[command(flatten)]
    depot: DepotArgs,
}

fn read_code(text: &str) -> Result<Code, String> {
    Code::try_from(text.to_owned())
}

impl AcceptArgs {
    /// Whether somebody is there to be asked, and did not say it all already.
    fn asks(&self, console: &Console) -> bool {
        let is_said = self.all || self.target.is_some() || !self.code.is_empty();
        !is_said && console.is_interactive() && !is_ci()
    }

    fn is_about(&self, name: &str) -> bool {
        self.target.as_deref().is_none_or(|it| Glob::new(it).matches(name))
    }

    fn selects(&self, change: &Change) -> bool {
        self.is_about(&change.target) && (self.code.is_empty() || self.names(change))
    }

    fn names(&self, change: &Change) -> bool {
        self.code.contains(&change.code)
    }
}

pub(super) fn run(args: &AcceptArgs, console: &Console) -> Result<Exit, CliError> {
    let fetched = args.depot.fetch(args.run.as_deref(), &args.reports, &args.profiles)?;
    let run = choose_run(args, console)?;
    let mut manifest = run.manifest().map_err(CliError::usage)?;
    let found = profiles_of_run(&run)?;
    let folder = ProfileFolder::new(&args.profiles);
    let locked = folder.lock().map_err(CliError::usage)?;
    let before = folder.read_all().map_err(CliError::usage)?;
    let old = Baseline::of(before.iter().map(|(_, profile)| profile), &manifest).comparable;
    let changes = diff(old.iter().copied(), &found).changes;
    check(args, &run, &manifest, &found, &changes)?;
    let choices = choose(args, &manifest, &changes, console)?;
    // Who was asked and took nothing over does not want other snapshots to be younger either.
    let took_nothing = !changes.is_empty() && !choices.contains(&Choice::Accept);
    let unchanged = if !args.code.is_empty() || (args.asks(console) && took_nothing) {
        Unchanged::Stay
    } else {
        Unchanged::Renew
    };
    let decided: Vec<(&Change, Choice)> = changes.iter().zip(choices).collect();
    let is_meant = |profile: &Profile| args.is_about(&profile.name());
    let new = NewSnapshots::decide(&old, &found, &decided, unchanged, is_meant)?;
    let deleted = new.deleted_files(&before);
    let files: Vec<&String> = deleted.iter().map(|(file, _)| *file).collect();
    locked.replace(&new.written, &files).map_err(CliError::usage)?;
    if let Some((depot, fetched)) = fetched {
        depot.publish_snapshots(&args.profiles, fetched)?;
    }
    keep(&run, &mut manifest, &decided)?;
    console.result(&describe(&run, &new, &decided, &deleted, args))?;
    Ok(Exit::Fine)
}

/// The run that is named, else the latest complete one; says so where a later one is not complete.
fn choose_run(args: &AcceptArgs, console: &Console) -> Result<RunFolder, CliError> {
    if let Some(name) = &args.run {
        return find_run(Some(name), &args.reports);
    }
    let chosen = RunFolder::latest_complete(&args.reports).map_err(CliError::usage)?;
    let chosen = chosen.ok_or_else(|| {
        let folder = args.reports.display();
        CliError::usage(format!("no complete run in {folder}; `toolprobe run` makes one"))
    })?;
    let latest = RunFolder::latest(&args.reports).map_err(CliError::usage)?;
    if let Some(later) = latest.filter(|latest| latest.id() != chosen.id()) {
        let (later, chosen) = (later.id(), chosen.id());
        console.note(&format!("run {later} is not complete; this is about run {chosen} before it"));
    }
    Ok(chosen)
}

/// Whether the run may become the snapshot, and has anything of what was asked for.
fn check(
    args: &AcceptArgs,
    run: &RunFolder,
    manifest: &Manifest,
    found: &[Profile],
    changes: &[Change],
) -> Result<(), CliError> {
    if let Some(adapter) = &manifest.adapter {
        let problem = format!("run {} is of the adapter at {adapter}, and no snapshot", run.id());
        return Err(CliError::usage(for_terminal(&problem)));
    }
    let selected: Vec<&Change> = changes.iter().filter(|change| args.selects(change)).collect();
    let is_meant = |profile: &&Profile| {
        let name = profile.name();
        let has_change = selected.iter().any(|change| change.target == name);
        args.is_about(&name) && (args.code.is_empty() || has_change)
    };
    let profiles: Vec<&Profile> = found.iter().filter(is_meant).collect();
    check_acceptable(&manifest.completion, profiles.iter().copied()).map_err(|error| {
        CliError::inconclusive(format!("cannot accept run {}: {error}; run again", run.id()))
    })?;
    if !profiles.is_empty() || !selected.is_empty() {
        return Ok(());
    }
    let of = args.target.as_deref().map(|name| format!(" of {name}")).unwrap_or_default();
    let codes: Vec<&str> = args.code.iter().map(|code| code.as_str()).collect();
    Err(CliError::usage(match codes.as_slice() {
        [] if of.is_empty() => format!("run {} has no profile of anything", run.id()),
        [] => format!("run {} has no profile{of}", run.id()),
        codes => format!("run {} has no change{of} called {}", run.id(), codes.join(" or ")),
    }))
}

/// Whether a smaller suite did not ask for a result. Nothing was found that could replace it.
fn is_unasked(change: &Change) -> bool {
    change.code.as_str() == "result-missing"
}

/// What becomes of each change.
fn choose(
    args: &AcceptArgs,
    manifest: &Manifest,
    changes: &[Change],
    console: &Console,
) -> Result<Vec<Choice>, CliError> {
    if !args.asks(console) {
        let is_accepted =
            |change| args.selects(change) && (!is_unasked(change) || args.names(change));
        let choice = |change| if is_accepted(change) { Choice::Accept } else { Choice::Skip };
        return Ok(changes.iter().map(choice).collect());
    }
    let is_kept = |change: &Change| manifest.kept.contains(&kept_change(change));
    let kept = changes.iter().filter(|change| is_kept(change)).count();
    if kept > 0 {
        let changes = plural(kept, "change");
        console.note(&format!("{changes} of this run you kept as before; --all accepts all"));
    }
    let is_open = |change: &Change| !is_kept(change) && !is_unasked(change);
    let open = changes.iter().map(|change| is_open(change).then(|| question(args, change)));
    let open: Vec<Option<String>> = open.collect();
    Ok(review(&open, |text| console.ask(text))?)
}

/// A change with its details, as it is shown to the person who decides.
fn question(args: &AcceptArgs, change: &Change) -> String {
    let kept = EvidenceFiles::below(&args.reports);
    let evidence = |digest: &Digest| kept.address(digest);
    let shown = Changes::unjudged(String::new(), &[], &evidence);
    change_text(&ChangeEntry { change, ruling: None }, &shown, Paint::Plain)
}

/// Remembers which changes are not to be asked about again.
fn keep(
    run: &RunFolder,
    manifest: &mut Manifest,
    decided: &[(&Change, Choice)],
) -> Result<(), CliError> {
    let kept = decided.iter().filter(|(_, choice)| *choice == Choice::Keep);
    let kept: Vec<KeptChange> = kept.map(|(change, _)| kept_change(change)).collect();
    if kept.is_empty() {
        return Ok(());
    }
    manifest.kept.extend(kept);
    run.write_manifest(manifest).map_err(CliError::usage)
}

fn kept_change(change: &Change) -> KeptChange {
    KeptChange {
        target: change.target.clone(),
        code: change.code.to_string(),
        field: change.at.field.clone(),
    }
}

/// What changed, one line each.
fn describe(
    run: &RunFolder,
    new: &NewSnapshots,
    decided: &[(&Change, Choice)],
    deleted: &[(&String, &str)],
    args: &AcceptArgs,
) -> String {
    let folder = args.profiles.display();
    let heading = match (new.written.len(), deleted.len()) {
        (0, 0) => format!("accepted nothing of run {}; {folder} is as it was", run.id()),
        (written, _) => format!("accepted {} of run {} into {folder}", targets(written), run.id()),
    };
    let lines = decided.iter().filter_map(|(change, choice)| {
        let line = for_terminal(&summary(change));
        match choice {
            Choice::Accept => Some(line),
            Choice::Keep => Some(format!("kept as before: {line}")),
            Choice::Skip => None,
        }
    });
    let removed = deleted
        .iter()
        .map(|(file, why)| format!("removed {}: {why}", args.profiles.join(file).display()));
    let skipped = decided.iter().filter(|(_, choice)| *choice == Choice::Skip);
    let is_kept = |change: &Change| is_unasked(change) && args.is_about(&change.target);
    let unasked = skipped.filter(|(change, _)| is_kept(change)).count();
    let unasked = (unasked > 0).then(|| {
        let results = plural(unasked, "result");
        format!("kept {results} that this run did not ask for; --code result-missing removes them")
    });
    std::iter::once(heading)
        .chain(lines)
        .chain(unasked)
        .chain(removed)
        .collect::<Vec<_>>()
        .join("\n")
}
