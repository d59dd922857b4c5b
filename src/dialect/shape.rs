//! The outer shape of a dialect's reply, and of one piece of its stream.

use serde_json::Value;

use super::DialectId;

/// Whether a body has the outer shape of a dialect's reply, whatever is inside.
pub fn is_reply(dialect: DialectId, body: &Value) -> bool {
    let is_list = |key: &str| body.get(key).is_some_and(Value::is_array);
    let is_object = |key: &str| body.get(key).is_some_and(Value::is_object);
    match dialect {
        DialectId::OpenAiChat => is_list("choices"),
        DialectId::OpenAiResponses => is_list("output"),
        DialectId::AnthropicMessages => is_list("content") && body.get("stop_reason").is_some(),
        DialectId::Gemini => is_list("candidates") || is_object("promptFeedback"),
        DialectId::Ollama => is_object("message") && body.get("done").is_some(),
    }
}

/// Whether a stream's payload has the outer shape of a piece of a dialect's reply.
pub fn is_piece(dialect: DialectId, payload: &str) -> bool {
    let Ok(Value::Object(map)) = serde_json::from_str(payload) else { return false };
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    match dialect {
        DialectId::OpenAiChat => map.contains_key("choices"),
        DialectId::OpenAiResponses => kind.starts_with("response."),
        DialectId::AnthropicMessages => {
            kind.starts_with("message_") || kind.starts_with("content_block_")
        }
        DialectId::Gemini => map.contains_key("candidates") || map.contains_key("promptFeedback"),
        DialectId::Ollama => map.contains_key("message") || map.contains_key("done"),
    }
}
