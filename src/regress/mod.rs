//! What changed, is it real, and does it matter?
//!
//! - [`diff`](self): the changes between two sets of profiles
//! - [`field`](self): which fields differ; [`cause`](self): which of them is the cause of the others
//! - [`rule`](self), [`rules`](self): the table that says what each difference is called
//! - [`change`](self): one change, with its evidence on both sides
//! - [`policy`](self), [`gate`](self): which changes fail a build
//! - [`codes`](self): what a code means and what to do
//! - [`snapshot`](self): what may become a snapshot, and what of it is kept
//! - [`suspicion`](self): what a suspected regression is about; [`sprt`](self): is it one, or noise?
//! - [`drift`](self): what declines over nights, and what is too flaky to be judged

mod cause;
mod change;
mod codes;
mod diff;
mod drift;
mod field;
#[cfg(test)]
mod fixtures;
mod gate;
mod glob;
mod policy;
mod rule;
mod rules;
mod snapshot;
mod sprt;
mod suspicion;
#[cfg(test)]
mod testing;

pub use change::{Change, Class, FieldChange, Severity, Sides};
pub use codes::{Explanation, Kind, explain, explanations};
pub use diff::{Cost, Diff, Measured, diff, in_scope, target_name};
pub use drift::{Drift, drifts, flaky};
pub use gate::{Gate, Outcome, Quarantine, Ruling, gate};
pub use glob::Glob;
pub use policy::{Day, Exception, Level, Policy, PolicyRule};
pub use rule::{Code, Rest, Rule, When};
pub use rules::rules;
pub use snapshot::{KEPT_EVIDENCE, Unacceptable, acceptable, trimmed};
pub use sprt::{SequentialTest, TestPlan, estimate, has_fallen};
pub use suspicion::Suspicion;
