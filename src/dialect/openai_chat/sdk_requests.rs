//! Is what the official SDK sends understood?
//!
//! Recorded from the Python package openai 3.49.0 on loopback.

use serde_json::{Value, json};

use super::super::{Dialect, Route};
use super::CODEC;
use crate::ir::{Message, Part, ReasoningField, Role};

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "get_weather", "description": "Weather.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}},
                           "required": ["city"]}}}])
}

#[test]
fn the_first_turn_is_read() {
    let body = json!({
        "model": "m",
        "messages": [{"role": "user", "content": "go"}],
        "max_completion_tokens": 9,
        "parallel_tool_calls": false,
        "tools": tools(),
    });
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    assert_eq!(request.messages, [Message::user("go")]);
    assert_eq!((request.max_tokens, request.parallel), (Some(9), Some(false)));
    assert_eq!((request.tools[0].name.as_str(), request.stream), ("get_weather", false));
    assert!(request.extra.is_empty());
}

#[test]
fn a_replayed_turn_is_read_whole() {
    let body = json!({
        "model": "m",
        "messages": [
            {"role": "user", "content": "go"},
            {"content": null, "refusal": null, "role": "assistant", "tool_calls": [
                {"id": "call_1", "type": "function",
                 "function": {"arguments": "{\"city\": \"Oslo\"}", "name": "get_weather"}}],
             "reasoning_content": "hm"},
            {"role": "tool", "tool_call_id": "call_1", "content": "4"}],
        "tools": tools(),
    });
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    let [_, turn, results] = request.messages.as_slice() else { panic!("{request:?}") };
    let [Part::Reasoning(state), Part::Call(call)] = turn.parts.as_slice() else {
        panic!("{turn:?}")
    };
    assert_eq!((state.field, state.text().as_str()), (ReasoningField::ReasoningContent, "hm"));
    assert_eq!(call.input, json!({"city": "Oslo"}));
    let [Part::Result(result)] = results.parts.as_slice() else { panic!("{results:?}") };
    assert_eq!((results.role, &result.tool_call_id), (Role::Tool, &call.id));
    assert_eq!((result.name.as_str(), &result.content), ("get_weather", &json!("4")));
}
