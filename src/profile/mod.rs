//! Profiles: what is known of a target, in a form that programs read and people diff.
//!
//! - `document`: the profile file and the capability fields at its top
//! - `results`: what each probe found, which those fields are read off
//! - `adaptation`: what an adapter must do about it, and how far the model is trusted
//! - `status`: the words and the certainty of a verdict
//! - `confirmation`: what sampling a suspected regression again showed
//! - `requirement`: what a user may demand of it
//! - `field_path`: where a field stands in a profile
//! - `trial`, `tally`, `interval`: what trials showed, and which status follows from them
//! - `capabilities`: the fields an adapter reads, from the results
//! - `client_breaks`: which clients lose a call to which defect
//! - `manner`: how a suite is asked, where flags change it; `suite_name`: how much of it
//! - `slug`: what a profile's file is called; `endpoint_id`: whether two addresses are the same endpoint
//! - `thinking`: how thinking is switched on and off
//! - `staleness`: whether a profile is still worth believing

mod adaptation;
mod capabilities;
mod client_breaks;
mod confirmation;
mod document;
mod endpoint_id;
mod field_path;
mod interval;
mod manner;
mod requirement;
mod results;
mod slug;
mod staleness;
mod status;
mod suite_name;
mod tally;
#[cfg(test)]
pub(crate) mod testing;
mod thinking;
mod trial;

pub use adaptation::{
    Claim, ClaimVerdict, Correction, CorrectionKind, ErrorMarker, FalseClaim, Keep, ParallelLimit,
    Placement, ReasoningTurns, ReasoningUse, Rollout, Setting, StreamUse, Tier, ToolOffer,
};
pub use capabilities::capabilities;
pub use client_breaks::{ClientBreak, ReplyMode};
pub(crate) use client_breaks::{clients_broken_by, lower_by_clients};
pub use confirmation::{Confirmation, Decision, Observed};
pub(crate) use document::PROFILE_VERSION;
pub use document::{
    Capabilities, ErrorRepair, Profile, ReasoningReplay, SchemaLevel, Subject, ToolCallFormat,
    UnitCost,
};
pub(crate) use endpoint_id::{EndpointId, origin};
pub use field_path::FieldPath;
pub(crate) use interval::wilson;
pub use manner::{Manner, Mode};
pub use requirement::Requirement;
pub(crate) use results::ProbeResult;
pub use results::{
    CaseResult, CaseVerdict, Cases, History, JsonText, Loop, ParallelTool, ProbeOutcome, Repair,
    Replay, ReplayMode, Results, SingleTool, Streaming, Strictness, Switch, Taken, Variant,
};
pub(crate) use slug::slug;
pub(crate) use staleness::{Staleness, staleness};
pub use status::{Interval, Status};
pub use suite_name::SuiteName;
pub(crate) use tally::Tally;
pub use thinking::ThinkingSwitch;
pub(crate) use trial::{Finding, Observation};
