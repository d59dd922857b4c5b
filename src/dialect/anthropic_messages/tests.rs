//! Does this dialect keep the laws, and what does it do at their edges?

use std::num::NonZeroUsize;

use proptest::prelude::{Strategy, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Value, json};

use super::super::testing::{
    NormalForm, assert_fixtures, assert_laws, frames_to_reply, request_round_trip,
};
use super::super::{DeltaLength, Dialect, Route, Stamp};
use super::CODEC;
use crate::dialect::testing;
use crate::ir::{
    BrokenCall, CallFormat, CallId, Message, Part, ReasoningField, ReasoningState, Reply, Request,
    Role, Stop, StopKind, ToolCall, ToolChoice, ToolResult, ToolSpec,
};
use crate::wire::Frame;

pub(in crate::dialect) fn form() -> NormalForm {
    NormalForm {
        standing: Some(thinking),
        broken_calls: true,
        tidy_request,
        tidy_reply,
        ..NormalForm::new(CallFormat::Anthropic, stops)
    }
}

fn thinking() -> BoxedStrategy<ReasoningState> {
    let block = (testing::text(), "[A-Za-z0-9+/]{4,12}").prop_map(|(thinking, signature)| {
        ReasoningState::new(
            ReasoningField::ThinkingBlock,
            json!({"type": "thinking", "thinking": thinking, "signature": signature}),
        )
    });
    let redacted = "[A-Za-z0-9+/]{4,12}".prop_map(|data| {
        ReasoningState::new(
            ReasoningField::RedactedThinkingBlock,
            json!({"type": "redacted_thinking", "data": data}),
        )
    });
    prop_oneof![block, redacted].boxed()
}

fn stops(calls: bool) -> Vec<Stop> {
    let labels: &[(StopKind, &str)] = if calls {
        &[(StopKind::ToolUse, "tool_use"), (StopKind::MaxTokens, "max_tokens")]
    } else {
        &[
            (StopKind::EndTurn, "end_turn"),
            (StopKind::MaxTokens, "max_tokens"),
            (StopKind::StopSequence, "stop_sequence"),
            (StopKind::Refusal, "refusal"),
            (StopKind::Pause, "pause_turn"),
            (StopKind::ContextExceeded, "model_context_window_exceeded"),
            (StopKind::Other, "a_new_reason"),
        ]
    };
    labels.iter().map(|(kind, label)| Stop::new(*kind, *label)).collect()
}

/// `max_tokens` is always sent, and the parallel switch needs a choice to stand in.
fn tidy_request(mut request: Request) -> Request {
    request.max_tokens = request.max_tokens.or(Some(4096));
    if request.parallel.is_some() && request.tool_choice.is_none() {
        request.tool_choice = Some(ToolChoice::Auto);
    }
    if request.tool_choice == Some(ToolChoice::None) {
        request.parallel = None;
    }
    request
}

/// An empty call at the token limit is not a call.
fn tidy_reply(mut reply: Reply) -> Reply {
    if matches!(reply.parts.last(), Some(Part::Call(call)) if call.input == json!({})) {
        reply.stop = Stop::new(StopKind::ToolUse, "tool_use");
    }
    reply
}

#[test]
fn conversations_survive_the_wire() {
    assert_laws(&CODEC, &form());
}

#[test]
fn fixtures_mean_what_they_say() {
    assert_fixtures(&CODEC);
}

fn request(messages: Vec<Message>) -> Request {
    Request { model: "m".to_owned(), messages, max_tokens: Some(9), ..Request::default() }
}

fn call(id: &str, input: Value) -> ToolCall {
    let (id, name) = (CallId::new(id), "probe_echo".to_owned());
    ToolCall::new(id, name, input, CallFormat::Anthropic)
}

fn result(id: &str, text: &str) -> ToolResult {
    ToolResult::success(CallId::new(id), "probe_echo", json!(text))
}

