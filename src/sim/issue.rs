//! Which ids does a provider give to what it issues?
//!
//! A model names tools and arguments; ids are its server's. They are made from the request alone,
//! so that the same request gets the same ids, streamed or not.

use serde_json::{Value, json};

use super::seal::Turn;
use super::{ModelFile, Reasoned, rules};
use crate::dialect::DialectId;
use crate::ir::{Part, ReasoningField, Reply, Request};

/// Puts the provider's ids on a reply: its own, those of its calls, those of its reasoning items.
pub(super) fn ids(reply: &mut Reply, request: &Request, model: &ModelFile) {
    let turn = Turn::of(request);
    reply.id = Some(reply_id(model.dialect, &turn));
    let style = rules::id_style(model.rules());
    let has_reasoning = reply.parts.iter().any(|part| matches!(part, Part::Reasoning(_)));
    let reasoned = if has_reasoning { Reasoned::Yes } else { Reasoned::No };
    // Kimi counts through the conversation, and for the others the start does not matter.
    let mut index: usize = request.messages.iter().map(|message| message.calls().count()).sum();
    for part in &mut reply.parts {
        match part {
            Part::Call(call) => {
                call.id = style.call_id(&turn, index, &call.name, reasoned);
                index += 1;
            }
            Part::BrokenCall(call) => {
                call.id = style.call_id(&turn, index, &call.name, reasoned);
                index += 1;
            }
            Part::Reasoning(state) if state.field == ReasoningField::ReasoningItem => {
                if let Value::Object(item) = &mut state.value {
                    item.insert("id".to_owned(), json!(turn.reasoning_item_id()));
                }
            }
            Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => {}
        }
    }
}

fn reply_id(dialect: DialectId, turn: &Turn) -> String {
    let digits = |length| turn.digits("reply", length);
    match dialect {
        DialectId::AnthropicMessages => format!("msg_01{}", digits(22)),
        DialectId::OpenAiChat => format!("chatcmpl-{}", digits(29)),
        DialectId::OpenAiResponses => format!("resp_{}", digits(48)),
        DialectId::Gemini => digits(22),
        DialectId::Ollama => String::new(),
    }
}
