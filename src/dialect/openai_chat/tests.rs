//! Does the chat dialect keep the laws, and what does it do with what strays from them?

use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Value, json};

use super::CODEC;
use crate::dialect::testing::{
    ChoiceKind, NormalForm, Order, assert_fixtures, assert_laws, frames_to_reply, text,
};
use crate::dialect::{DeltaLength, Dialect, Route, Stamp};
use crate::ir::{
    BrokenCall, CallFormat, CallId, Defect, Message, Part, ReasoningField, ReasoningState, Reply,
    Request, Role, Stop, StopKind, ToolCall, ToolChoice, ToolResult,
};
use crate::wire::Frame;

pub(in crate::dialect) fn form() -> NormalForm {
    let stops = |called: bool| {
        let usual = if called {
            Stop::new(StopKind::ToolUse, "tool_calls")
        } else {
            Stop::new(StopKind::EndTurn, "stop")
        };
        vec![
            usual,
            Stop::new(StopKind::MaxTokens, "length"),
            Stop::new(StopKind::Refusal, "content_filter"),
            Stop::new(StopKind::Other, "insufficient_system_resource"),
        ]
    };
    NormalForm {
        order: Order::ReasoningTextCalls,
        standing: Some(standing),
        attached: Some(|| {
            "[A-Za-z0-9]{4,12}"
                .prop_map(|s| state(ReasoningField::ExtraContentSignature, s))
                .boxed()
        }),
        choices: &[
            ChoiceKind::Auto,
            ChoiceKind::None,
            ChoiceKind::Required,
            ChoiceKind::Named,
            ChoiceKind::AllowedAuto,
            ChoiceKind::AllowedRequired,
        ],
        fingerprints: true,
        broken_calls: true,
        ..NormalForm::new(CallFormat::OpenAi, stops)
    }
}

fn state(field: ReasoningField, value: impl Into<Value>) -> ReasoningState {
    ReasoningState::new(field, value)
}

fn standing() -> BoxedStrategy<ReasoningState> {
    let details = |text: String| {
        json!([{"type": "reasoning.text", "index": 0, "text": text, "signature": "c2ln"},
               {"type": "reasoning.encrypted", "index": 1, "data": "gAAA"}])
    };
    let blocks = |text: String| {
        json!([{"type": "thinking", "thinking": text, "signature": "c2ln"},
               {"type": "redacted_thinking", "data": "gAAA"}])
    };
    let chunk = |text| json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]});
    prop_oneof![
        text().prop_map(|text| state(ReasoningField::ReasoningContent, text)),
        text().prop_map(|text| state(ReasoningField::Reasoning, text)),
        Just(state(ReasoningField::ReasoningContent, "")),
        text().prop_map(move |text| state(ReasoningField::ReasoningDetails, details(text))),
        text().prop_map(move |text| state(ReasoningField::ThinkingBlocks, blocks(text))),
        text().prop_map(move |text| state(ReasoningField::ThinkingChunk, chunk(text))),
    ]
    .boxed()
}

#[test]
fn the_laws_of_every_dialect_hold() {
    assert_laws(&CODEC, &form());
}

#[test]
fn every_fixture_means_what_it_says() {
    assert_fixtures(&CODEC);
}

fn call(arguments: &str, input: Value) -> Part {
    Part::Call(ToolCall {
        id: CallId::new("call_1"),
        name: "f".to_owned(),
        input,
        format: CallFormat::OpenAi,
        raw: json!({"id": "call_1", "type": "function",
                    "function": {"name": "f", "arguments": arguments}}),
    })
}

fn replayed(parts: Vec<Part>) -> Value {
    let request = Request { messages: vec![Message::assistant(parts)], ..Request::default() };
    CODEC.encode_request(&request)["messages"][0].clone()
}

fn decoded(messages: &Value) -> Request {
    CODEC.decode_request(&json!({"messages": messages}), &Route::default()).unwrap()
}

#[test]
fn arguments_are_sent_back_byte_for_byte() {
    let spaced = "{ \"b\": 1.50,\n \"a\": \"\\u00e4\" }";
    for (arguments, input) in [
        (spaced, json!({"b": 1.5, "a": "ä"})),
        ("", json!({})),
        ("\"{\\\"a\\\": 1}\"", json!({"a": 1})),
    ] {
        let message = replayed(vec![call(arguments, input)]);
        assert_eq!(message["tool_calls"][0]["function"]["arguments"], arguments);
    }
}

#[test]
fn arguments_that_were_changed_are_encoded_anew() {
    let message = replayed(vec![call("{ \"a\": 1 }", json!({"a": 2}))]);
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{\"a\":2}");
}

