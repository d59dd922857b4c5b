//! Rollout: how far a model is trusted with tools, and what moves it.
//!
//! - `limits`: the table of what keeps a profile below a tier, and which metrics count as degraded
//! - `evaluate`: one evaluation: down at once, up one step, and only on repeated evidence
//! - `state`: what is kept between evaluations
//! - `gate`: the hook that keeps a tool from running

mod evaluate;
mod gate;
mod limits;
mod state;

pub(crate) use evaluate::{Decision, Facts, evaluate};
pub(crate) use gate::TierGate;
pub(crate) use limits::{degraded_metrics, rollout};
pub(crate) use state::{Mode, ROLLOUT_VERSION, RolloutState, Standing};
