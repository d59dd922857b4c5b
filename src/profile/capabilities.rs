//! Capabilities: the settings that follow from what the probes found.
//!
//! The one place where results become the fields that adapters read, so that stored results can be
//! judged again when the rules improve. Null means that no verdict was reached.

use crate::profile::{
    Capabilities, CaseResult, CaseVerdict, Cases, ErrorRepair, ProbeOutcome, ReasoningReplay,
    Replay, ReplayMode, ReplyMode, Results, SchemaLevel, SingleTool, Status, ToolCallFormat,
};

/// The schema cases that make a flat object of typed values.
const FLAT_CASES: [&str; 3] = ["required", "integer", "boolean"];

/// Reads the capability fields off the results.
pub fn capabilities(results: &Results) -> Capabilities {
    let single = results.single_tool.as_ref();
    let found = single.filter(|single| single.format.is_some());
    let replay = results.reasoning_replay.as_ref();
    Capabilities {
        schema_level: schema_level(results),
        tool_call_format: single.and_then(call_format),
        parser: found.and_then(|single| single.parser.clone()),
        tool_delivery: found.and_then(|single| single.delivery),
        json_text: found.and_then(|single| single.json_text.clone()),
        supports_parallel_tool_use: results
            .parallel_tool
            .as_ref()
            .and_then(|result| is_supported(&result.outcome))
            .map(|is_supported| is_supported && !single.is_some_and(breaks_clients)),
        requires_reasoning_replay: replay
            .and_then(|replay| replay.mode)
            .map(|mode| mode == ReplayMode::Required),
        reasoning_replay: reasoning_replay(replay),
        supports_streaming_tool_use: results
            .streaming
            .as_ref()
            .and_then(|result| is_supported(&result.outcome)),
        supports_plain_tool_use: single.and_then(carries_plain_calls),
        error_repair: results.error_repair.as_ref().and_then(|result| repair(&result.outcome)),
    }
}

/// A boolean capability is true only on `pass`, and unknown without a verdict.
fn is_supported(outcome: &ProbeOutcome) -> Option<bool> {
    outcome.status.is_conclusive().then_some(outcome.status == Status::Pass)
}

/// Whether ordinary clients lose a single call: what breaks them on one breaks them on two.
fn breaks_clients(single: &SingleTool) -> bool {
    !single.outcome.breaks.is_empty()
}

/// Whether plain replies carry calls. That they do not is known only where streams do: a model that
/// never calls as asked does not show how calls travel.
fn carries_plain_calls(single: &SingleTool) -> Option<bool> {
    match (single.replies, single.outcome.status) {
        (ReplyMode::Streamed, _) => single.plain.as_deref().and_then(is_supported),
        (ReplyMode::Plain, Status::Fail) => None,
        (ReplyMode::Plain, _) => is_supported(&single.outcome),
    }
}

fn repair(outcome: &ProbeOutcome) -> Option<ErrorRepair> {
    match outcome.status {
        Status::Pass => Some(ErrorRepair::Reliable),
        Status::Partial => Some(ErrorRepair::Limited),
        Status::Fail => Some(ErrorRepair::None),
        Status::Skipped | Status::Inconclusive => None,
    }
}

fn call_format(single: &SingleTool) -> Option<ToolCallFormat> {
    match (single.format, single.outcome.status) {
        (Some(format), _) => Some(format.into()),
        (None, Status::Fail) => Some(ToolCallFormat::None),
        (None, _) => None,
    }
}

fn schema_level(results: &Results) -> Option<SchemaLevel> {
    let single = results.single_tool.as_ref()?;
    if call_format(single) == Some(ToolCallFormat::None) {
        return Some(SchemaLevel::None);
    }
    let schema = results.schema.as_ref()?;
    if schema.outcome.status == Status::Inconclusive {
        return None;
    }
    let (asked, passes) = (schema.outcome.trials, schema.outcome.passes);
    let all_known = schema.cases.values().all(is_known);
    let flat_known = FLAT_CASES.iter().filter_map(|id| schema.cases.get(*id)).all(is_known);
    match (asked, passes) {
        (0, _) => None,
        (_, 0) => all_known.then_some(SchemaLevel::None),
        _ if schema.failures.is_empty() => all_known.then_some(SchemaLevel::StrictJsonSchema),
        _ if FLAT_CASES.iter().all(|id| is_passed(schema, id)) => Some(SchemaLevel::SimpleObject),
        _ => flat_known.then_some(SchemaLevel::StringOnly),
    }
}

/// Whether a case was decided: a level cannot rest on answers that never came.
fn is_known(case: &CaseResult) -> bool {
    !matches!(case.verdict, CaseVerdict::Inconclusive | CaseVerdict::Skipped)
}

fn is_passed(cases: &Cases, id: &str) -> bool {
    cases.cases.get(id).is_some_and(|case| case.verdict == CaseVerdict::AcceptedValid)
}

fn reasoning_replay(replay: Option<&Replay>) -> ReasoningReplay {
    ReasoningReplay {
        mode: replay.and_then(|replay| replay.mode),
        field: replay.and_then(|replay| replay.field).map(|field| field.wire_name().to_owned()),
    }
}
