//! What is known of an endpoint, in a form that programs read and people diff?
//!
//! - [`document`](self): the profile file and the capability fields at its top
//! - [`results`](self): what each probe found, which those fields are read off
//! - [`status`](self): the words and the certainty of a verdict
//! - [`confirmation`](self): what sampling a suspected regression again showed
//! - [`requirement`](self): what a user may demand of it
//! - [`store`]: the files of a run; [`slug`](self): what a profile's file is called
//! - [`thinking`](self): how thinking is switched on and off
//! - [`staleness`](self): whether a profile is still worth believing

mod confirmation;
mod document;
mod requirement;
mod results;
mod slug;
mod staleness;
mod status;
pub mod store;
#[cfg(test)]
mod testing;
mod thinking;

pub use confirmation::{Confirmation, Decision, Observed};
pub use document::{
    Capabilities, ErrorRepair, PROFILE_VERSION, Profile, ReasoningReplay, SchemaLevel, Subject,
    ToolCallFormat, UnitCost,
};
pub use requirement::Requirement;
pub use results::{
    CaseResult, CaseVerdict, Cases, History, JsonText, Loop, Outcome, ParallelTool, Repair, Replay,
    ReplayMode, Results, SingleTool, Streaming, Strictness, Switch, Taken, ToolDelivery, Variant,
};
pub use slug::slug;
pub use staleness::{StaleReason, Staleness, predecessor, staleness};
pub use status::{Interval, Status};
pub use thinking::ThinkingSwitch;
