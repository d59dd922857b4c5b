//! How a reply ended: `finish_reason`, and whether the reply fits it.

use crate::ir::{Defect, Defects, Stop, StopKind};

/// The labels seen in the wild. OpenAI's own come first.
const LABELS: &[(&str, StopKind)] = &[
    ("stop", StopKind::EndTurn),
    ("tool_calls", StopKind::ToolUse),
    ("length", StopKind::MaxTokens),
    ("content_filter", StopKind::Refusal),
    ("function_call", StopKind::ToolUse),
    // Text Generation Inference, Together.
    ("eos_token", StopKind::EndTurn),
    ("eos", StopKind::EndTurn),
    ("stop_sequence", StopKind::StopSequence),
    // Gateways that let Anthropic's words through.
    ("end_turn", StopKind::EndTurn),
    ("tool_use", StopKind::ToolUse),
    ("max_tokens", StopKind::MaxTokens),
    ("refusal", StopKind::Refusal),
    ("pause_turn", StopKind::Pause),
    // Mistral, Z.AI.
    ("model_length", StopKind::ContextExceeded),
    ("model_context_window_exceeded", StopKind::ContextExceeded),
    ("sensitive", StopKind::Refusal),
    // Google's compatible layer.
    ("malformed_function_call", StopKind::MalformedCall),
    ("MALFORMED_FUNCTION_CALL", StopKind::MalformedCall),
];

/// What a label says by itself.
pub(super) fn kind(label: &str) -> StopKind {
    LABELS.iter().find(|(known, _)| *known == label).map_or(StopKind::Other, |(_, kind)| *kind)
}

/// How a finished reply ended: the label is recorded, what the reply holds decides.
pub(super) fn stop(label: Option<String>, called: bool, defects: &mut Defects) -> Stop {
    let by_content = if called { StopKind::ToolUse } else { StopKind::Missing };
    let kind = match label.as_deref() {
        None => {
            defects.record(Defect::FinishMissing);
            by_content
        }
        Some("") => {
            defects.record(Defect::FinishEmpty);
            by_content
        }
        Some(label) => match (kind(label), called) {
            (StopKind::EndTurn | StopKind::StopSequence, true) => {
                defects.record(Defect::StopWithCalls);
                StopKind::ToolUse
            }
            (StopKind::ToolUse, false) => {
                defects.record(Defect::FinishWithoutCalls);
                StopKind::EndTurn
            }
            (kind, _) => kind,
        },
    };
    Stop { kind, label }
}

/// The label to send; none for a reply that has no ending.
pub(super) fn label(stop: &Stop) -> Option<&str> {
    stop.label.as_deref().or(match stop.kind {
        StopKind::ToolUse => Some("tool_calls"),
        StopKind::MaxTokens | StopKind::ContextExceeded => Some("length"),
        StopKind::Refusal => Some("content_filter"),
        StopKind::EndTurn
        | StopKind::StopSequence
        | StopKind::Pause
        | StopKind::MalformedCall
        | StopKind::Other => Some("stop"),
        StopKind::Missing | StopKind::Truncated => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_reply_holds_decides_over_its_label() {
        use StopKind::{EndTurn, MaxTokens, Missing, Other, ToolUse};
        for (label, called, kind, defect) in [
            (Some("stop"), false, EndTurn, None),
            (Some("tool_calls"), true, ToolUse, None),
            (Some("length"), true, MaxTokens, None),
            (Some("stop"), true, ToolUse, Some(Defect::StopWithCalls)),
            (Some("tool_calls"), false, EndTurn, Some(Defect::FinishWithoutCalls)),
            (Some(""), true, ToolUse, Some(Defect::FinishEmpty)),
            (Some(""), false, Missing, Some(Defect::FinishEmpty)),
            (None, true, ToolUse, Some(Defect::FinishMissing)),
            (None, false, Missing, Some(Defect::FinishMissing)),
            (Some("insufficient_system_resource"), false, Other, None),
        ] {
            let mut defects = Defects::default();
            let stop = stop(label.map(str::to_owned), called, &mut defects);
            assert_eq!((stop.kind, stop.label.as_deref()), (kind, label));
            assert_eq!(defects.iter().collect::<Vec<_>>(), Vec::from_iter(defect), "{label:?}");
        }
    }
}
