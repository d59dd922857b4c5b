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
pub mod passage;
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

pub use adapter::{AdapterEffect, AdapterSide, as_translated, compare_through_adapter};
pub use change::{Change, ChangeClass, FieldChange, Severity, Sides};
pub use client_view::{AnswerKind, ClientView, SeenAnswer};
pub use code::Code;
pub use diff::{Diff, Pairs, diff};
pub use drift::{Drift, Undecided, find_drifts, flaky_probes, undecided};
pub use explain::{CodeKind, Explanation, explain, explanations};
pub use gate::{Gate, GateOutcome, Quarantine, Ruling, expired_exceptions, gate, rule_on};
pub use glob::Glob;
pub use merge::merge_accepted;
pub use policy::{Day, Exception, Level, POLICY_VERSION, Policy, PolicyInput, PolicyRule};
pub use replay_rules::ReplayRule;
pub(crate) use replay_rules::{
    CONVERSATION_DIVERGED, FIELD_ADDED, FIELD_CHANGED, FIELD_DROPPED, FIELD_REFUSED,
    REQUEST_CHANGED, REQUEST_MISSING, REQUEST_UNRECORDED, STREAM_CUT_SHORT, STREAM_RECUT,
    VERDICT_CHANGED,
};
pub use snapshot::{Unacceptable, check_acceptable, trim_evidence};
pub use sprt::{SequentialTest, TestPlan};
pub use suspicion::Suspicion;
pub use unrecorded::{Speaker, Unrecorded, with_unrecorded};

use client_view::Detail;
use replay_rules::REPLAYS;
use rule::{Explains, Rule, When};
use rules::rules;
use sprt::{estimate, has_fallen};
