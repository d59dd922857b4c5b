//! The parts of a message, encoded.

use serde_json::{Value, json};

use super::super::{error_text, wrapped};
use crate::ir::{
    BrokenCall, CallFormat, Object, Part, ReasoningField, ReasoningState, ToolCall, ToolResult,
};

/// How a result names the call it answers.
pub(super) struct CallReference<'a> {
    /// The call's id, unless it was made up.
    pub(super) id: Option<&'a str>,
    /// The called tool.
    pub(super) name: &'a str,
}

/// The parts of a message that holds no results, as a reply never does.
pub(super) fn encode_reply(parts: &[Part]) -> Vec<Value> {
    encode(parts, |result| CallReference {
        id: Some(result.tool_call_id.as_str()),
        name: &result.name,
    })
}

/// The parts of a message. A signature is put on the part after it.
pub(super) fn encode<'a>(
    parts: &'a [Part],
    answered: impl Fn(&'a ToolResult) -> CallReference<'a>,
) -> Vec<Value> {
    let mut encoded = Vec::new();
    let mut signature = None;
    for part in parts {
        let value = match part {
            Part::Reasoning(state) => match state.field {
                ReasoningField::ThoughtSignature => {
                    encoded.extend(signature.replace(state).map(signature_part));
                    continue;
                }
                ReasoningField::Thought => {
                    encoded.push(state.value.clone());
                    continue;
                }
                _ => continue,
            },
            // An empty text says nothing, and is refused by Vertex.
            Part::Text(text) if text.is_empty() && signature.is_none() && parts.len() > 1 => {
                continue;
            }
            Part::Text(text) => json!({ "text": text }),
            Part::Call(call) => json!({ "functionCall": function_call(call) }),
            Part::BrokenCall(call) => json!({ "functionCall": broken_call(call) }),
            Part::Result(result) => {
                json!({ "functionResponse": function_response(result, &answered(result)) })
            }
        };
        encoded.push(with_signature(value, signature.take()));
    }
    encoded.extend(signature.map(signature_part));
    encoded
}

fn signature_part(signature: &ReasoningState) -> Value {
    with_signature(json!({"text": ""}), Some(signature))
}

fn with_signature(mut part: Value, signature: Option<&ReasoningState>) -> Value {
    if let (Value::Object(fields), Some(state)) = (&mut part, signature) {
        fields.insert("thoughtSignature".to_owned(), state.value.clone());
    }
    part
}

/// Whether the endpoint gave this call no id.
pub(super) fn has_made_up_id(call: &ToolCall) -> bool {
    let given = call.raw.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
    call.format == CallFormat::Gemini && call.raw.is_object() && !given
}

/// The provider's own object as long as it says the same.
fn function_call(call: &ToolCall) -> Value {
    let raw = &call.raw;
    let same_input = match raw.get("args") {
        Some(args) => *args == call.input,
        None => call.input == json!({}),
    };
    let own = call.format == CallFormat::Gemini
        && raw.get("name").is_some_and(|name| name == call.name.as_str());
    let id = (!has_made_up_id(call)).then(|| call.id.as_str());
    if own && same_input && raw.get("id").and_then(Value::as_str) == id {
        return raw.clone();
    }
    let mut fields = Object::new();
    fields.extend(id.map(|id| ("id".to_owned(), json!(id))));
    fields.insert("name".to_owned(), json!(call.name));
    fields.insert("args".to_owned(), call.input.clone());
    Value::Object(fields)
}

fn broken_call(call: &BrokenCall) -> Value {
    json!({"id": call.id, "name": call.name, "args": wrapped::wrap(&call.arguments)})
}

/// A response must be an object: what the tool gave is under `output` or `error`.
fn function_response(result: &ToolResult, answered: &CallReference<'_>) -> Value {
    let response = match (result.is_error, &result.error_code) {
        (false, _) => json!({"output": result.content}),
        (true, None) => json!({"error": result.content}),
        (true, Some(_)) => json!({"error": error_text::mark(result)}),
    };
    let mut fields = Object::new();
    let id = answered.id.filter(|id| !id.is_empty());
    fields.extend(id.map(|id| ("id".to_owned(), json!(id))));
    fields.insert("name".to_owned(), json!(answered.name));
    fields.insert("response".to_owned(), response);
    Value::Object(fields)
}
