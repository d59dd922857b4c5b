//! Claims: what static tables say of a model, held against what was measured.
//!
//! - `tables`: the shapes in which tables make claims
//! - here: which of them the measurement contradicts, and in which direction

mod tables;

use serde::Serialize;

pub(crate) use tables::server_claims;
pub use tables::{BadTable, read_claims};

use crate::ir::Layer;
use crate::profile::{
    Claim, ClaimVerdict, FalseClaim, Profile, ReplayMode, Status, ToolCallFormat,
};
use crate::prompted::ToolDelivery;

/// One claim about one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimOf {
    /// The model, as the table names it; empty where the table is about one model only.
    pub model: String,
    /// What is claimed.
    pub claim: Claim,
    /// Whether it is said to be so.
    pub says: bool,
}

/// A claim and what was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimCheck {
    /// The model, by its name in the static table.
    pub model: String,
    /// What is claimed.
    pub claim: Claim,
    /// Whether it is said to be so.
    pub claimed: bool,
    /// Whether it was found to be so; null without a verdict.
    pub measured: Option<bool>,
    /// What follows.
    pub verdict: ClaimVerdict,
}

/// Holds the claims about a profile's model against the profile.
pub fn check_claims(claims: &[ClaimOf], profile: &Profile) -> Vec<ClaimCheck> {
    let own = claims.iter().filter(|it| is_about(&it.model, profile));
    own.map(|it| {
        let measured = measured_value(it.claim, profile);
        let verdict = match (it.says, measured) {
            (_, None) => ClaimVerdict::Unmeasured,
            (true, Some(false)) => ClaimVerdict::FalseYes,
            (false, Some(true)) => ClaimVerdict::FalseNo,
            (true, Some(true)) | (false, Some(false)) => ClaimVerdict::Holds,
        };
        let model = profile.subject.name();
        ClaimCheck { model, claim: it.claim, claimed: it.says, measured, verdict }
    })
    .collect()
}

/// The claims of a server about the model it serves that the profile contradicts.
pub fn false_claims(said: &[(&str, ClaimOf)], profile: &Profile) -> Vec<FalseClaim> {
    let checked = said.iter().flat_map(|(source, claim)| {
        let checks = check_claims(std::slice::from_ref(claim), profile);
        checks.into_iter().map(|check| FalseClaim {
            source: (*source).to_owned(),
            claim: check.claim,
            verdict: check.verdict,
        })
    });
    checked.filter(|it| it.verdict.is_false()).collect()
}

/// Whether a name in a table means a profile's model: the same name, with or without a provider.
fn is_about(name: &str, profile: &Profile) -> bool {
    let (model, full) = (&profile.subject.model, profile.subject.name());
    let last = name.rsplit('/').next().unwrap_or(name);
    name.is_empty()
        || [name, last].iter().any(|it| it.eq_ignore_ascii_case(model))
        || name.eq_ignore_ascii_case(&full)
}

fn measured_value(claim: Claim, profile: &Profile) -> Option<bool> {
    let (found, results) = (&profile.capabilities, &profile.results);
    match claim {
        Claim::Tools => {
            let single = results.single_tool.as_ref()?;
            let is_native = single.layer == Some(Layer::Structured)
                && single.delivery == Some(ToolDelivery::Native);
            found.tool_call_format.map(|format| format != ToolCallFormat::None && is_native)
        }
        Claim::Parallel => found.supports_parallel_tool_use,
        Claim::ToolChoice => {
            let status = results.extended.get("tool-choice")?.outcome.status;
            status.is_conclusive().then_some(status == Status::Pass)
        }
        Claim::Reasoning => found.reasoning_replay.mode.map(|mode| mode != ReplayMode::Absent),
        Claim::ReasoningReplay => match found.reasoning_replay.mode? {
            ReplayMode::Required | ReplayMode::Accepted => Some(true),
            ReplayMode::Ignored | ReplayMode::Rejected => Some(false),
            ReplayMode::Absent => None,
        },
    }
}

#[cfg(test)]
mod tests;
