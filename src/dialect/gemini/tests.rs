//! Does this dialect keep the laws, and what does it do at their edges?

use std::num::NonZeroUsize;

use proptest::prelude::{Strategy, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Value, json};

use super::super::testing::{
    self, ChoiceKind, NormalForm, assert_fixtures, assert_laws, frames_to_reply, request_round_trip,
};
use super::super::{DeltaLength, Dialect, Route, Stamp};
use super::CODEC;
use crate::ir::{
    BrokenCall, CallFormat, CallId, Message, Part, ReasoningField, ReasoningState, Reply, Request,
    Role, Stop, StopKind, ToolCall, ToolChoice, ToolResult, ToolSpec, Usage,
};
use crate::wire::Frame;

pub(in crate::dialect) fn form() -> NormalForm {
    NormalForm {
        standing: Some(thought),
        attached: Some(signature),
        results: || {
            prop_oneof![testing::text().prop_map(Value::String), testing::json_object()].boxed()
        },
        choices: &[
            ChoiceKind::Auto,
            ChoiceKind::None,
            ChoiceKind::Required,
            ChoiceKind::Named,
            ChoiceKind::AllowedAuto,
            ChoiceKind::AllowedRequired,
        ],
        parallel: false,
        routed: true,
        usage: |usage| Usage { cache_write: None, ..usage },
        broken_calls: true,
        tidy_request,
        ..NormalForm::new(CallFormat::Gemini, stops)
    }
}

fn thought() -> BoxedStrategy<ReasoningState> {
    let plain = testing::text().prop_map(|text| json!({"text": text, "thought": true}));
    let signed = (testing::text(), "[A-Za-z0-9+/]{4,12}").prop_map(
        |(text, signature)| json!({"text": text, "thought": true, "thoughtSignature": signature}),
    );
    prop_oneof![plain, signed]
        .prop_map(|value| ReasoningState::new(ReasoningField::Thought, value))
        .boxed()
}

fn signature() -> BoxedStrategy<ReasoningState> {
    "[A-Za-z0-9+/]{4,12}"
        .prop_map(|value| ReasoningState::new(ReasoningField::ThoughtSignature, value))
        .boxed()
}

fn stops(calls: bool) -> Vec<Stop> {
    let done = if calls { StopKind::ToolUse } else { StopKind::EndTurn };
    vec![
        Stop::new(done, "STOP"),
        Stop::new(StopKind::MaxTokens, "MAX_TOKENS"),
        Stop::new(StopKind::Refusal, "SAFETY"),
        Stop::new(StopKind::MalformedCall, "MALFORMED_FUNCTION_CALL"),
        Stop::new(StopKind::Other, "A_NEW_REASON"),
    ]
}

/// All tools are strict or none is, one allowed and required tool is a named one, and a code is
/// said in text.
fn tidy_request(mut request: Request) -> Request {
    let free = matches!(request.tool_choice, Some(ToolChoice::Auto));
    let strict = free && request.tools.iter().all(|tool| tool.strict == Some(true));
    request.tools.iter_mut().for_each(|tool| tool.strict = strict.then_some(true));
    if let Some(ToolChoice::Allowed { required: true, names }) = &request.tool_choice
        && let [name] = names.as_slice()
    {
        request.tool_choice = Some(ToolChoice::Named(name.clone()));
    }
    for part in request.messages.iter_mut().flat_map(|message| &mut message.parts) {
        if let Part::Result(result) = part {
            result.error_code = result.error_code.take().filter(|_| result.content.is_string());
        }
    }
    request
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
    Request { model: "m".to_owned(), messages, ..Request::default() }
}

fn route() -> Route {
    Route { model: Some("m".to_owned()), stream: Some(false) }
}

fn call(id: &str, input: Value, raw: Value) -> Part {
    let (id, name) = (CallId::new(id), "probe_echo".to_owned());
    Part::Call(ToolCall { id, name, input, format: CallFormat::Gemini, raw })
}

fn result(id: &str, text: &str) -> ToolResult {
    ToolResult::success(CallId::new(id), "probe_echo", json!(text))
}

fn with_signature(value: &str) -> Part {
    Part::Reasoning(ReasoningState::new(ReasoningField::ThoughtSignature, value))
}

