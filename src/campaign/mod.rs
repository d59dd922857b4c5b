//! Many targets: order, limits, resume, confirmation, both sides of an adapter.
//!
//! - `run`: the loop that probes targets, some at a time, until all are done or it is stopped
//! - `probe_target`: what probing one target gives, and `cost` what it costs
//! - `recorder`: what a run writes to its folder, and `resume` what of it still holds later
//! - `baseline`: which snapshots a run is compared with; `freshness`: whether a profile still holds
//! - `confirm`: sampling a suspected regression again
//! - `adapter`: models probed directly and through a gateway

mod adapter;
mod baseline;
mod confirm;
mod cost;
mod freshness;
mod probe_target;
mod recorder;
mod resume;
mod run;

pub(crate) use adapter::{
    ADAPTER, Behind, Pair, adapter_side, adapter_suspects, compare_pairs, find_behind, reach_all,
};
pub(crate) use baseline::{comparable, suspects};
pub(crate) use confirm::confirm_all;
pub use confirm::{Confirmed, Suspect, confirm};
pub(crate) use cost::foreseen;
pub(crate) use freshness::freshness;
pub use probe_target::{ProbeTargetError, ProbedTarget, probe_target};
pub(crate) use recorder::{RunRecorder, RunSubject, open_question};
pub(crate) use resume::Resumed;
pub use run::RunSettings;
pub(crate) use run::{Campaign, RunEnd, RunListener};
