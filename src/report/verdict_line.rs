//! The verdict on one target, in one line.

use super::for_terminal;
use super::view::symbol;
use crate::profile::{Profile, Status};

/// The probes that did not pass, gravest first; or that all passed; or why there is no verdict.
pub(crate) fn verdict_line(profile: &Profile) -> String {
    let outcomes: Vec<_> = profile.results.outcomes().collect();
    if !profile.results.has_verdict() {
        let why = outcomes.first().map(|it| for_terminal(&it.reason)).unwrap_or_default();
        return format!("{} no verdict: {why}", symbol(Status::Inconclusive));
    }
    let of = |status: Status| {
        let those = outcomes.iter().filter(|it| it.status == status);
        let names: Vec<String> = those.map(|it| for_terminal(&it.probe)).collect();
        (!names.is_empty()).then(|| format!("{} {}", symbol(status), names.join(", ")))
    };
    let parts: Vec<String> =
        [Status::Fail, Status::Inconclusive, Status::Partial].into_iter().filter_map(of).collect();
    match parts.as_slice() {
        [] => format!("{} all passed", symbol(Status::Pass)),
        parts => parts.join("; "),
    }
}
