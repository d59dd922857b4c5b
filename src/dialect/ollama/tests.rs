//! Does the Ollama dialect keep the laws, and what does it do with what strays from them?

use proptest::prelude::Strategy;
use serde_json::{Value, json};

use super::CODEC;
use crate::dialect::testing::{
    NormalForm, Order, assert_fixtures, assert_laws, frames_to_reply, text,
};
use crate::dialect::{DeltaLength, Dialect, Route, Stamp};
use crate::ir::{
    CallFormat, Defect, Message, Part, ReasoningField, ReasoningState, Reply, Request, Stop,
    StopKind, ToolChoice, ToolResult, ToolSpec, Usage,
};
use crate::wire::Frame;

pub(in crate::dialect) fn form() -> NormalForm {
    let stops = |called: bool| {
        let kind = if called { StopKind::ToolUse } else { StopKind::EndTurn };
        vec![Stop::new(kind, "stop"), Stop::new(StopKind::MaxTokens, "length")]
    };
    NormalForm {
        order: Order::ReasoningTextCalls,
        standing: Some(|| text().prop_map(|text| thinking(&text)).boxed()),
        strict: false,
        parallel: false,
        usage: |usage| Usage { input: usage.input, output: usage.output, ..Usage::default() },
        reply_ids: false,
        broken_calls: true,
        tidy_request: |request| Request { tool_choice: None, ..request },
        ..NormalForm::new(CallFormat::OpenAi, stops)
    }
}

fn thinking(text: &str) -> ReasoningState {
    ReasoningState::new(ReasoningField::Thinking, text)
}

#[test]
fn the_laws_of_every_dialect_hold() {
    assert_laws(&CODEC, &form());
}

#[test]
fn every_fixture_means_what_it_says() {
    assert_fixtures(&CODEC);
}

fn decoded(body: &Value) -> Request {
    CODEC.decode_request(body, &Route::default()).unwrap()
}

#[test]
fn a_stream_is_the_default_and_no_stream_is_said() {
    assert!(decoded(&json!({"model": "m"})).stream);
    assert_eq!(CODEC.encode_request(&Request::default())["stream"], json!(false));
}

#[test]
fn what_ollama_has_no_field_for_is_left_out() {
    let tool = ToolSpec {
        name: "f".to_owned(),
        description: String::new(),
        input_schema: json!({"type": "object"}),
        strict: Some(true),
    };
    let request = Request {
        tools: vec![tool],
        tool_choice: Some(ToolChoice::Required),
        parallel: Some(false),
        ..Request::default()
    };
    let function = json!({"name": "f", "parameters": {"type": "object"}});
    assert_eq!(
        CODEC.encode_request(&request),
        json!({"model": "", "messages": [], "stream": false,
               "tools": [{"type": "function", "function": function}]})
    );
}

#[test]
fn the_token_limit_is_one_option_among_others() {
    let extra = json!({"options": {"temperature": 0}, "think": true});
    let request = Request {
        max_tokens: Some(64),
        extra: extra.as_object().unwrap().clone(),
        ..Request::default()
    };
    let body = CODEC.encode_request(&request);
    assert_eq!(body["options"], json!({"num_predict": 64, "temperature": 0}));
    assert_eq!(decoded(&body), request);
    let unlimited = decoded(&json!({"options": {"num_predict": -1}}));
    assert_eq!(unlimited.max_tokens, None);
    assert_eq!(unlimited.extra["options"]["num_predict"], json!(-1));
}

/// A turn whose calls came without ids, as the endpoint sent it.
fn unnamed_calls() -> Reply {
    let call = |city: &str| json!({"function": {"name": "f", "arguments": {"city": city}}});
    let body = json!({"model": "m", "done": true, "done_reason": "stop", "message":
        {"role": "assistant", "content": "", "tool_calls": [call("Oslo"), call("Rome")]}});
    CODEC.decode_reply(&body).unwrap()
}

