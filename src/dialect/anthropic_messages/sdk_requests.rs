//! Is what the official SDK sends understood?
//!
//! Recorded from the Python package anthropic 2.8.0 on loopback.

use serde_json::json;

use super::super::{Dialect, Route};
use super::CODEC;
use crate::ir::{Message, Part, ReasoningField, Role, ToolChoice};

fn tools() -> serde_json::Value {
    json!([{"name": "get_weather", "description": "Weather.",
            "input_schema": {"type": "object", "properties": {"city": {"type": "string"}},
                             "required": ["city"]}}])
}

#[test]
fn the_first_turn_is_read() {
    let body = json!({
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "go"}],
        "model": "m",
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": true},
        "tools": tools(),
        "stream": true,
    });
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    assert_eq!(request.messages, [Message::user("go")]);
    assert_eq!((request.tool_choice, request.parallel), (Some(ToolChoice::Auto), Some(false)));
    assert_eq!((request.max_tokens, request.stream), (Some(9), true));
    assert!(request.extra.is_empty());
}

#[test]
fn a_replayed_turn_is_read_whole() {
    let body = json!({
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [
                {"signature": "EoQBCk", "thinking": "Which city?", "type": "thinking"},
                {"data": "EvAFCoYB", "type": "redacted_thinking"},
                {"id": "toolu_01", "input": {"city": "Oslo"}, "name": "get_weather",
                 "type": "tool_use"}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_01", "content": "rain"}]}],
        "model": "m",
        "system": "s",
        "tools": tools(),
    });
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    let [_, said, given] = request.messages.as_slice() else { panic!("{:?}", request.messages) };
    let [Part::Reasoning(thinking), Part::Reasoning(redacted), Part::Call(call)] =
        said.parts.as_slice()
    else {
        panic!("{said:?}")
    };
    assert_eq!((thinking.text().as_str(), thinking.signature()), ("Which city?", Some("EoQBCk")));
    assert_eq!(redacted.field, ReasoningField::RedactedThinkingBlock);
    assert_eq!((given.role, given.parts.len()), (Role::Tool, 1));
    let Part::Result(result) = &given.parts[0] else { panic!("{given:?}") };
    assert_eq!((&result.tool_call_id, result.name.as_str()), (&call.id, "get_weather"));
}
