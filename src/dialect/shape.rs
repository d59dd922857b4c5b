//! Does a body have the outer shape of a dialect's reply?

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
