//! Rich bodies: what requests hold that the representation has no place for, in each dialect.

use serde_json::{Value, json};

use crate::dialect::DialectId;
use crate::ir::Object;

/// A picture of one point.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Two messages of the person, the second with an image; where there are messages of the developer, one
/// of them.
pub(super) fn media(dialect: DialectId, nonce: &str) -> Object {
    let (first, second) =
        (format!("Say good evening to {nonce}-m."), format!("Here is {nonce}-i."));
    let url = format!("data:image/png;base64,{IMAGE}");
    let text = |text: &str| json!({"type": "text", "text": text});
    let user = |content: Value| json!({"role": "user", "content": content});
    object(&match dialect {
        DialectId::OpenAiChat => json!({"messages": [
            {"role": "developer", "content": format!("Never mention house {nonce}-dev.")},
            user(json!(first)),
            user(json!([text(&second),
                {"type": "image_url", "image_url": {"url": url, "detail": "low"}}]))]}),
        DialectId::OpenAiResponses => json!({"input": [
            {"role": "developer", "content": format!("Never mention house {nonce}-dev.")},
            user(json!([{"type": "input_text", "text": first}])),
            user(json!([{"type": "input_text", "text": second},
                {"type": "input_image", "image_url": url, "detail": "low"}]))]}),
        DialectId::AnthropicMessages => json!({"messages": [
            user(json!([text(&first)])),
            user(json!([text(&second), {"type": "image", "source":
                {"type": "base64", "media_type": "image/png", "data": IMAGE}}]))]}),
        DialectId::Gemini => json!({"contents": [
            {"role": "user", "parts": [{"text": first}]},
            {"role": "user", "parts": [{"text": second},
                {"inlineData": {"mimeType": "image/png", "data": IMAGE}}]}]}),
        DialectId::Ollama => json!({"messages": [
            user(json!(first)),
            {"role": "user", "content": second, "images": [IMAGE]}]}),
    })
}

/// Settings of thinking, of formats, of caches and of storage, and a field that nobody knows.
pub(super) fn features(dialect: DialectId, nonce: &str) -> Object {
    let schema = json!({"type": "object", "properties": {"word": {"type": "string"}},
                        "required": ["word"]});
    let words = format!("Say in one word what you think of {nonce}-f.");
    object(&match dialect {
        DialectId::OpenAiChat => json!({"messages": [{"role": "user", "content": words}],
            "reasoning_effort": "low", "x_house": nonce}),
        DialectId::OpenAiResponses => json!({"input": [{"role": "user", "content": words}],
            "reasoning": {"effort": "low", "summary": "auto"}, "store": false,
            "include": ["reasoning.encrypted_content"], "x_house": nonce}),
        DialectId::AnthropicMessages => json!({"messages": [{"role": "user", "content": words}],
            "system": [{"type": "text", "text": format!("This is house {nonce}-f."),
                "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
            "tools": [{"name": "find_house", "description": "Finds a house.",
                "input_schema": schema, "cache_control": {"type": "ephemeral"}}],
            "thinking": {"type": "enabled", "budget_tokens": 2048}, "x_house": nonce}),
        DialectId::Gemini => json!({"contents": [{"role": "user", "parts": [{"text": words}]}],
            "generationConfig": {"thinkingConfig": {"thinkingBudget": 512, "includeThoughts": true},
                "responseMimeType": "application/json", "responseJsonSchema": schema},
            "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT",
                "threshold": "BLOCK_ONLY_HIGH"}]}),
        DialectId::Ollama => json!({"messages": [{"role": "user", "content": words}],
            "keep_alive": "7m", "format": schema}),
    })
}

/// A history with a mistake that the provider of the dialect refuses, so that an error travels back: a
/// result of a call that nobody made; before Ollama, which minds no such thing, arguments as a text.
pub(super) fn mistaken(dialect: DialectId, nonce: &str) -> Object {
    let (words, result) =
        (format!("What came of {nonce}-e?"), format!("Nothing came of {nonce}-e."));
    let id = format!("call_{nonce}e");
    let user = json!({"role": "user", "content": words});
    object(&match dialect {
        DialectId::OpenAiChat => json!({"messages": [user,
            {"role": "tool", "tool_call_id": id, "content": result}]}),
        DialectId::OpenAiResponses => json!({"input": [user,
            {"type": "function_call_output", "call_id": id, "output": result}]}),
        DialectId::AnthropicMessages => json!({"messages": [user,
            {"role": "assistant", "content": "Let me see."},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": result}]}]}),
        DialectId::Gemini => json!({"contents": [
            {"role": "user", "parts": [{"text": words}]},
            {"role": "user", "parts": [{"functionResponse":
                {"name": "find_place", "response": {"result": result}}}]}]}),
        DialectId::Ollama => json!({"messages": [user,
            {"role": "assistant", "content": "", "tool_calls": [{"function":
                {"name": "find_place", "arguments": format!("{{\"name\": \"{nonce}-e\"}}")}}]},
            {"role": "tool", "tool_name": "find_place", "content": result}]}),
    })
}

fn object(value: &Value) -> Object {
    value.as_object().cloned().unwrap_or_default()
}
