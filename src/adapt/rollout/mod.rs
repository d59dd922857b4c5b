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

pub use evaluate::{Decision, Facts, HEALTHY_TURNS, REPEATED_RUNS, evaluate};
pub use gate::TierGate;
pub use limits::{Bound, DEGRADED, LIMITS, Limit, degraded, rollout};
pub use state::{Mode, Move, ROLLOUT_VERSION, RolloutState, Standing, ToolUse};
