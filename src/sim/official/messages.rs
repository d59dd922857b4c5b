//! Anthropic's message: the fields that its schema requires and a client can do without.
//!
//! From the `OpenAPI` document of the Messages API, version 2023-06-01.

use serde_json::{Value, json};

use super::{change_events, fill};
use crate::wire::Frame;

/// Fills a whole message, or the one that a stream begins with.
pub(super) fn complete(message: &mut Value) {
    fill(message, [("stop_details", Value::Null), ("container", Value::Null)]);
    if let Some(usage) = message.get_mut("usage") {
        complete_usage(usage);
    }
    let content = message.get_mut("content").and_then(Value::as_array_mut);
    content.into_iter().flatten().for_each(complete_block);
}

/// Nothing is cached here, and the counts say so.
fn complete_usage(usage: &mut Value) {
    fill(
        usage,
        [
            ("cache_creation_input_tokens", json!(0)),
            ("cache_read_input_tokens", json!(0)),
            (
                "cache_creation",
                json!({"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}),
            ),
            ("output_tokens_details", Value::Null),
            ("server_tool_use", Value::Null),
            ("service_tier", json!("standard")),
            ("inference_geo", Value::Null),
        ],
    );
}

fn complete_block(block: &mut Value) {
    match block.get("type").and_then(Value::as_str) {
        // The schema also allows null, which @ai-sdk/anthropic 3.0.138 does not.
        Some("text") => fill(block, [("citations", json!([]))]),
        Some("tool_use") => fill(block, [("caller", json!({"type": "direct"}))]),
        _ => {}
    }
}

/// Fills the message and the blocks as they are announced.
pub(super) fn complete_frames(mut frames: Vec<Frame>) -> Vec<Frame> {
    change_events(&mut frames, |event| {
        if let Some(message) = event.get_mut("message") {
            complete(message);
        }
        if let Some(block) = event.get_mut("content_block") {
            complete_block(block);
        }
    });
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_fields_are_there_and_what_was_counted_stays() {
        let mut message = json!({"content": [{"type": "text", "text": "a"},
            {"type": "tool_use", "id": "t", "name": "n", "input": {}}],
            "usage": {"input_tokens": 7, "cache_read_input_tokens": 3}});
        complete(&mut message);
        let usage = &message["usage"];
        assert_eq!(
            (&usage["cache_creation_input_tokens"], &usage["input_tokens"]),
            (&json!(0), &json!(7))
        );
        assert_eq!(usage["cache_read_input_tokens"], 3);
        assert_eq!(message["content"][1]["caller"], json!({"type": "direct"}));
        assert_eq!(message["content"][0]["citations"], json!([]));
        assert_eq!(message["stop_details"], Value::Null);
    }
}
