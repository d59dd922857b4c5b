//! JSON: the profile of one target, or the manifest of a run with its profiles.

use std::io;

use serde::Serialize;

use super::Report;
use crate::profile::Profile;
use crate::regress::Gate;
use crate::store::Manifest;

#[derive(Serialize)]
struct RunDocument<'a> {
    run: &'a Manifest,
    profiles: &'a [Profile],
    /// What the gate made of it, where there were snapshots.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<&'a Gate>,
}

pub(super) fn render(report: &Report<'_>) -> io::Result<String> {
    let text = match (report.run, report.profiles) {
        (None, [profile]) => serde_json::to_string_pretty(profile),
        (None, profiles) => serde_json::to_string_pretty(profiles),
        (Some(run), profiles) => {
            let gate = report.gate.and_then(|changes| changes.gate);
            serde_json::to_string_pretty(&RunDocument { run, profiles, gate })
        }
    };
    Ok(text? + "\n")
}
