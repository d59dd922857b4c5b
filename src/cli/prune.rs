//! `toolprobe prune`: removes old runs that nothing refers to.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::args::stored::read_profiles;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::ir::Digest;
use crate::profile::Profile;
use crate::report::plural;
use crate::store::{RunFolder, StoreError};

/// Runs that are kept where nothing else is said.
const KEEP: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9);

/// Remove old runs that no snapshot refers to
///
/// Kept are the newest runs of targets, as many of other runs (probes of one
/// endpoint, adapters), every run that holds evidence of a snapshot, and runs
/// that are under way. The history in CSV stays whole.
#[derive(Debug, Args)]
pub(super) struct PruneArgs {
    /// How many of the newest runs are kept
    #[arg(long, value_name = "N", default_value_t = KEEP)]
    keep: NonZeroUsize,

    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,

    /// Where the snapshots are
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    profiles: PathBuf,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
}

pub(super) fn run(args: &PruneArgs, console: &Console) -> Result<Exit, CliError> {
    let snapshots = read_profiles(&args.profiles)?;
    let mut runs = RunFolder::list(&args.reports).map_err(CliError::usage)?;
    runs.reverse();
    let (kept, old) = split(runs, args.keep.get(), snapshots.iter().flat_map(addresses).collect())?;
    let (verb, mut removed) = (if args.dry_run { "would remove" } else { "removed" }, 0_usize);
    for run in old {
        let path = run.path().display().to_string();
        match if args.dry_run { Ok(()) } else { run.remove() } {
            Ok(()) => {
                removed += 1;
                console.result(&format!("{verb} {path}"))?;
            }
            Err(StoreError::Busy { .. }) => console.note(&format!("{path} is under way: kept")),
            Err(error) => return Err(CliError::usage(error)),
        }
    }
    console.note(&format!("{verb} {}, kept {kept}", plural(removed, "run")));
    Ok(Exit::Fine)
}

/// How many runs are kept, and which are removed. The newest come first; evidence that several runs
/// hold is kept in the newest of them.
fn split(
    runs: Vec<RunFolder>,
    keep: usize,
    mut referred: BTreeSet<Digest>,
) -> Result<(usize, Vec<RunFolder>), CliError> {
    let (mut of_targets, mut others) = (0_usize, 0_usize);
    let (mut kept, mut old) = (0, Vec::new());
    for run in runs {
        // One that cannot be read is for a person to look at.
        let is_of_targets = run.manifest().map_or(true, |manifest| manifest.is_of_targets());
        let count = if is_of_targets { &mut of_targets } else { &mut others };
        *count += 1;
        let is_new = *count <= keep;
        let evidence = run.evidence().starting_with("").map_err(CliError::usage)?;
        let held = evidence.iter().filter(|digest| referred.remove(*digest)).count();
        if is_new || held > 0 || run.manifest().is_err() {
            kept += 1;
        } else {
            old.push(run);
        }
    }
    Ok((kept, old))
}

/// All addresses of evidence in a profile.
fn addresses(profile: &Profile) -> Vec<Digest> {
    let mut found = Vec::new();
    collect(&serde_json::to_value(profile).unwrap_or_default(), &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<Digest>) {
    match value {
        Value::String(text) => found.extend(text.parse::<Digest>().ok()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
