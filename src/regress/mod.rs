//! What changed, is it real, and does it matter?
//!
//! - [`diff`](self): the changes between two sets of profiles
//! - [`field`](self): which fields differ; [`cause`](self): which of them is the cause of the others
//! - [`rule`](self), [`rules`](self): the table that says what each difference is called
//! - [`adapter`](self): what an adapter fixes, breaks and hides; [`seen`](self): what there is to hide
//! - [`change`](self): one change, with its evidence on both sides
//! - [`policy`](self), [`gate`](self): which changes fail a build
//! - [`code`](self), [`codes`](self): the names in a policy, what they mean and what to do
//! - [`replays`](self): what replays of transcripts find
//! - [`snapshot`](self): what may become a snapshot, and what of it is kept
//! - [`suspicion`](self): what a suspected regression is about; [`sprt`](self): is it one, or noise?
//! - [`drift`](self): what declines over nights, and what is too flaky to be judged

mod adapter;
mod cause;
mod change;
mod code;
mod codes;
mod defect_weight;
mod diff;
mod drift;
mod field;
#[cfg(test)]
mod fixtures;
mod gate;
mod glob;
mod policy;
mod replays;
mod rule;
mod rules;
mod seen;
mod snapshot;
mod sprt;
mod suspicion;
#[cfg(test)]
mod testing;

pub use adapter::{AdapterSide, Effect, as_translated, compare_through_adapter, effect_of};
pub use change::{Change, Class, FieldChange, Severity, Sides};
pub use code::Code;
pub use codes::{Explanation, Kind, explain, explanations};
pub use diff::{Diff, diff, in_scope};
pub use drift::{Drift, drifts, flaky};
pub use gate::{Because, Gate, GateOutcome, Quarantine, Ruling, gate, outdated, ruled};
pub use glob::Glob;
pub use policy::{About, Day, Exception, Level, Policy, PolicyRule};
pub use replays::{
    REPLAYS, REQUEST_CHANGED, REQUEST_MISSING, ReplayRule, STREAM_CUT_SHORT, STREAM_RECUT,
    VERDICT_CHANGED,
};
pub use rule::{Rest, Rule, When};
pub use rules::rules;
pub use seen::{Answered, Detail, Glimpse, Seen};
pub use snapshot::{KEPT_EVIDENCE, Unacceptable, acceptable, trimmed};
pub use sprt::{SequentialTest, TestPlan, estimate, has_fallen};
pub use suspicion::Suspicion;