#[test]
fn a_whole_request_is_written_as_the_provider_documents_it() {
    let failed =
        ToolResult { is_error: true, error_code: Some("X1".to_owned()), ..result("b", "no") };
    let asked = Request {
        system: Some("Be brief.".to_owned()),
        tools: vec![ToolSpec::new("probe_echo", "Echoes.", json!({"type": "object"}))],
        tool_choice: Some(ToolChoice::Named("probe_echo".to_owned())),
        parallel: Some(false),
        max_tokens: Some(64),
        extra: json!({"generationConfig": {"temperature": 0}}).as_object().unwrap().clone(),
        ..request(vec![
            Message::user("go"),
            Message::assistant(vec![
                with_signature("CiQB"),
                call("a", json!({"n": 1}), Value::Null),
                call("b", json!({}), Value::Null),
            ]),
            Message::results([result("a", "1"), failed]),
            Message::user("and now?"),
        ])
    };
    insta::assert_json_snapshot!(CODEC.encode_request(&asked));
}

#[test]
fn a_made_up_id_is_never_sent() {
    let reply = json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
        {"functionCall": {"name": "probe_echo", "args": {"n": 1}}, "thoughtSignature": "CiQB"},
        {"functionCall": {"name": "probe_echo"}},
    ]}}], "responseId": "r1"});
    let reply = CODEC.decode_reply(&reply).unwrap();
    let ids: Vec<&str> = reply.calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["r1_0", "r1_1"]);

    let results = [result("r1_0", "1"), result("r1_1", "2")];
    let asked = request(vec![Message::assistant(reply.parts.clone()), Message::results(results)]);
    let body = CODEC.encode_request(&asked);
    assert_eq!(
        body["contents"],
        json!([
            {"role": "model", "parts": [
                {"functionCall": {"name": "probe_echo", "args": {"n": 1}}, "thoughtSignature": "CiQB"},
                {"functionCall": {"name": "probe_echo"}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "probe_echo", "response": {"output": "1"}}},
                {"functionResponse": {"name": "probe_echo", "response": {"output": "2"}}}]},
        ])
    );
}

#[test]
fn results_without_ids_answer_the_calls_of_their_name_in_order() {
    let called = |name: &str| json!({"functionCall": {"name": name}});
    let gave = |name: &str| json!({"functionResponse": {"name": name, "response": {"result": 1}}});
    let body = json!({"contents": [
        {"role": "model", "parts": [called("b")]},
        {"parts": [{"text": "never mind"}]},
        {"role": "model", "parts": [called("a"), called("b"), called("a")]},
        {"role": "user", "parts": [gave("b"), gave("a"), gave("a"), gave("c")]},
    ]});
    let read = CODEC.decode_request(&body, &route()).unwrap();
    let ids = |message: &Message| -> Vec<String> {
        let ids = message.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call.id.to_string()),
            Part::Result(result) => Some(result.tool_call_id.to_string()),
            _ => None,
        });
        ids.collect()
    };
    assert_eq!(ids(&read.messages[2]), ["call_1", "call_2", "call_3"]);
    assert_eq!(ids(&read.messages[3]), ["call_2", "call_1", "call_3", ""]);
}

#[test]
fn each_tool_choice_has_its_mode() {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let tool = |strict| ToolSpec {
        name: "a".to_owned(),
        description: String::new(),
        input_schema: json!({"type": "object"}),
        strict,
    };
    let rows = [
        (None, None, Value::Null),
        (Some(ToolChoice::Auto), None, json!({"mode": "AUTO"})),
        (None, Some(true), json!({"mode": "VALIDATED"})),
        (Some(ToolChoice::Auto), Some(true), json!({"mode": "VALIDATED"})),
        (Some(ToolChoice::Required), Some(true), json!({"mode": "ANY"})),
        (Some(ToolChoice::None), Some(true), json!({"mode": "NONE"})),
        (
            Some(ToolChoice::Named("a".to_owned())),
            None,
            json!({"mode": "ANY", "allowedFunctionNames": ["a"]}),
        ),
        (
            Some(ToolChoice::Allowed { required: true, names: names(&["a", "b"]) }),
            None,
            json!({"mode": "ANY", "allowedFunctionNames": ["a", "b"]}),
        ),
        (
            Some(ToolChoice::Allowed { required: false, names: names(&["a"]) }),
            None,
            json!({"mode": "VALIDATED", "allowedFunctionNames": ["a"]}),
        ),
    ];
    for (tool_choice, strict, expected) in rows {
        let asked = Request { tools: vec![tool(strict)], tool_choice, ..request(Vec::new()) };
        let body = CODEC.encode_request(&asked);
        assert_eq!(body["toolConfig"]["functionCallingConfig"], expected, "{asked:?}");
    }
}

