//! Demands: the exit code that follows from `--require` and from missing verdicts.

use super::console::Console;
use super::exit::Exit;
use crate::campaign::open_question;
use crate::profile::{Profile, Requirement, Status};
use crate::report::for_terminal;

/// A finding is not an error: only what was demanded and is not there fails. What infrastructure
/// kept open is inconclusive. Either is told whatever `-q` says: it is why the exit code is not 0.
pub(crate) fn exit(
    name: &str,
    profile: &Profile,
    demands: &[Requirement],
    console: &Console,
) -> Exit {
    let name = for_terminal(name);
    let mut exit = Exit::Fine;
    if let Some(open) = open_question(profile) {
        exit = Exit::Inconclusive;
        if !profile.results.has_verdict() {
            let why = profile.results.outcomes().next().map(|it| it.reason.as_str());
            let why = for_terminal(why.unwrap_or(&open));
            console.problem(&format!("{name}: no verdict: {why}"));
            return exit;
        }
        console.problem(&format!("{name}: no verdict on {}", for_terminal(&open)));
    }
    for demand in demands {
        exit = exit.and(match demand.status(profile) {
            Some(Status::Pass) => Exit::Fine,
            Some(Status::Inconclusive) | None => {
                console.problem(&format!("{name}: no verdict on what is required: {demand}"));
                Exit::Inconclusive
            }
            Some(status) => {
                let status = status.as_str();
                console.problem(&format!("{name}: required and not there: {demand} ({status})"));
                Exit::Failed
            }
        });
    }
    exit
}