#[test]
fn a_whole_request_is_written_as_the_provider_documents_it() {
    let failed =
        ToolResult { is_error: true, error_code: Some("X1".to_owned()), ..result("b", "no") };
    let asked = Request {
        system: Some("Be brief.".to_owned()),
        tools: vec![ToolSpec {
            name: "probe_echo".to_owned(),
            description: "Echoes.".to_owned(),
            input_schema: json!({"type": "object"}),
            strict: Some(true),
        }],
        tool_choice: Some(ToolChoice::Named("probe_echo".to_owned())),
        parallel: Some(false),
        stream: true,
        extra: json!({"tool_choice": {"x": 1}, "thinking": {"type": "adaptive"}})
            .as_object()
            .unwrap()
            .clone(),
        ..request(vec![
            Message::user("go"),
            Message::assistant(vec![
                Part::Call(call("a", json!({"n": 1}))),
                Part::Call(call("b", json!({}))),
            ]),
            Message::results([result("a", "1"), failed]),
            Message::user("and now?"),
        ])
    };
    insta::assert_json_snapshot!(CODEC.encode_request(&asked));
}

#[test]
fn each_tool_choice_has_its_object() {
    let named = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let rows = [
        (None, None, Value::Null),
        (None, Some(false), json!({"type": "auto", "disable_parallel_tool_use": true})),
        (None, Some(true), json!({"type": "auto", "disable_parallel_tool_use": false})),
        (Some(ToolChoice::Auto), None, json!({"type": "auto"})),
        (Some(ToolChoice::None), Some(false), json!({"type": "none"})),
        (
            Some(ToolChoice::Required),
            Some(false),
            json!({"type": "any", "disable_parallel_tool_use": true}),
        ),
        (
            Some(ToolChoice::Allowed { required: false, names: named(&["a"]) }),
            None,
            json!({"type": "auto"}),
        ),
        (
            Some(ToolChoice::Allowed { required: true, names: named(&["a", "b"]) }),
            None,
            json!({"type": "any"}),
        ),
        (
            Some(ToolChoice::Allowed { required: true, names: named(&["a"]) }),
            None,
            json!({"type": "tool", "name": "a"}),
        ),
    ];
    let tool = ToolSpec::new("a", "", json!({"type": "object"}));
    for (tool_choice, parallel, expected) in rows {
        let tools = vec![tool.clone()];
        let asked = Request { tools, tool_choice, parallel, ..request(vec![Message::user("x")]) };
        assert_eq!(CODEC.encode_request(&asked)["tool_choice"], expected, "{asked:?}");
    }
}

#[test]
fn faulty_histories_survive_the_wire() {
    let orphan = ToolResult { name: String::new(), ..result("nobody", "?") };
    let histories = [
        // a call that nobody answered
        vec![Message::assistant(vec![Part::Call(call("a", json!({})))]), Message::user("x")],
        // a result that nobody asked for
        vec![Message::user("x"), Message::results([orphan.clone()])],
        // text before the result, in one message and in two
        vec![
            Message::assistant(vec![Part::Call(call("a", json!({})))]),
            Message {
                role: Role::User,
                parts: vec![Part::Text("x".to_owned()), Part::Result(result("a", "1"))],
            },
        ],
        vec![
            Message::assistant(vec![Part::Call(call("a", json!({})))]),
            Message::user("x"),
            Message::results([result("a", "1")]),
        ],
        // one id twice, nobody speaks, the model speaks twice
        vec![Message::assistant(vec![
            Part::Call(call("a", json!({}))),
            Part::Call(call("a", json!({}))),
        ])],
        vec![Message { role: Role::User, parts: Vec::new() }, Message::user("")],
        vec![Message::assistant(Vec::new()), Message::assistant(Vec::new())],
        // a result and a call on the wrong side
        vec![
            Message::assistant(vec![Part::Result(orphan)]),
            Message { role: Role::User, parts: vec![Part::Call(call("a", json!({})))] },
        ],
    ];
    for history in histories {
        request_round_trip(&CODEC, &request(history), false);
    }
}