#[test]
fn an_id_that_the_endpoint_never_sent_is_never_sent_to_it() {
    let reply = unnamed_calls();
    let results = Message::results(
        reply
            .calls()
            .map(|call| ToolResult::success(call.id.clone(), call.name.clone(), json!("4"))),
    );
    let messages = vec![Message::assistant(reply.parts.clone()), results];
    let request = Request { messages, ..Request::default() };
    let body = CODEC.encode_request(&request);
    let sent = body["messages"].as_array().unwrap();
    let raw: Vec<Value> = reply.calls().map(|call| call.raw.clone()).collect();
    assert_eq!(sent[0]["tool_calls"], json!(raw));
    assert_eq!(sent[1], json!({"role": "tool", "content": "4", "tool_name": "f"}));
    assert_eq!(decoded(&body).messages, request.messages, "results pair by name, in order");
}

#[test]
fn foreign_reasoning_stays_out_and_thinking_goes_back() {
    let foreign = ReasoningState::new(ReasoningField::ReasoningContent, "no");
    let parts = vec![Part::Reasoning(foreign), Part::Reasoning(thinking("hm"))];
    let request = Request { messages: vec![Message::assistant(parts)], ..Request::default() };
    assert_eq!(
        CODEC.encode_request(&request)["messages"][0],
        json!({"role": "assistant", "content": "", "thinking": "hm"})
    );
}

fn lines(reply: &Reply) -> Vec<Frame> {
    let stamp = Stamp { created: 1_794_787_200, usage: true };
    CODEC.encode_stream(reply, &stamp, DeltaLength(4.try_into().unwrap()))
}

#[test]
fn a_stream_has_the_documented_shape() {
    let mut parts = vec![Part::Reasoning(thinking("hm hm")), Part::Text("Look.".to_owned())];
    parts.extend(unnamed_calls().parts.into_iter().take(1));
    let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::ToolUse));
    reply.model_echo = Some("m".to_owned());
    reply.usage = Usage { input: Some(0), output: Some(9), ..Usage::default() };
    let line = |message: &str| {
        let message = format!(r#"{{"role":"assistant",{message}}}"#);
        format!(
            r#"{{"model":"m","created_at":"2026-11-16T00:00:00Z","message":{message},"done":false}}"#
        )
    };
    let call = r#"{"function":{"name":"f","arguments":{"city":"Oslo"}}}"#;
    let expected = [
        line(r#""content":"","thinking":"hm h""#),
        line(r#""content":"","thinking":"m""#),
        line(r#""content":"Look""#),
        line(r#""content":".""#),
        line(&format!(r#""content":"","tool_calls":[{call}]"#)),
        line(r#""content":"""#).replace("false}", r#"true,"done_reason":"stop","eval_count":9}"#),
    ];
    assert_eq!(lines(&reply), expected.map(Frame::data));
}

#[test]
fn a_stream_cut_anywhere_is_never_a_finished_reply() {
    let reply = unnamed_calls();
    let frames = lines(&reply);
    for end in 0..frames.len() {
        let cut = frames_to_reply(&CODEC, &frames[..end]).unwrap();
        assert_eq!(cut.stop, Stop::unlabelled(StopKind::Truncated), "after {end} lines");
        assert!(cut.defects.contains(Defect::Truncated));
    }
    assert_eq!(frames_to_reply(&CODEC, &frames).unwrap().stop.kind, StopKind::ToolUse);
}

#[test]
fn nothing_that_is_json_is_too_strange_to_decode() {
    for body in [
        json!(null),
        json!([1]),
        json!("x"),
        json!({"message": 3, "done": "yes"}),
        json!({"message": {"content": [], "tool_calls": [1, {"function": {"name": 2}}]}}),
    ] {
        let _ = CODEC.decode_reply(&body);
        let frames = [Frame::data(body.to_string()), Frame::data("{"), Frame::data("")];
        let streamed = frames_to_reply(&CODEC, &frames).map(|reply| reply.stop.kind);
        assert!(matches!(streamed, Ok(StopKind::Truncated) | Err(_)), "{body}");
    }
}