#[test]
fn faulty_histories_survive_the_wire() {
    let orphan = ToolResult { name: "gone".to_owned(), ..result("nobody", "?") };
    let histories = [
        vec![Message::assistant(vec![call("a", json!({}), Value::Null)]), Message::user("x")],
        vec![Message::user("x"), Message::results([orphan.clone()])],
        vec![
            Message::assistant(vec![call("a", json!({}), Value::Null)]),
            Message {
                role: Role::User,
                parts: vec![Part::Text("x".to_owned()), Part::Result(result("a", "1"))],
            },
        ],
        vec![
            Message::assistant(vec![call("a", json!({}), Value::Null)]),
            Message::user("x"),
            Message::results([result("a", "1")]),
        ],
        vec![Message { role: Role::User, parts: Vec::new() }, Message::user("")],
        vec![Message::assistant(Vec::new()), Message::assistant(Vec::new())],
        vec![
            Message::assistant(vec![Part::Result(orphan)]),
            Message { role: Role::User, parts: vec![call("a", json!({}), Value::Null)] },
        ],
        vec![Message::assistant(vec![Part::BrokenCall(BrokenCall {
            id: CallId::new("a"),
            name: "probe_echo".to_owned(),
            arguments: "{\"n\":".to_owned(),
            problem: String::new(),
        })])],
    ];
    for history in histories {
        request_round_trip(&CODEC, &request(history), true);
    }
}

#[test]
fn a_signed_text_is_kept_apart_from_the_text_around_it() {
    let parts = vec![
        Part::Text("a".to_owned()),
        with_signature("CiQB"),
        Part::Text("b".to_owned()),
        Part::Text("c".to_owned()),
        with_signature("CiQC"),
        Part::Text(String::new()),
    ];
    let reply = Reply::new(parts.clone(), Stop::new(StopKind::EndTurn, "STOP"));
    let stamp = Stamp { created: 0, usage: true };
    let plain = CODEC.decode_reply(&CODEC.encode_reply(&reply, &stamp)).unwrap();
    assert_eq!(plain.parts, parts);
    let frames = CODEC.encode_stream(&reply, &stamp, DeltaLength(NonZeroUsize::MIN));
    assert_eq!(frames_to_reply(&CODEC, &frames).unwrap().parts, parts);
    request_round_trip(&CODEC, &request(vec![Message::assistant(parts)]), true);
}

#[test]
fn reasoning_of_another_dialect_is_not_sent() {
    let foreign = ReasoningState::new(ReasoningField::ThinkingBlock, json!({"signature": "Eo"}));
    let said = vec![Part::Reasoning(foreign), Part::Text("x".to_owned())];
    let body = CODEC.encode_request(&request(vec![Message::assistant(said)]));
    assert_eq!(body["contents"][0]["parts"], json!([{"text": "x"}]));
}

