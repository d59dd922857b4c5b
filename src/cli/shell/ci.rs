//! The CI service that a command runs in, where the environment names one.

use std::path::Path;

use super::console::Console;
use super::error::CliError;
use crate::report::{Changes, append_summary, changes_annotations};

/// Whether a CI service runs the command.
pub(crate) fn is_ci() -> bool {
    variable("CI").is_some()
}

/// The page of the job, which has its artefacts.
pub(crate) fn job_link() -> Option<String> {
    let github = || {
        let server = variable("GITHUB_SERVER_URL")?;
        let (repository, run) = (variable("GITHUB_REPOSITORY")?, variable("GITHUB_RUN_ID")?);
        Some(format!("{server}/{repository}/actions/runs/{run}#artifacts"))
    };
    let gitlab = || variable("CI_JOB_URL").map(|url| format!("{url}/artifacts/browse"));
    let is_link = |url: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/#".contains(c);
        url.starts_with("http") && url.chars().all(plain)
    };
    github().or_else(gitlab).filter(is_link)
}

/// Annotates the changes and adds them to the job's summary, where the service offers that.
pub(crate) fn announce(console: &Console, changes: &Changes<'_>) -> Result<(), CliError> {
    if variable("GITHUB_ACTIONS").is_some() {
        for command in changes_annotations(changes) {
            console.workflow_command(&command);
        }
    }
    match variable("GITHUB_STEP_SUMMARY") {
        Some(file) => Ok(append_summary(Path::new(&file), changes)?),
        None => Ok(()),
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
