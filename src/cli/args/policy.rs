//! The flag that names a policy, and reading it.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use clap::Args;

use crate::cli::shell::clock;
use crate::cli::shell::error::CliError;
use crate::regress::{POLICY_VERSION, Policy};
use crate::store::StoreError;
use crate::target::ConfigError;

/// The policy that is used without being named.
const POLICY: &str = "toolprobe-policy.toml";

/// The flag that names a policy.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct PolicyArgs {
    /// The policy [default: toolprobe-policy.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

/// A policy, the rules behind it, and the day that exceptions are held against.
pub(crate) struct InForce {
    pub(crate) policy: Policy,
    pub(crate) built_in: Policy,
    pub(crate) today: NaiveDate,
    /// Whether the user has a policy, be it an empty one.
    pub(crate) is_users: bool,
}

impl PolicyArgs {
    pub(crate) fn load(&self) -> Result<InForce, CliError> {
        // Whatever is there must be one: a folder or a dead link is not "no policy".
        let usual = || Some(Path::new(POLICY)).filter(|path| path.symlink_metadata().is_ok());
        let path = self.policy.as_deref().or_else(usual);
        let policy = path.map(read).transpose()?.unwrap_or_default();
        let built_in = Policy::built_in().map_err(CliError::inconclusive)?;
        let today = clock::now()?.date_naive();
        Ok(InForce { policy, built_in, today, is_users: path.is_some() })
    }
}

fn read(path: &Path) -> Result<Policy, CliError> {
    let text = fs::read_to_string(path)
        .map_err(|error| CliError::usage(format!("cannot read {}: {error}", path.display())))?;
    check_version(path, &text)?;
    toml::from_str(&text).map_err(|error| {
        let mut wrong = ConfigError::from_toml(path, &text, &error);
        wrong.problem.push_str("; `toolprobe schema policy` says what a policy may hold");
        CliError::usage(wrong)
    })
}

/// Refuses a policy of a newer format before its fields are read, which may mean something else there.
fn check_version(path: &Path, text: &str) -> Result<(), CliError> {
    let field = "policy_version";
    let table = toml::from_str::<toml::Table>(text).unwrap_or_default();
    let found = table.get(field).and_then(toml::Value::as_integer);
    let newer = found.and_then(|it| u64::try_from(it).ok());
    match newer.filter(|found| *found > u64::from(POLICY_VERSION)) {
        None => Ok(()),
        Some(found) => {
            let (path, known) = (path.to_owned(), POLICY_VERSION);
            Err(CliError::usage(StoreError::Newer { path, field, found, known }))
        }
    }
}
