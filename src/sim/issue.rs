//! Ids: those that a provider gives to its replies, calls and reasoning items.
//!
//! A model names tools and arguments; ids are its server's. They are made from the request alone,
//! so that the same request gets the same ids, streamed or not.

use serde_json::{Value, json};

use super::seal::TurnDigest;
use super::{ModelFile, Reasoned, RulesId, rules};
use crate::dialect::DialectId;
use crate::ir::{Part, ReasoningField, Reply, Request};

/// Puts the provider's ids on a reply: its own, those of its calls, those of its reasoning items.
pub(super) fn ids(reply: &mut Reply, request: &Request, model: &ModelFile) {
    let turn = TurnDigest::of(request);
    reply.id = Some(reply_id(model.dialect, &turn));
    if model.rules() == RulesId::OllamaChat {
        reply.fingerprint = Some("fp_ollama".to_owned());
    }
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

fn reply_id(dialect: DialectId, turn: &TurnDigest) -> String {
    let digits = |length| turn.digits("reply", length);
    match dialect {
        DialectId::AnthropicMessages => format!("msg_01{}", digits(22)),
        DialectId::OpenAiChat => format!("chatcmpl-{}", digits(29)),
        DialectId::OpenAiResponses => format!("resp_{}", digits(48)),
        DialectId::Gemini => digits(22),
        DialectId::Ollama => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{CallFormat, CallId, Message, ReasoningState, Stop, StopKind, ToolCall};
    use crate::sim::Fleet;
    use crate::sim::seal::{reasoning_item_id, sealed_turn};

    fn call(name: &str) -> Part {
        Part::Call(ToolCall::new(CallId::new("x"), name, json!({}), CallFormat::OpenAi))
    }

    fn issued(model: &str, request: &Request, parts: Vec<Part>) -> Reply {
        let fleet = Fleet::embedded().unwrap();
        let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::ToolUse));
        ids(&mut reply, request, fleet.get(model).unwrap());
        reply
    }

    fn call_ids(reply: &Reply) -> Vec<String> {
        reply.calls().map(|call| call.id.to_string()).collect()
    }

    #[test]
    fn calls_of_one_reply_have_ids_of_their_own() {
        for model in ["openai-native", "anthropic-native", "ollama-native", "mistral"] {
            let reply = issued(model, &Request::default(), vec![call("a"), call("a")]);
            let ids = call_ids(&reply);
            assert_ne!(ids[0], ids[1], "{model}");
        }
    }

    #[test]
    fn kimi_counts_its_calls_through_the_conversation() {
        let before = Message::assistant(vec![call("a"), call("b")]);
        let request = Request { messages: vec![before], ..Request::default() };
        let reply = issued("kimi-thinking", &request, vec![call("c")]);
        assert_eq!(call_ids(&reply), ["functions.c:2"]);
    }

    #[test]
    fn a_call_that_came_with_reasoning_points_to_it() {
        let item = json!({"type": "reasoning", "id": "", "summary": []});
        let state = ReasoningState::new(ReasoningField::ReasoningItem, item);
        let parts = vec![Part::Reasoning(state), call("a")];
        let reply = issued("responses-reasoning", &Request::default(), parts);
        let Some(Part::Reasoning(state)) = reply.parts.first() else { panic!("no reasoning") };
        let pointed =
            call_ids(&reply).first().and_then(|id| sealed_turn(id)).map(reasoning_item_id);
        assert_eq!(pointed.as_deref(), state.id());
    }
}