#[test]
fn either_spelling_of_a_field_is_read() {
    let body = json!({
        "system_instruction": {"parts": [{"text": "a"}, {"text": "b"}]},
        "contents": [{"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [
                {"function_call": {"name": "f", "args": {}}, "thought_signature": "CiQB"}]},
            {"role": "function", "parts": [
                {"function_response": {"name": "f", "response": {"error": "[ERROR:X1] no"}}}]}],
        "tools": [{"function_declarations": [
            {"name": "f", "parameters_json_schema": {"type": "object"}},
            {"name": "g", "parameters": {"type": "OBJECT"}},
            {"name": "h"}]}],
        "tool_config": {"function_calling_config": {
            "mode": "ANY", "allowed_function_names": ["f"], "streamFunctionCallArguments": true}},
        "generation_config": {"max_output_tokens": 7, "temperature": 0},
        "safety_settings": [],
    });
    let read = CODEC.decode_request(&body, &route()).unwrap();
    assert_eq!(read.system.as_deref(), Some("a\nb"));
    assert_eq!(read.tool_choice, Some(ToolChoice::Named("f".to_owned())));
    assert_eq!(read.max_tokens, Some(7));
    let schemas: Vec<Value> = read.tools.iter().map(|tool| tool.input_schema.clone()).collect();
    let nothing = json!({"type": "object", "properties": {}});
    assert_eq!(schemas, [json!({"type": "object"}), json!({"type": "object"}), nothing]);
    assert_eq!(
        Value::Object(read.extra.clone()),
        json!({"safety_settings": [],
               "toolConfig": {"functionCallingConfig": {"streamFunctionCallArguments": true}},
               "generationConfig": {"temperature": 0}})
    );
    let Part::Result(result) = &read.messages[2].parts[0] else { panic!("{:?}", read.messages) };
    assert_eq!((result.error_code.as_deref(), &result.content), (Some("X1"), &json!("no")));
    assert_eq!(read.messages[1].parts[0], with_signature("CiQB"));
}

#[test]
fn a_body_that_is_no_request_is_refused_with_the_place() {
    let said = |part: Value| json!({"contents": [{"role": "user", "parts": [part]}]});
    let rows = [
        (json!(null), "body: expected an object"),
        (json!({}), "contents: field required"),
        (
            json!({"contents": [{"role": "system", "parts": []}]}),
            "contents[0].role: 'system' is not valid: please use user or model",
        ),
        (
            said(json!({})),
            "contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
        ),
        (
            said(json!({"functionCall": {"name": "f", "args": "{}"}})),
            "contents[0].parts[0].functionCall.args: expected an object",
        ),
        (
            said(json!({"functionResponse": {"name": "f", "response": "x"}})),
            "contents[0].parts[0].functionResponse.response: expected an object",
        ),
        (
            json!({"contents": [], "tools": [{"googleSearch": {}}]}),
            "tools[0].googleSearch: runs at the provider",
        ),
        (
            json!({"contents": [], "tools": [{"functionDeclarations": [
                {"name": "f", "parameters": {}, "parametersJsonSchema": {}}]}]}),
            "tools[0].functionDeclarations[0].parameters: excludes parametersJsonSchema; set one of them",
        ),
        (
            json!({"contents": [], "toolConfig": {"functionCallingConfig": {"mode": "SOME"}}}),
            "toolConfig.functionCallingConfig.mode: 'SOME' is none of AUTO, ANY, NONE, VALIDATED",
        ),
    ];
    for (body, expected) in rows {
        let error = CODEC.decode_request(&body, &route()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let nameless = CODEC.decode_request(&json!({"contents": []}), &Route::default());
    assert_eq!(nameless.unwrap_err().to_string(), "model: field required");
}

#[test]
fn a_stream_has_the_providers_chunks() {
    let parts = vec![
        Part::Text("Checking.".to_owned()),
        with_signature("CiQB"),
        call("a", json!({"n": 1}), Value::Null),
    ];
    let mut reply = Reply::new(parts, Stop::unlabelled(StopKind::ToolUse));
    reply.id = Some("r1".to_owned());
    reply.model_echo = Some("m".to_owned());
    reply.usage =
        Usage { input: Some(29), output: Some(60), reasoning: Some(45), ..Usage::default() };
    let stamp = Stamp { created: 0, usage: true };
    let frames = CODEC.encode_stream(&reply, &stamp, DeltaLength(NonZeroUsize::new(6).unwrap()));
    let lines: Vec<&str> = frames
        .iter()
        .map(|frame| match frame {
            Frame::Event { event: None, data } => data.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
    for cut in 0..frames.len() {
        let read = frames_to_reply(&CODEC, &frames[..cut]).unwrap();
        assert_eq!(read.stop.kind, StopKind::Truncated, "{cut} of {}", frames.len());
    }
}
