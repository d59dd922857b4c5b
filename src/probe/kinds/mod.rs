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

// What kinds are written with.
use super::bench::Bench;
use super::calls::{Fit, best_fit, describe_displaced, describe_missing_call, layer_words};
use super::cases::{list_cases, mark_displaced, missing_case_reply};
use super::estimate::{Costing, Estimate, Load, count};
use super::kind::{Asking, Blocked, Kind, Known, ProbeKind, SettledTrial, TrialId};
use super::offer::Offer;
use super::outcome::{case_result, outcome};
use super::reasoning_change::Change;
use super::receipt::{answer_text, describe_answer, holds, receipt};
use super::suite::{CallAsk, Calls, OneCall};
use super::together::hold_together;
use super::trial::{Case, SettledCase, Trial, missing_reply, missing_start, variant};
use super::{Probe, Seed, Wanted, ask_for};

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
