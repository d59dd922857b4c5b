//! The request that carries a field: a small conversation with one tool, and the field put into it.

use serde_json::{Value, json};

use super::catalogue::Field;
use super::place::put;
use crate::dialect::DialectId;
use crate::ir::{CallFormat, CallId, Message, Part, Request, ToolCall, ToolResult, ToolSpec};

const TOOL: &str = "probe_echo";
const CALL: &str = "call_a1b2c3d4e";

/// The request without any field of the catalogue.
pub(crate) fn baseline(dialect: DialectId, model: &str, nonce: &str, history: bool) -> Value {
    let asked = format!("Say in one word what you think of {nonce}.");
    let mut messages = vec![Message::user(asked)];
    if history {
        messages.push(Message::assistant(vec![Part::Call(call())]));
        messages.push(Message::results([result()]));
    }
    let request = Request {
        model: model.to_owned(),
        system: Some("Be brief.".to_owned()),
        messages,
        tools: vec![tool()],
        max_tokens: Some(256),
        ..Request::default()
    };
    let mut body = dialect.codec().encode_request(&request);
    if dialect == DialectId::Ollama {
        put(&mut body, "stream", Value::Bool(false));
    }
    body
}

/// The request with a field.
pub(crate) fn question(dialect: DialectId, model: &str, nonce: &str, field: &Field) -> Value {
    let mut body = baseline(dialect, model, nonce, field.history);
    for (path, value) in &field.set {
        put(&mut body, path, with_nonce(value, nonce));
    }
    body
}

/// The value with its blanks filled.
pub(super) fn with_nonce(value: &Value, nonce: &str) -> Value {
    match value {
        Value::String(text) => text.replace("{nonce}", nonce).into(),
        Value::Array(items) => items.iter().map(|item| with_nonce(item, nonce)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.replace("{nonce}", nonce), with_nonce(value, nonce)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn tool() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {"message": {"type": "string"}, "tag": {"type": "string", "enum": ["alpha", "beta"]}},
        "required": ["message", "tag"],
    });
    ToolSpec::new(TOOL, "Return the input unchanged.", schema)
}

fn call() -> ToolCall {
    ToolCall::new(
        CallId::new(CALL),
        TOOL,
        json!({"message": "hello", "tag": "beta"}),
        CallFormat::OpenAi,
    )
}

fn result() -> ToolResult {
    ToolResult::success(CallId::new(CALL), TOOL, json!("hello from the tool"))
}

#[cfg(test)]
mod tests {
    use super::super::{Catalogue, place};
    use super::*;

    #[test]
    fn every_field_of_the_catalogue_stands_in_its_request() {
        let catalogue = Catalogue::embedded().unwrap();
        for dialect in DialectId::ALL {
            for field in catalogue.of(dialect) {
                let body = question(dialect, "m", "n0nce", field);
                for (path, value) in &field.set {
                    let expected = with_nonce(value, "n0nce");
                    let found = place::find(&body, path);
                    assert_eq!(found, [&expected], "{dialect} {}: {path} in {body}", field.name);
                }
            }
        }
    }

    #[test]
    fn a_history_has_a_call_and_its_result_in_every_dialect() {
        for dialect in DialectId::ALL {
            let body = baseline(dialect, "m", "n0nce", true).to_string();
            assert!(body.contains("hello from the tool") && body.contains("n0nce"), "{body}");
        }
    }
}