#[test]
fn results_and_the_words_after_them_are_one_message() {
    let asked = request(vec![
        Message::results([result("a", "1")]),
        Message::results([result("b", "2")]),
        Message::user("so?"),
        Message::user("hm?"),
    ]);
    let messages = CODEC.encode_request(&asked)["messages"].clone();
    assert_eq!(messages[0]["content"].as_array().unwrap().len(), 3);
    assert_eq!(messages[1], json!({"role": "user", "content": "hm?"}));
}

#[test]
fn a_call_is_replayed_as_it_came_unless_it_was_changed() {
    let raw = json!({"type": "tool_use", "id": "t", "name": "probe_echo", "input": {"n": 1},
                     "caller": {"type": "direct"}});
    let replayed = |call: ToolCall| {
        let body = CODEC.encode_request(&request(vec![Message::assistant(vec![Part::Call(call)])]));
        body["messages"][0]["content"][0].clone()
    };
    let same = ToolCall { raw: raw.clone(), ..call("t", json!({"n": 1})) };
    assert_eq!(replayed(same.clone()), raw);
    let changed = ToolCall { id: CallId::new("u"), ..same };
    assert_eq!(
        replayed(changed),
        json!({"type": "tool_use", "id": "u", "name": "probe_echo", "input": {"n": 1}})
    );
}

#[test]
fn reasoning_of_another_dialect_is_not_sent() {
    let foreign = ReasoningState::new(ReasoningField::ReasoningContent, "hm");
    let said =
        vec![Part::Reasoning(foreign), Part::Text("x".to_owned()), Part::Text("y".to_owned())];
    let body = CODEC.encode_request(&request(vec![Message::assistant(said)]));
    assert_eq!(
        body["messages"][0]["content"],
        json!([{"type": "text", "text": "x"}, {"type": "text", "text": "y"}])
    );
}

#[test]
fn a_broken_call_is_replayed_in_an_object_and_read_back() {
    let broken = BrokenCall {
        id: CallId::new("a"),
        name: "probe_echo".to_owned(),
        arguments: "{\"n\":".to_owned(),
        problem: String::new(),
    };
    let asked = request(vec![
        Message::assistant(vec![Part::BrokenCall(broken)]),
        Message::results([result("a", "no")]),
    ]);
    let body = CODEC.encode_request(&asked);
    assert_eq!(body["messages"][0]["content"][0]["input"], json!({"INVALID_JSON": "{\"n\":"}));
    request_round_trip(&CODEC, &asked, false);
}

