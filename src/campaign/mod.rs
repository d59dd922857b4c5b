//! Many targets: order, limits, resume, confirmation, both sides of an adapter.
//!
//! - `run`: the loop that probes targets, some at a time, until all are done or it is stopped (`stop`)
//! - `starts`: which target is probed next; `tasks`: those under way, on the threads of `lanes`; `simulation` (tests): whole runs on a
//!   paused clock, held against the shortest time that is possible
//! - `probe_target`: what probing one target gives, and `cost` what it costs
//! - `diagnosis`: why an endpoint gave no verdict at all, in one sentence
//! - `recorder`: what a run writes to its folder, and `resume` what of it still holds later
//! - `baseline`: which snapshots a run is compared with; `freshness`: whether a profile still holds
//! - `confirm`: sampling a suspected regression again
//! - `sharding`: which targets one of several machines asks
//! - `session`: an agent's use of one target, as eleven steps
//! - `adapter`: models probed directly and through a gateway

mod adapter;
mod baseline;
mod confirm;
mod cost;
mod diagnosis;
mod freshness;
mod lanes;
mod probe_target;
mod recorder;
mod resume;
mod run;
mod session;
mod sharding;
#[cfg(test)]
mod simulation;
mod starts;
mod stop;
mod tasks;

pub(crate) use adapter::{
    ADAPTER, Behind, BothEnds, FieldPassages, NotReached, Pair, UpstreamError, adapter_side,
    adapter_suspects, audit_fields, compare_pairs, exchanges_of, find_behind, reach_all,
};

pub(crate) use baseline::{Baseline, suspects};
pub(crate) use confirm::confirm_all;
pub use confirm::{Confirmed, Suspect, confirm};
pub(crate) use cost::{bound, foreseen};
pub(crate) use diagnosis::is_offered;
pub(crate) use freshness::freshness;
pub use probe_target::probe_target;
pub(crate) use probe_target::{ProbeTargetError, ProbedTarget, probe_with_plan};
pub(crate) use recorder::{RunRecorder, RunSubject, Share, open_question};
pub(crate) use resume::Resumed;
pub use run::RunSettings;
pub(crate) use run::{Campaign, RunEnd, RunListener};
pub use session::{Caution, Session, SessionStep};

pub(crate) use sharding::{digest_of, take_shard};
pub(crate) use starts::expected_times;
pub(crate) use stop::StopRequests;
