//! The kinds of probes, one file each, and the list that registers them.

mod basic_format;
mod call;
mod closed_loop;
mod error_repair;
mod history;
mod no_call;
mod parallel;
mod reasoning_replay;
#[cfg(test)]
mod repeat;
mod streaming;
mod tool_choice;

pub(crate) use basic_format::{BasicFormat, Heard, mark_other_layers, single_tool};
pub(crate) use call::{CallCase, CallCases, CallJudge};

use super::kind::Kind;

/// Every kind of probe that a file can ask for.
pub(crate) const KINDS: &[Kind] = &[
    Kind::of::<basic_format::BasicFormat>(),
    Kind::of::<call::CallCases>(),
    Kind::of::<closed_loop::ClosedLoop>(),
    Kind::of::<parallel::Parallel>(),
    Kind::of::<error_repair::ErrorRepair>(),
    Kind::of::<reasoning_replay::ReasoningReplay>(),
    Kind::of::<streaming::Streaming>(),
    Kind::of::<history::History>(),
    Kind::of::<tool_choice::ToolChoices>(),
    Kind::of::<no_call::NoCall>(),
    #[cfg(test)]
    Kind::of::<repeat::Repeat>(),
];
