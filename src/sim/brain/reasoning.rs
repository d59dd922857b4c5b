//! Reasoning: the state that comes with a reply.

use serde_json::{Value, json};

use super::prose;
use crate::ir::{Part, ReasoningField, ReasoningState, Reply, Request, Role};
use crate::sim::draw::Draw;
use crate::sim::model::ModelFile;
use crate::sim::seal::{Seal, TurnDigest};

/// Puts the reasoning where the provider has it: before everything else, or, where it is only a
/// signature, before the first call.
pub(super) fn think(parts: &mut Vec<Part>, request: &Request, model: &ModelFile, draw: &Draw) {
    let heard = request.messages.iter().rev().find(|message| message.role == Role::User);
    let thoughts = prose::thoughts(&heard.map(crate::ir::Message::text).unwrap_or_default(), draw);
    let field = model.thinking.field(model.dialect);
    let state = Part::Reasoning(ReasoningState::new(field, value(field, &thoughts, request)));
    match field {
        ReasoningField::ThoughtSignature | ReasoningField::ExtraContentSignature => {
            if let Some(call) = parts.iter().position(|part| matches!(part, Part::Call(_))) {
                parts.insert(call, state);
            }
        }
        _ => match parts.first_mut() {
            // What ended up as reasoning goes on from the thoughts, in the one field there is.
            Some(Part::Reasoning(ReasoningState { value: Value::String(text), .. })) => {
                *text = format!("{thoughts}\n{text}");
            }
            _ => parts.insert(0, state),
        },
    }
}

/// Text that belongs to the visible reply and ended up as reasoning.
pub(super) fn hidden(text: &str, model: &ModelFile) -> Part {
    let field = match model.thinking.field(model.dialect) {
        ReasoningField::ThoughtSignature => ReasoningField::Thought,
        field => field,
    };
    Part::Reasoning(ReasoningState::new(field, value(field, text, &Request::default())))
}

/// The provider's own JSON for reasoning of this text.
fn value(field: ReasoningField, text: &str, request: &Request) -> Value {
    match field {
        ReasoningField::ReasoningContent | ReasoningField::Reasoning | ReasoningField::Thinking => {
            json!(text)
        }
        ReasoningField::ReasoningDetails => {
            json!([{"type": "reasoning.text", "text": text, "signature": Seal::Signature.over(text)}])
        }
        ReasoningField::ThinkingBlocks => {
            json!([{"type": "thinking", "thinking": text, "signature": Seal::Signature.over(text)}])
        }
        ReasoningField::ThinkingChunk => {
            json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]})
        }
        ReasoningField::ExtraContentSignature | ReasoningField::ThoughtSignature => {
            json!(Seal::Thought.over(text))
        }
        ReasoningField::ThinkingBlock => {
            json!({"type": "thinking", "thinking": text, "signature": Seal::Signature.over(text)})
        }
        ReasoningField::RedactedThinkingBlock => {
            json!({"type": "redacted_thinking", "data": Seal::Redacted.over(text)})
        }
        ReasoningField::ReasoningItem => json!({
            "type": "reasoning",
            "id": TurnDigest::of(request).reasoning_item_id(),
            "summary": [{"type": "summary_text", "text": text}],
            "encrypted_content": Seal::Encrypted.over(text),
        }),
        ReasoningField::Thought => json!({"text": text, "thought": true}),
    }
}

/// How many of a reply's parts are reasoning, in characters.
pub(super) fn length(reply: &Reply) -> usize {
    let states = reply.parts.iter().filter_map(|part| match part {
        Part::Reasoning(state) => Some(state.value.to_string().chars().count()),
        _ => None,
    });
    states.sum()
}
