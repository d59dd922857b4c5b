//! Anthropic's message: the fields that its schema requires and a client can do without.
//!
//! From the `OpenAPI` document of the Messages API, version 2023-06-01.

use serde_json::{Value, json};

use super::{cache, change_events, fill};
use crate::wire::Frame;

/// Fills a whole message, or the one that a stream begins with.
pub(super) fn complete(message: &mut Value, request: &Value) {
    fill(message, [("stop_details", Value::Null), ("container", Value::Null)]);
    if let Some(usage) = message.get_mut("usage") {
        cache::count_anthropic(usage, request);
        complete_usage(usage);
    }
    let content = message.get_mut("content").and_then(Value::as_array_mut);
    content.into_iter().flatten().for_each(|block| {
        complete_block(block);
        // Recorded replies leave the field out; the OpenAPI document requires a list or null, and null is
        // what @ai-sdk/anthropic 3.0.138 does not take.
        if block.get("type").is_some_and(|kind| kind == "text") {
            fill(block, [("citations", json!([]))]);
        }
    });
}

/// Where nothing is cached, the counts say so.
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
    if block.get("type").is_some_and(|kind| kind == "tool_use") {
        fill(block, [("caller", json!({"type": "direct"}))]);
    }
}

/// Fills the message and the blocks as they are announced.
pub(super) fn complete_frames(mut frames: Vec<Frame>, request: &Value) -> Vec<Frame> {
    change_events(&mut frames, |event| {
        if let Some(message) = event.get_mut("message") {
            complete(message, request);
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
        complete(&mut message, &json!({}));
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
