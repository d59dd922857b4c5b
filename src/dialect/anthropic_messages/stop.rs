//! How a reply ended: `stop_reason`, and whether the reply fits it.

use serde_json::{Value, json};

use super::super::call_id;
use crate::ir::{BrokenCall, Defect, Defects, Part, Stop, StopKind};

/// Every documented `stop_reason`.
const LABELS: [(&str, StopKind); 7] = [
    ("end_turn", StopKind::EndTurn),
    ("tool_use", StopKind::ToolUse),
    ("max_tokens", StopKind::MaxTokens),
    ("stop_sequence", StopKind::StopSequence),
    ("refusal", StopKind::Refusal),
    ("pause_turn", StopKind::Pause),
    ("model_context_window_exceeded", StopKind::ContextExceeded),
];

/// The ending that a `stop_reason` names.
pub(super) fn decode(reason: Option<&Value>, defects: &mut Defects) -> Stop {
    match reason {
        None | Some(Value::Null) => {
            defects.record(Defect::FinishMissing);
            Stop::unlabelled(StopKind::Missing)
        }
        Some(Value::String(label)) if label.is_empty() => {
            defects.record(Defect::FinishEmpty);
            Stop::new(StopKind::Missing, "")
        }
        Some(Value::String(label)) => Stop::new(kind(label), label),
        Some(other) => Stop::new(StopKind::Other, other.to_string()),
    }
}

fn kind(label: &str) -> StopKind {
    LABELS.iter().find(|(name, _)| *name == label).map_or(StopKind::Other, |(_, kind)| *kind)
}

/// The `stop_reason` for an ending: the given label, else this dialect's own word.
pub(super) fn encode(stop: &Stop) -> Value {
    if let Some(label) = &stop.label {
        return json!(label);
    }
    match stop.kind {
        StopKind::Missing | StopKind::Truncated => Value::Null,
        kind => {
            let own = LABELS.iter().find(|(_, known)| *known == kind);
            json!(own.map_or("end_turn", |(label, _)| label))
        }
    }
}

/// Applies what the ending says to the parts, and records where the two contradict each other.
pub(super) fn reconcile(parts: &mut [Part], kind: StopKind, defects: &mut Defects) {
    if kind == StopKind::MaxTokens {
        break_unfilled_call(parts, defects);
    }
    call_id::note_duplicates(parts, defects);
    let called = parts.iter().any(|part| call_id::of(part).is_some());
    match kind {
        StopKind::EndTurn if called => defects.record(Defect::StopWithCalls),
        StopKind::ToolUse if !called => defects.record(Defect::FinishWithoutCalls),
        _ => {}
    }
}

/// A call that the token limit cut before its first argument looks like one without arguments
/// (llama.cpp sends `input: {}`): it is not a call.
fn break_unfilled_call(parts: &mut [Part], defects: &mut Defects) {
    let Some(last) = parts.last_mut() else { return };
    let Part::Call(call) = &*last else { return };
    if call.input.as_object().is_none_or(|input| !input.is_empty()) {
        return;
    }
    defects.record(Defect::ArgumentsInvalid);
    *last = Part::BrokenCall(BrokenCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: String::new(),
        problem: "the token limit was reached before the arguments".to_owned(),
    });
}
