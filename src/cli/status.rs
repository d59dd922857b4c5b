//! `toolprobe status`: which profiles are missing, stale or fresh, and why.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::args::asking::SuiteArgs;
use super::args::output::PlainFormat;
use super::args::scope::{NOWHERE, ScopeArgs};
use super::shell::clock;
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::campaign::freshness;
use crate::profile::{Profile, Staleness};
use crate::report::{grid, plural};
use crate::store::ProfileFolder;
use crate::target::Target;

/// Say which profiles are missing, stale or fresh, and why
///
/// Nothing is asked of any endpoint. Exits 0, or with --check 1 if a profile
/// is missing or stale.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    scope: ScopeArgs,

    /// The folder of profiles
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    profiles: PathBuf,

    #[command(flatten)]
    suite: SuiteArgs,

    /// Exit 1 if a profile is missing or stale
    #[arg(long)]
    check: bool,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,
}

/// One target and its profile.
struct Row {
    name: String,
    /// When the profile was measured.
    verified_at: Option<String>,
    staleness: Staleness,
}

pub(super) fn run(args: &StatusArgs, console: &Console) -> Result<Exit, CliError> {
    let rows = rows(args, console)?;
    let text = match args.format {
        PlainFormat::Json => {
            let rows: Vec<Value> = rows.iter().map(Row::json).collect();
            serde_json::to_string_pretty(&rows).map_err(CliError::inconclusive)?
        }
        PlainFormat::Table => {
            grid(&["target", "profile", "verified", "why"], rows.iter().map(Row::cells))
        }
    };
    console.result(&text)?;
    let fresh = rows.iter().filter(|row| row.is_fresh()).count();
    console.note(&format!("fresh: {fresh} of {}", plural(rows.len(), "profile")));
    Ok(if args.check && fresh < rows.len() { Exit::Failed } else { Exit::Fine })
}

fn rows(args: &StatusArgs, console: &Console) -> Result<Vec<Row>, CliError> {
    let scope = args.scope.load()?;
    scope.warn_of_simulation(console);
    let version = args.suite.suite_of(scope.defaults())?.version().to_owned();
    let read = ProfileFolder::new(&args.profiles).read_all().map_err(CliError::usage)?;
    let profiles: Vec<Profile> = read.into_iter().map(|(_, profile)| profile).collect();
    let now = clock::now()?;
    let row = |target: Target| {
        let found = freshness(&target, &profiles, &version, now);
        let (profile, staleness) = found.map_err(CliError::usage)?;
        let verified_at = profile.map(|it| it.verified_at.format("%Y-%m-%d %H:%M").to_string());
        Ok(Row { name: target.name, verified_at, staleness })
    };
    scope.targets(NOWHERE)?.into_iter().map(row).collect()
}

impl Row {
    fn is_fresh(&self) -> bool {
        matches!(self.staleness, Staleness::Fresh { .. })
    }

    fn state(&self) -> &'static str {
        match self.staleness {
            Staleness::Fresh { .. } => "fresh",
            Staleness::Stale(_) => "stale",
            Staleness::Missing => "missing",
        }
    }

    fn why(&self) -> Vec<String> {
        match &self.staleness {
            Staleness::Fresh { until } => vec![format!("until {}", until.format("%Y-%m-%d %H:%M"))],
            Staleness::Stale(reasons) => reasons.iter().map(ToString::to_string).collect(),
            Staleness::Missing => vec!["never measured, or not accepted yet".to_owned()],
        }
    }

    fn cells(&self) -> Vec<String> {
        let symbol = match self.staleness {
            Staleness::Fresh { .. } => "✓",
            Staleness::Stale(_) => "~",
            Staleness::Missing => "✗",
        };
        vec![
            self.name.clone(),
            format!("{symbol} {}", self.state()),
            self.verified_at.clone().unwrap_or_else(|| "–".to_owned()),
            self.why().join("; "),
        ]
    }

    fn json(&self) -> Value {
        let until = match &self.staleness {
            Staleness::Fresh { until } => Some(until),
            Staleness::Stale(_) | Staleness::Missing => None,
        };
        let reasons = if self.is_fresh() { Vec::new() } else { self.why() };
        json!({"name": self.name, "state": self.state(), "verifiedAt": self.verified_at,
               "freshUntil": until, "reasons": reasons})
    }
}