#[test]
fn text_blocks_are_lines_and_other_blocks_are_kept() {
    let image = json!([{"type": "image", "source": {}}, {"type": "text", "text": "x"}]);
    let body = json!({
        "model": "m",
        "system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "messages": [{"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t",
             "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]},
            {"type": "tool_result", "tool_use_id": "t", "content": image},
            {"type": "tool_result", "tool_use_id": "t"},
            {"type": "image", "source": {}},
        ]}],
        "temperature": 0,
    });
    let read = CODEC.decode_request(&body, &Route::default()).unwrap();
    assert_eq!(read.system.as_deref(), Some("a\nb"));
    assert_eq!(Value::Object(read.extra), json!({"temperature": 0}));
    assert_eq!(read.max_tokens, None);
    let contents: Vec<Value> = read.messages[0]
        .parts
        .iter()
        .map(|part| match part {
            Part::Result(result) => result.content.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(contents, [json!("1\n2"), image, json!("")]);
    assert_eq!(read.messages.len(), 1);
}

#[test]
fn a_body_that_is_no_request_is_refused_with_the_place() {
    let said =
        |content: Value| json!({"model": "m", "messages": [{"role": "user", "content": content}]});
    let rows = [
        (json!([]), "body: expected an object"),
        (json!({"messages": []}), "model: field required"),
        (json!({"model": "m"}), "messages: field required"),
        (json!({"model": "m", "messages": {}}), "messages: expected a list"),
        (
            json!({"model": "m", "messages": [{"role": "developer", "content": "x"}]}),
            "messages[0].role: 'developer' is neither user nor assistant",
        ),
        (
            json!({"model": "m", "messages": [{"role": "user"}]}),
            "messages[0].content: field required",
        ),
        (
            said(json!([{"type": "hologram"}])),
            "messages[0].content[0].type: unknown content block 'hologram'",
        ),
        (
            said(json!([{"type": "tool_use", "id": "a", "name": "b", "input": "{}"}])),
            "messages[0].content[0].input: input should be a valid dictionary",
        ),
        (
            json!({"model": "m", "messages": [], "tool_choice": "any"}),
            "tool_choice: expected an object",
        ),
        (
            json!({"model": "m", "messages": [], "tool_choice": {"type": "required"}}),
            "tool_choice.type: 'required' is none of auto, any, none, tool",
        ),
        (
            json!({"model": "m", "messages": [], "tools": [{"name": "a"}]}),
            "tools[0].input_schema: expected an object",
        ),
        (
            json!({"model": "m", "messages": [], "tools": [{"name": "a", "type": "web_search_20250305"}]}),
            "tools[0].type: 'web_search_20250305' runs at the provider",
        ),
    ];
    for (body, expected) in rows {
        let error = CODEC.decode_request(&body, &Route::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

fn streamed(reply: &Reply) -> Vec<Frame> {
    let stamp = Stamp { created: 0, usage: true };
    CODEC.encode_stream(reply, &stamp, DeltaLength(NonZeroUsize::new(6).unwrap()))
}

#[test]
fn a_stream_has_the_providers_events_in_the_providers_order() {
    let thinking = json!({"type": "thinking", "thinking": "Which one?", "signature": "Eo"});
    let parts = vec![
        Part::Reasoning(ReasoningState::new(ReasoningField::ThinkingBlock, thinking)),
        Part::Text("Checking.".to_owned()),
        Part::Call(call("a", json!({"n": 1}))),
        Part::Call(call("b", json!({}))),
    ];
    let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::ToolUse));
    reply.id = Some("msg_1".to_owned());
    reply.model_echo = Some("m".to_owned());
    reply.usage.input = Some(400);
    reply.usage.cached = Some(23);
    reply.usage.output = Some(65);
    let lines: Vec<String> = streamed(&reply)
        .iter()
        .map(|frame| match frame {
            Frame::Event { event, data } => format!("{} {data}", event.as_deref().unwrap_or("-")),
            Frame::Comment(text) => format!(": {text}"),
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_truncated_stream_never_holds_its_last_call() {
    let broken = BrokenCall {
        id: CallId::new("b"),
        name: "probe_echo".to_owned(),
        arguments: "{}".to_owned(),
        problem: String::new(),
    };
    let parts = vec![Part::Call(call("a", json!({"n": 1}))), Part::BrokenCall(broken)];
    let reply = Reply::new(parts, Stop::unlabelled(StopKind::Truncated));
    let read = frames_to_reply(&CODEC, &streamed(&reply)).unwrap();
    assert_eq!(read.calls().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(read.stop, reply.stop);
}

#[test]
fn no_prefix_of_a_stream_is_a_finished_reply() {
    let parts = vec![Part::Text("hm".to_owned()), Part::Call(call("a", json!({"n": 12})))];
    let reply = Reply::new(parts, Stop::new(StopKind::ToolUse, "tool_use"));
    let frames = streamed(&reply);
    let whole_call = frames.len() - 2;
    for cut in 0..=whole_call {
        let read = frames_to_reply(&CODEC, &frames[..cut]).unwrap();
        assert_eq!(read.stop.kind, StopKind::Truncated, "{cut} of {}", frames.len());
        assert_eq!(read.calls().count(), usize::from(cut == whole_call), "{:?}", read.parts);
    }
}
