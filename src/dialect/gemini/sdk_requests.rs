//! Is what the official SDK sends understood?
//!
//! Recorded from the Python package google-genai 3.1.0 on loopback; it posts to
//! `/v1/models/M:generateContent` and spells one field in snake case.

use serde_json::{Value, json};

use super::super::{Dialect, Route};
use super::CODEC;
use crate::ir::{Part, ReasoningField, Request, Role, ToolChoice};

fn decode(contents: &Value) -> Request {
    let body = json!({
        "contents": contents,
        "systemInstruction": {"parts": [{"text": "s"}], "role": "user"},
        "tools": [{"functionDeclarations": [
            {"description": "Weather.", "name": "get_weather",
             "parameters_json_schema": {"type": "object",
                "properties": {"city": {"type": "string"}}, "required": ["city"]}},
            {"description": "Time.", "name": "get_time",
             "parameters": {"properties": {"zone": {"nullable": true, "type": "STRING"}},
                            "required": ["zone"], "type": "OBJECT"}}]}],
        "toolConfig": {"functionCallingConfig": {
            "allowedFunctionNames": ["get_weather"], "mode": "ANY"}},
        "generationConfig": {"maxOutputTokens": 9},
    });
    let route = Route { model: Some("m".to_owned()), stream: Some(true) };
    CODEC.decode_request(&body, &route).unwrap()
}

#[test]
fn the_first_turn_is_read() {
    let request = decode(&json!([{"parts": [{"text": "go"}], "role": "user"}]));
    assert_eq!((request.model.as_str(), request.stream), ("m", true));
    assert_eq!((request.system.as_deref(), request.max_tokens), (Some("s"), Some(9)));
    assert_eq!(request.tool_choice, Some(ToolChoice::Named("get_weather".to_owned())));
    assert_eq!(
        request.tools[1].input_schema,
        json!({"properties": {"zone": {"type": ["string", "null"]}}, "required": ["zone"],
               "type": "object"})
    );
    assert_eq!(request.tools[0].input_schema["properties"]["city"]["type"], "string");
    assert!(request.extra.is_empty());
}

#[test]
fn a_replayed_turn_is_read_whole() {
    let request = decode(&json!([
        {"parts": [{"text": "go"}], "role": "user"},
        {"parts": [
            {"text": "Which city?", "thought": true},
            {"functionCall": {"args": {"city": "Oslo"}, "name": "get_weather"},
             "thoughtSignature": "CiQB"}], "role": "model"},
        {"parts": [{"functionResponse": {"name": "get_weather",
                                         "response": {"output": "rain"}}}], "role": "user"},
    ]));
    let [_, said, given] = request.messages.as_slice() else { panic!("{:?}", request.messages) };
    let [Part::Reasoning(thought), Part::Reasoning(signature), Part::Call(call)] =
        said.parts.as_slice()
    else {
        panic!("{said:?}")
    };
    assert_eq!((thought.field, thought.text().as_str()), (ReasoningField::Thought, "Which city?"));
    assert_eq!(signature.signature(), Some("CiQB"));
    assert_eq!((given.role, given.parts.len()), (Role::Tool, 1));
    let Part::Result(result) = &given.parts[0] else { panic!("{given:?}") };
    assert_eq!((&result.tool_call_id, &result.content), (&call.id, &json!("rain")));
}
