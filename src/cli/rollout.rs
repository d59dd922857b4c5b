//! `toolprobe rollout`: how far each model is trusted with tools, and what would move it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::Args;

use super::args::output::PlainFormat;
use super::args::telemetry_file::read_events;
use super::shell::clock;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::adapt::rollout::{Facts, ROLLOUT_VERSION, RolloutState, Standing, evaluate};
use crate::probe::Suite;
use crate::profile::{Profile, Staleness, staleness};
use crate::report::grid;
use crate::store::{Completion, RunFolder, VersionedFile};
use crate::telemetry::{Counts, TurnEvent};

const STATE: VersionedFile =
    VersionedFile { what: "rollout state", field: "rolloutVersion", version: ROLLOUT_VERSION };

/// How long a profile holds where nothing else is said.
const DAYS: u64 = 7;

/// Say how far each model is trusted with tools, and what would move it
///
/// Tiers are blocked, shadow, read-only and full. A new profile starts in
/// shadow. It rises one tier at a time, after repeated complete runs or healthy
/// telemetry, and falls by itself in one evaluation when a metric degrades, a
/// profile gets worse, or it goes stale. Where each model stands is kept in
/// --state, with every move.
#[derive(Debug, Args)]
pub(super) struct RolloutArgs {
    /// Telemetry of real use: JSON lines, `-` is standard input
    #[arg(long, value_name = "FILE")]
    telemetry: Vec<PathBuf>,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    /// The file of tiers and their history
    #[arg(long, value_name = "FILE", default_value = "rollout.json")]
    state: PathBuf,

    /// Days that a profile holds
    #[arg(long, value_name = "N", default_value_t = DAYS)]
    days: u64,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,
}

/// What the complete runs say of a target.
struct Measured {
    profile: Profile,
    /// The file of its profile, which is its name.
    name: String,
    /// How many runs there are that may promote it.
    runs: usize,
}

pub(super) fn run(args: &RolloutArgs, console: &Console) -> Result<Exit, CliError> {
    let (now, events) = (clock::now()?, read_events(&args.telemetry)?);
    // Of two evaluations at once, the second one goes on from where the first one left.
    let _lock = VersionedFile::lock(&args.state).map_err(CliError::usage)?;
    let mut state: RolloutState =
        STATE.read_if_there(&args.state).map_err(CliError::usage)?.unwrap_or_default();
    let measured = latest_profiles(args)?;
    if measured.is_empty() {
        let folder = args.reports.display();
        return Err(CliError::usage(format!(
            "no complete run in {folder}; `toolprobe run` makes one"
        )));
    }
    let suite = Suite::embedded().map_err(CliError::usage)?;
    for (target, found) in &measured {
        let standing = state.targets.get(target).filter(|it| it.profile == found.name);
        let own = turns(&events, target, &found.profile, standing);
        let facts = Facts {
            profile: &found.profile,
            stale: stale(&found.profile, suite.version(), args.days, now),
            // Counted, not timed: several runs and evaluations fit into the second that a time is told by.
            runs: standing.map_or(0, |it| found.runs.saturating_sub(it.runs)),
            turns: own.iter().filter(|event| is_since(event, standing, now)).count(),
            telemetry: (!own.is_empty()).then(|| Counts::of(own).metrics()),
        };
        let decision = evaluate(standing, &facts);
        state.record(target, &found.name, decision, now, found.runs);
    }
    STATE.write(&args.state, &state).map_err(CliError::usage)?;
    console.result(&render(args.format, &state)?)?;
    Ok(Exit::Fine)
}

/// The newest profile of each target of the complete runs.
fn latest_profiles(args: &RolloutArgs) -> Result<BTreeMap<String, Measured>, CliError> {
    let mut found: BTreeMap<String, Measured> = BTreeMap::new();
    for folder in RunFolder::list(&args.reports).map_err(CliError::usage)? {
        let Ok(manifest) = folder.manifest() else { continue };
        if manifest.completion != Completion::Complete || !manifest.is_of_targets() {
            continue;
        }
        let profiles = folder.profiles().read_all().map_err(CliError::usage)?;
        let by_file: BTreeMap<String, Profile> = profiles.into_iter().collect();
        for target in &manifest.targets {
            let Some(name) = &target.profile else { continue };
            let Some(profile) = by_file.get(name) else { continue };
            let before = found.remove(&target.name).filter(|it| it.name == *name);
            let runs = before.map_or(0, |it| it.runs) + usize::from(!manifest.shadow);
            let measured = Measured { profile: profile.clone(), name: name.clone(), runs };
            found.insert(target.name.clone(), measured);
        }
    }
    Ok(found)
}

fn stale(profile: &Profile, version: &str, days: u64, now: DateTime<Utc>) -> Vec<String> {
    let ttl = Duration::from_secs(days.saturating_mul(24 * 60 * 60));
    match staleness(Some(profile), &profile.subject, version, now, ttl) {
        Staleness::Fresh { .. } => Vec::new(),
        Staleness::Stale(reasons) => reasons.iter().map(ToString::to_string).collect(),
        Staleness::Missing => vec!["never measured".to_owned()],
    }
}

/// The turns of a target since it last moved. Those without a time are among them: what is wrong with them counts.
fn turns<'e>(
    events: &'e [TurnEvent],
    target: &str,
    profile: &Profile,
    standing: Option<&Standing>,
) -> Vec<&'e TurnEvent> {
    let name = profile.subject.name();
    let is_old =
        |event: &TurnEvent| standing.is_some_and(|it| time(event).is_some_and(|at| at <= it.since));
    let is_own = |event: &&TurnEvent| {
        let about = event.target.as_deref();
        (about == Some(target) || about == Some(&name)) && !is_old(event)
    };
    events.iter().filter(is_own).collect()
}

/// Whether a turn is known to be of the time since the last move, so that it can promote, and only once.
fn is_since(event: &TurnEvent, standing: Option<&Standing>, now: DateTime<Utc>) -> bool {
    // Moves are kept to the second.
    let is_after = |at: i64| standing.is_some_and(|it| at > it.since.timestamp());
    time(event).map(|at| at.timestamp()).is_some_and(|at| at <= now.timestamp() && is_after(at))
}

fn time(event: &TurnEvent) -> Option<DateTime<Utc>> {
    event.at.as_deref().and_then(|at| at.parse().ok())
}

fn render(format: PlainFormat, state: &RolloutState) -> Result<String, CliError> {
    match format {
        PlainFormat::Json => serde_json::to_string_pretty(state).map_err(CliError::inconclusive),
        PlainFormat::Table => {
            let row = |(name, it): (&String, &Standing)| {
                vec![name.clone(), it.tier.to_string(), it.because.join("; "), it.next.join("; ")]
            };
            Ok(grid(
                &["target", "tier", "because", "what would move it"],
                state.targets.iter().map(row),
            ))
        }
    }
}
