//! Plans: the smallest set of corrections that a profile calls for.
//!
//! - `rules`: one row per kind of correction
//! - `contract`: what each dialect demands of every client, so that it needs no correction
//! - `gain`: what a plan regains
//! - `document`: the plan that is printed and applied

mod contract;
mod document;
mod gain;
mod rules;

pub(crate) use document::PLAN_VERSION;
pub use document::Plan;
pub(crate) use gain::{Gain, GainChange, gains};
pub use rules::{RULES, Rule, corrections};
