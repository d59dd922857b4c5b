//! Plans on a terminal: what to do, and what was found.

use super::table::pairs;
use super::{TerminalStyle, for_terminal};
use crate::profile::{ClaimVerdict, Correction, FalseClaim, Rollout, Subject};

/// A plan by itself, under the name of what it is about.
pub(crate) fn plan_table(
    subject: &Subject,
    corrections: &[Correction],
    style: TerminalStyle,
) -> String {
    let name = for_terminal(&subject.name());
    if corrections.is_empty() {
        return format!("{name}: nothing to correct\n");
    }
    let rows = corrections.iter().flat_map(|correction| {
        let setting = (correction.setting.kind().as_str(), correction.setting.summary());
        [setting, ("", correction.why.clone()), ("", correction.because.join(", "))]
    });
    format!("{name}\n{}\n", pairs(rows, style))
}

/// How far a model is trusted, as names and values.
pub(super) fn rollout_rows(rollout: &Rollout) -> Vec<(&'static str, String)> {
    let Rollout { tier, ceiling, because } = rollout;
    let rise = match because.as_slice() {
        [] => format!("{ceiling}, with repeated runs or telemetry"),
        because => format!("{ceiling}, because {}", because.join("; ")),
    };
    vec![("tier", tier.to_string()), ("may rise to", rise)]
}

/// The corrections as names and values, one line each.
pub(super) fn plan_rows(corrections: &[Correction]) -> Vec<(&'static str, String)> {
    let row = |it: &Correction| (it.setting.kind().as_str(), it.setting.summary());
    corrections.iter().map(row).collect()
}

/// What the server says and the results contradict, as names and values.
pub(super) fn claim_rows(claims: &[FalseClaim]) -> Vec<(&str, String)> {
    let row = |it: &FalseClaim| {
        let (said, found) = match it.verdict {
            ClaimVerdict::FalseNo => ("no", "yes"),
            ClaimVerdict::FalseYes | ClaimVerdict::Holds | ClaimVerdict::Unmeasured => {
                ("yes", "no")
            }
        };
        (it.claim.as_str(), format!("/{} says {said}, measured {found}", it.source))
    };
    claims.iter().map(row).collect()
}
