//! Regression: what changed, whether it is real, and whether it matters.
//!
//! - `diff`: the changes between two sets of profiles; `change`: one change, with its evidence
//! - `rule`, `rules`: the table that names each difference
//! - `adapter`: what an adapter fixes, breaks and hides; `client_view`: what there is to hide
//! - `passage`: what an adapter does to requests and replies on their way
//! - `told_once`: one breakage is one row
//! - `policy`, `gate`: which changes fail a build; `glob`: patterns for the names of targets
//! - `code`, `explain`: the names in a policy, what they mean and what to do
//! - `replay_rules`: what replays of transcripts find
//! - `snapshot`: what may become a snapshot, and what of it is kept; `merge`: one that takes over a part
//! - `suspicion`: what a suspected regression is about; `sprt`: whether it is one, or noise
//! - `drift`: slow declines over many runs, and probes that are too flaky to be judged

mod adapter;
mod change;
mod client_view;
mod code;
mod diff;
mod drift;
mod explain;
#[cfg(test)]
pub(crate) mod fixtures;
mod gate;
mod glob;
mod merge;
pub(crate) mod passage;
mod policy;
mod replay_rules;
mod rule;
mod rules;
mod snapshot;
mod sprt;
mod suspicion;
#[cfg(test)]
mod testing;
mod told_once;
mod unrecorded;

pub(crate) use adapter::{AdapterEffect, AdapterSide, as_translated, compare_through_adapter};
pub(crate) use change::{Change, ChangeClass, FieldChange, Severity, Sides};
pub(crate) use client_view::{AnswerKind, ClientView, SeenAnswer};
pub(crate) use code::Code;
pub use diff::diff;
pub(crate) use diff::{Diff, Pairs};
pub(crate) use drift::{Drift, find_drifts, flaky_probes, why_undecided};
pub(crate) use explain::{CodeKind, Explanation, explain, explanations};
pub(crate) use gate::{Gate, GateOutcome, Quarantine, Ruling, expired_exceptions, gate, rule_on};
pub(crate) use glob::Glob;
pub(crate) use merge::merge_accepted;
pub use policy::Policy;
pub(crate) use policy::{Exception, Level, POLICY_VERSION, PolicyInput};
pub(crate) use replay_rules::{
    CONVERSATION_DIVERGED, FIELD_ADDED, FIELD_CHANGED, FIELD_DROPPED, FIELD_REFUSED,
    REQUEST_CHANGED, REQUEST_MISSING, REQUEST_UNRECORDED, ReplayRule, STREAM_CUT_SHORT,
    STREAM_RECUT, VERDICT_CHANGED,
};
pub(crate) use snapshot::{check_acceptable, trim_evidence};
pub(crate) use sprt::SequentialTest;
pub use sprt::TestPlan;
pub use suspicion::Suspicion;
pub(crate) use unrecorded::{Speaker, Unrecorded, with_unrecorded};

use client_view::Detail;
use replay_rules::REPLAYS;
use rule::{Explains, Rule, When};
use rules::rules;
use sprt::{estimate, has_fallen};
