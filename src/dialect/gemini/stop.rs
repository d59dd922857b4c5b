//! How a reply ended: `finishReason`, encoded and decoded.

use serde_json::Value;

use super::super::call_id;
use crate::ir::{Defect, Defects, Part, Stop, StopKind};

const STOP: &str = "STOP";

/// Every documented `finishReason`; `STOP` means one of two things.
const REASONS: [(&str, StopKind); 17] = [
    (STOP, StopKind::EndTurn),
    ("MAX_TOKENS", StopKind::MaxTokens),
    ("SAFETY", StopKind::Refusal),
    ("RECITATION", StopKind::Refusal),
    ("LANGUAGE", StopKind::Refusal),
    ("BLOCKLIST", StopKind::Refusal),
    ("PROHIBITED_CONTENT", StopKind::Refusal),
    ("SPII", StopKind::Refusal),
    ("IMAGE_SAFETY", StopKind::Refusal),
    ("IMAGE_PROHIBITED_CONTENT", StopKind::Refusal),
    ("IMAGE_RECITATION", StopKind::Refusal),
    ("MALFORMED_FUNCTION_CALL", StopKind::MalformedCall),
    ("UNEXPECTED_TOOL_CALL", StopKind::MalformedCall),
    ("TOO_MANY_TOOL_CALLS", StopKind::Other),
    ("IMAGE_OTHER", StopKind::Other),
    ("NO_IMAGE", StopKind::Other),
    ("OTHER", StopKind::Other),
];

/// The ending that a `finishReason` names for these parts.
pub(super) fn decode(reason: Option<&Value>, parts: &[Part], defects: &mut Defects) -> Stop {
    match reason {
        None | Some(Value::Null) => {
            defects.record(Defect::FinishMissing);
            Stop::unlabelled(StopKind::Missing)
        }
        Some(Value::String(label)) if label.is_empty() => {
            defects.record(Defect::FinishEmpty);
            Stop::new(StopKind::Missing, "")
        }
        Some(Value::String(label)) => Stop::new(kind(label, parts), label),
        Some(other) => Stop::new(StopKind::Other, other.to_string()),
    }
}

fn kind(label: &str, parts: &[Part]) -> StopKind {
    let called = parts.iter().any(|part| call_id::of(part).is_some());
    match REASONS.iter().find(|(name, _)| *name == label) {
        Some((STOP, _)) if called => StopKind::ToolUse,
        Some((_, kind)) => *kind,
        None => StopKind::Other,
    }
}

/// The `finishReason` for an ending: the given label, else this dialect's own word.
pub(super) fn encode(stop: &Stop) -> Option<&str> {
    if let Some(label) = &stop.label {
        return Some(label);
    }
    match stop.kind {
        StopKind::EndTurn | StopKind::ToolUse | StopKind::StopSequence | StopKind::Pause => {
            Some(STOP)
        }
        StopKind::MaxTokens | StopKind::ContextExceeded => Some("MAX_TOKENS"),
        StopKind::Refusal => Some("SAFETY"),
        StopKind::MalformedCall => Some("MALFORMED_FUNCTION_CALL"),
        StopKind::Other => Some("OTHER"),
        StopKind::Missing | StopKind::Truncated => None,
    }
}