#[test]
fn a_broken_call_is_sent_back_with_the_text_it_came_with() {
    let broken = BrokenCall {
        id: CallId::new("call_1"),
        name: "f".to_owned(),
        arguments: "{\"a\":".to_owned(),
        problem: String::new(),
    };
    let message = replayed(vec![Part::BrokenCall(broken)]);
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{\"a\":");
}

#[test]
fn reasoning_goes_back_where_it_stood_and_foreign_reasoning_stays_out() {
    let message = replayed(vec![
        Part::Reasoning(state(ReasoningField::ThinkingBlock, json!({"thinking": "no"}))),
        Part::Reasoning(state(ReasoningField::ReasoningContent, "a")),
        Part::Reasoning(state(ReasoningField::Reasoning, "a")),
        Part::Reasoning(state(ReasoningField::ExtraContentSignature, "sig")),
        call("{}", json!({})),
    ]);
    assert_eq!(
        message,
        json!({"role": "assistant", "content": null, "reasoning_content": "a", "reasoning": "a",
               "tool_calls": [{"id": "call_1", "type": "function",
                               "function": {"name": "f", "arguments": "{}"},
                               "extra_content": {"google": {"thought_signature": "sig"}}}]})
    );
}

#[test]
fn mistral_thinking_goes_back_as_a_chunk_among_the_text() {
    let chunk = json!({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]});
    let message = replayed(vec![
        Part::Reasoning(state(ReasoningField::ThinkingChunk, chunk.clone())),
        Part::Text("so".to_owned()),
    ]);
    assert_eq!(message["content"], json!([chunk, {"type": "text", "text": "so"}]));
}

#[test]
fn a_failed_result_says_so_in_its_text_and_other_values_become_json() {
    let result = |content: Value, is_error: bool, code: Option<&str>| ToolResult {
        tool_call_id: CallId::new("c"),
        name: "f".to_owned(),
        content,
        is_error,
        error_code: code.map(str::to_owned),
    };
    let results = Message::results([
        result(json!({"n": 1}), false, None),
        result(json!("gone"), true, Some("ENOENT")),
        result(json!("broke"), true, None),
    ]);
    let request = Request { messages: vec![results], ..Request::default() };
    let body = CODEC.encode_request(&request);
    let texts: Vec<&Value> =
        body["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
    assert_eq!(texts, ["{\"n\":1}", "[ERROR:ENOENT] gone", "[ERROR] broke"]);
}

#[test]
fn tool_messages_in_a_row_are_one_message_and_know_their_tools() {
    let request = decoded(&json!([
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "[ERROR:X] no"}]},
        {"role": "tool", "tool_call_id": "c9", "content": "stray"},
    ]));
    assert_eq!(request.system.as_deref(), Some("be brief"));
    let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
    let results = Message::results([
        ToolResult {
            tool_call_id: CallId::new("c1"),
            name: "f".to_owned(),
            content: json!("no"),
            is_error: true,
            error_code: Some("X".to_owned()),
        },
        ToolResult::success(CallId::new("c9"), "", json!("stray")),
    ]);
    assert_eq!(request.messages[2], results);
}

#[test]
fn the_legacy_function_fields_are_understood() {
    let body = json!({
        "model": "m", "max_completion_tokens": 9, "function_call": {"name": "f"},
        "functions": [{"name": "f", "parameters": {"type": "object"}}],
        "messages": [
            {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "1"}],
    });
    let request = CODEC.decode_request(&body, &Route::default()).unwrap();
    assert_eq!(request.tools[0].name, "f");
    assert_eq!(request.tool_choice, Some(ToolChoice::Named("f".to_owned())));
    assert_eq!(request.max_tokens, Some(9));
    assert!(request.extra.is_empty());
    let Part::Result(result) = &request.messages[1].parts[0] else { panic!("no result") };
    assert_eq!(Some(&result.tool_call_id), request.messages[0].calls().map(|call| &call.id).next());
}

#[test]
fn a_request_that_cannot_be_read_says_where() {
    for (body, error) in [
        (json!([]), "body: expected an object"),
        (json!({"model": "m"}), "messages: field required"),
        (json!({"messages": {}}), "messages: expected a list"),
        (
            json!({"messages": [{"role": "robot"}]}),
            "messages[0].role: unknown role 'robot'; \
             one of: system, developer, user, assistant, tool, function",
        ),
        (
            json!({"messages": [], "tools": [{"type": "custom", "custom": {}}]}),
            "tools[0].type: expected 'function', got 'custom'",
        ),
        (
            json!({"messages": [], "tool_choice": "sometimes"}),
            "tool_choice: expected none, auto, required or a function, got \"sometimes\"",
        ),
        (json!({"messages": [], "stream": "yes"}), "stream: expected true or false"),
    ] {
        let refused = CODEC.decode_request(&body, &Route::default()).unwrap_err();
        assert_eq!(refused.to_string(), error);
    }
}

