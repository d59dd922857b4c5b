//! Demands: the exit code that follows from `--require` and from missing verdicts.

use super::console::Console;
use super::exit::Exit;
use crate::campaign::open_question;
use crate::profile::{Profile, Requirement, Status};
use crate::report::for_terminal;

/// A finding is not an error: only what was demanded and is not there fails. What infrastructure
/// kept open is inconclusive.
pub(crate) fn exit(profile: &Profile, demands: &[Requirement], console: &Console) -> Exit {
    let model = for_terminal(&profile.subject.model);
    let mut exit = match open_question(profile) {
        None => Exit::Fine,
        Some(why) => {
            console.note(&format!("{model}: no verdict on {}", for_terminal(&why)));
            Exit::Inconclusive
        }
    };
    for demand in demands {
        exit = exit.and(match demand.status(profile) {
            Some(Status::Pass) => Exit::Fine,
            Some(Status::Inconclusive) | None => {
                console.note(&format!("{model}: no verdict on what is required: {demand}"));
                Exit::Inconclusive
            }
            Some(status) => {
                let status = status.as_str();
                console.note(&format!("{model}: required and not there: {demand} ({status})"));
                Exit::Failed
            }
        });
    }
    exit
}
