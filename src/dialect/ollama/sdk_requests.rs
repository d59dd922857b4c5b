//! Is what the official SDK sends understood?
//!
//! Recorded from the Python package ollama 0.6.3 on loopback. It drops the ids of calls, and the
//! content of a message that is empty.

use serde_json::{Value, json};

use super::super::{Dialect, Route};
use super::CODEC;
use crate::ir::{Message, Part, Role};

fn tools() -> Value {
    json!([{"type": "function", "function": {"name": "get_weather", "description": "Weather.",
            "parameters": {"type": "object", "required": ["city"],
                           "properties": {"city": {"type": "string"}}}}}])
}

#[test]
fn the_first_turn_is_read() {
    let body = json!({
        "model": "m",
        "stream": false,
        "options": {"num_predict": 9},
        "messages": [{"role": "user", "content": "go"}],
        "tools": tools(),
        "think": true,
    });
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    assert_eq!(request.messages, [Message::user("go")]);
    assert_eq!((request.max_tokens, request.stream), (Some(9), false));
    assert_eq!(Value::Object(request.extra), json!({"think": true}));
}

#[test]
fn a_replayed_turn_is_read_whole_and_pairs_by_name() {
    let body = json!({
        "model": "m",
        "stream": false,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "thinking": "hm", "tool_calls": [
                {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]},
            {"role": "tool", "content": "4", "tool_name": "get_weather"}],
        "tools": tools(),
    });
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    let [_, turn, results] = request.messages.as_slice() else { panic!("{request:?}") };
    let [Part::Reasoning(state), Part::Call(call)] = turn.parts.as_slice() else {
        panic!("{turn:?}")
    };
    assert_eq!((state.text().as_str(), &call.input), ("hm", &json!({"city": "Oslo"})));
    let [Part::Result(result)] = results.parts.as_slice() else { panic!("{results:?}") };
    assert_eq!((results.role, &result.tool_call_id), (Role::Tool, &call.id));
}