#[test]
fn a_stream_asks_for_its_usage_and_user_fields_are_merged_last() {
    let extra = json!({"stream_options": {"include_obfuscation": false}, "temperature": 0});
    let request =
        Request { stream: true, extra: extra.as_object().unwrap().clone(), ..Request::default() };
    let body = CODEC.encode_request(&request);
    assert_eq!(
        body["stream_options"],
        json!({"include_usage": true, "include_obfuscation": false})
    );
    assert_eq!(CODEC.decode_request(&body, &Route::default()), Ok(request));
}

/// The stream of a reply, each frame as its `delta`, its label, or what else it holds.
fn sketch(reply: &Reply, usage: bool) -> Vec<String> {
    let stamp = Stamp { created: 1, usage };
    let deltas = DeltaLength(9.try_into().unwrap());
    let frames = CODEC.encode_stream(reply, &stamp, deltas);
    let lines = frames.iter().map(|frame| {
        let Frame::Event { event: None, data } = frame else { panic!("{frame:?}") };
        let Ok(chunk) = serde_json::from_str::<Value>(data) else { return data.clone() };
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(chunk.get("usage").is_some(), usage, "{data}");
        match chunk["choices"].get(0) {
            Some(choice) if choice["finish_reason"].is_null() => choice["delta"].to_string(),
            Some(choice) => format!("{} {}", choice["delta"], choice["finish_reason"]),
            None => chunk["usage"].to_string(),
        }
    });
    lines.collect()
}

#[test]
fn a_stream_has_the_documented_shape() {
    let parts = vec![call("{\"city\":\"Oslo\"}", json!({"city": "Oslo"}))];
    let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::ToolUse));
    reply.usage.input = Some(2);
    reply.usage.output = Some(3);
    let expected = [
        r#"{"role":"assistant","content":null}"#,
        r#"{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"Oslo\"}"}}]}"#,
        r#"{} "tool_calls""#,
        r#"{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}"#,
        "[DONE]",
    ];
    assert_eq!(sketch(&reply, true), expected);
    let without_usage: Vec<&str> =
        expected.into_iter().filter(|line| !line.contains("prompt_tokens")).collect();
    assert_eq!(sketch(&reply, false), without_usage);
}

#[test]
fn text_after_a_call_stays_after_it() {
    let reply = Reply::new(
        vec![Part::Text("a".into()), call("{}", json!({})), Part::Text("b".into())],
        Stop::new(StopKind::ToolUse, "tool_calls"),
    );
    let stamp = Stamp { created: 1, usage: false };
    let frames = CODEC.encode_stream(&reply, &stamp, DeltaLength(1.try_into().unwrap()));
    let streamed = frames_to_reply(&CODEC, &frames).unwrap();
    assert_eq!(streamed, reply);
}

#[test]
fn a_stream_cut_anywhere_is_never_a_finished_reply_nor_half_a_call() {
    let whole = json!({"city": "Oslo"});
    let reply = Reply::new(
        vec![call(&whole.to_string(), whole.clone())],
        Stop::new(StopKind::ToolUse, "tool_calls"),
    );
    let stamp = Stamp { created: 1, usage: false };
    let frames = CODEC.encode_stream(&reply, &stamp, DeltaLength(1.try_into().unwrap()));
    for end in 0..frames.len() - 2 {
        let cut = frames_to_reply(&CODEC, &frames[..end]).unwrap();
        assert_eq!(cut.stop, Stop::unlabelled(StopKind::Truncated), "after {end} frames");
        assert!(cut.defects.contains(Defect::Truncated));
        assert!(cut.calls().all(|call| call.input == whole), "after {end} frames");
    }
    let unterminated = frames_to_reply(&CODEC, &frames[..frames.len() - 1]).unwrap();
    assert_eq!(unterminated.stop.kind, StopKind::ToolUse);
    assert!(unterminated.defects.contains(Defect::TerminatorMissing));
}

#[test]
fn nothing_that_is_json_is_too_strange_to_decode() {
    for body in [
        json!(null),
        json!([1]),
        json!("x"),
        json!({"choices": 3}),
        json!({"choices": [null, 1, {"message": 2}, {"message": {"content": 4, "tool_calls": [5]}}]}),
        json!({"choices": [{"delta": {"tool_calls": [{"index": -1, "function": []}]}}]}),
    ] {
        let _ = CODEC.decode_reply(&body);
        let frames = [Frame::data(body.to_string()), Frame::data("{"), Frame::data("")];
        let streamed = frames_to_reply(&CODEC, &frames).map(|reply| reply.stop.kind);
        assert!(matches!(streamed, Ok(StopKind::Truncated) | Err(_)), "{body}");
    }
}
