//! JSON: the profile of one target, or the manifest of a run with its profiles.

use std::io;

use serde::Serialize;

use super::Report;
use crate::profile::Profile;
use crate::store::Manifest;

#[derive(Serialize)]
struct Run<'a> {
    run: &'a Manifest,
    profiles: &'a [Profile],
}

pub(super) fn render(report: &Report<'_>) -> io::Result<String> {
    let text = match (report.run, report.profiles) {
        (None, [profile]) => serde_json::to_string_pretty(profile),
        (None, profiles) => serde_json::to_string_pretty(profiles),
        (Some(run), profiles) => serde_json::to_string_pretty(&Run { run, profiles }),
    };
    Ok(text? + "\n")
}
