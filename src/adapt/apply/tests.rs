//! Nothing of a conversation is lost on its way through a plan.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Rewriter;
use crate::adapt::plan::{PLAN_VERSION, Plan};
use crate::dialect::{DeltaLength, DialectId, Stamp};
use crate::ir::{
    CallFormat, CallId, Defect, Layer, Message, Part, ReasoningField, ReasoningState, Reply,
    Request, Stop, StopKind, ToolCall, ToolChoice, ToolResult, ToolSpec,
};
use crate::profile::{
    Correction, ErrorMarker, Keep, ParallelLimit, Placement, ReasoningTurns, ReasoningUse, Setting,
    StreamUse, ToolOffer,
};
use crate::prompted::{Protocol, ToolDelivery};
use crate::tools::ArgumentSchema;

pub(super) fn plan(dialect: DialectId, settings: Vec<Setting>) -> Plan {
    let correction = |setting| Correction {
        setting,
        why: String::new(),
        because: Vec::new(),
        evidence: Vec::new(),
    };
    Plan {
        plan_version: PLAN_VERSION,
        subject: crate::profile::testing::subject(),
        dialect,
        corrections: settings.into_iter().map(correction).collect(),
    }
}

pub(super) fn tool() -> ToolSpec {
    ToolSpec {
        name: "book".to_owned(),
        description: "Book seats.".to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": ["desk", "room"]},
                "seats": {"type": "integer", "minimum": 1, "maximum": 9},
                "quiet": {"type": "boolean"},
                "place": {"$ref": "#/$defs/place"},
                "days": {"type": "array", "items": {"type": "integer"}}
            },
            "required": ["kind", "seats"],
            "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}}}
        }),
        strict: None,
    }
}

pub(super) fn words(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// One setting of every kind, and further ones where the kind has several.
fn settings() -> Vec<Setting> {
    let parsing = |format: &str| Setting::Parsing {
        format: format.to_owned(),
        layer: Layer::Content,
        repairs: Vec::new(),
    };
    vec![
        Setting::Encoding { normalize: vec![Defect::ArgumentsObject] },
        Setting::Delivery { tools: ToolOffer::By(ToolDelivery::Prompted(Protocol::ToolUse)) },
        parsing("claude-tool-use"),
        Setting::Schema {
            drop: words(&["enum", "$ref", "minimum-maximum"]),
            widen: words(&["integer", "boolean", "array", "nested-object"]),
            split: words(&["anyOf", "oneOf"]),
            check: Vec::new(),
        },
        Setting::Parallel { calls_per_turn: 1, by: ParallelLimit::Prompt },
        Setting::Streaming { tool_calls: StreamUse::Plain, defects: Vec::new() },
        Setting::ReasoningReplay {
            send: ReasoningUse::Verbatim,
            field: None,
            turns: ReasoningTurns::WithCalls,
        },
        Setting::ResultPlacement {
            rules: vec![Placement::InCallOrder, Placement::BeforeText, Placement::BridgeBeforeUser],
        },
        Setting::Ids { pattern: String::new(), defects: vec![Defect::IdMissing] },
        Setting::ErrorFeedback { marker: ErrorMarker::Text, retries: 1 },
        Setting::ToolChoice { refused: words(&["required", "named"]), ignored: Vec::new() },
        Setting::History { keep: vec![Keep::Tools] },
    ]
}

fn reasoning_field(dialect: DialectId) -> ReasoningField {
    match dialect {
        DialectId::AnthropicMessages => ReasoningField::ThinkingBlock,
        DialectId::OpenAiChat => ReasoningField::ReasoningContent,
        DialectId::OpenAiResponses => ReasoningField::ReasoningItem,
        DialectId::Gemini => ReasoningField::ThoughtSignature,
        DialectId::Ollama => ReasoningField::Thinking,
    }
}

fn reasoning(dialect: DialectId, text: &str) -> ReasoningState {
    let value = match dialect {
        DialectId::AnthropicMessages => {
            json!({"type": "thinking", "thinking": text, "signature": "c2ln"})
        }
        DialectId::OpenAiResponses => {
            json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": text}]})
        }
        _ => Value::from(text),
    };
    ReasoningState::new(reasoning_field(dialect), value)
}

pub(super) fn call(id: &str, input: Value) -> ToolCall {
    ToolCall::new(CallId::new(id), "book", input, CallFormat::OpenAi)
}

fn result(id: &str, content: &str) -> ToolResult {
    ToolResult::success(CallId::new(id), "book", json!({"receipt": content}))
}

/// A conversation with two calls, their results, reasoning, and words after them.
fn conversation(dialect: DialectId, ids: [&str; 2], said: &str, receipts: [&str; 2]) -> Request {
    let calls = ids.map(|id| Part::Call(call(id, json!({"kind": "desk", "seats": 2}))));
    let mut parts = vec![Part::Reasoning(reasoning(dialect, said))];
    parts.extend(calls);
    Request {
        messages: vec![
            Message::user("Book two."),
            Message::assistant(parts),
            Message::results([result(ids[0], receipts[0]), result(ids[1], receipts[1])]),
            Message::user("Thank you."),
        ],
        tools: vec![tool()],
        stream: true,
        ..Request::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is applied: every result, every argument and every byte of reasoning is still on
    /// the wire, calls and results still pair, and the same goes in gives the same out.
    #[test]
    fn a_request_keeps_results_reasoning_and_pairs(
        dialect in prop::sample::select(DialectId::ALL.to_vec()),
        chosen in prop::sample::subsequence(settings(), 0..=12),
        ids in ["[a-zA-Z0-9_:.-]{1,60}", "[a-zA-Z0-9]{9}"],
        said in "[a-z äß<>]{1,40}",
        receipts in ["[a-z0-9]{8}", "[a-z0-9]{8}"],
    ) {
        prop_assume!(ids[0] != ids[1]);
        let request = conversation(dialect, [&ids[0], &ids[1]], &said, [&receipts[0], &receipts[1]]);
        let rewriter = Rewriter::new(plan(dialect, chosen));
        let sent = rewriter.rewrite(&request);
        prop_assert_eq!(&sent, &rewriter.rewrite(&request));
        prop_assert_eq!(&sent.clone().into_original(), &request, "nothing of the request is lost");
        let body = dialect.codec().encode_request(&sent.request).to_string();
        for receipt in &receipts {
            prop_assert!(body.contains(receipt.as_str()), "{receipt} is not in {body}");
        }
        let state = |request: &Request| -> Vec<ReasoningState> {
            let parts = request.messages.iter().flat_map(|message| &message.parts);
            parts.filter_map(|part| match part {
                Part::Reasoning(state) => Some(state.clone()),
                _ => None,
            }).collect()
        };
        prop_assert_eq!(state(&sent.request), state(&request));
        let calls: Vec<String> = sent.request.messages.iter().flat_map(Message::calls)
            .map(|call| call.id.to_string()).collect();
        let paired = |id: &String| sent.request.messages.iter().flat_map(|it| &it.parts)
            .any(|part| matches!(part, Part::Result(it) if it.tool_call_id.as_str() == id));
        prop_assert!(calls.iter().all(paired), "{calls:?}");
        prop_assert!(calls.is_empty() || calls.len() == 2 && calls[0] != calls[1]);
    }

    /// A reply that came plainly and the same in a stream give the same calls, with arguments that
    /// fit the original schema, in every dialect.
    #[test]
    fn a_reply_comes_back_with_arguments_that_fit_the_original_schema(
        dialect in prop::sample::select(DialectId::ALL.to_vec()),
        seats in 1..=9_i64,
        quiet in any::<bool>(),
        days in prop::collection::vec(0..31_i64, 0..4),
        city in "[A-Z][a-z]{2,8}",
    ) {
        let wanted = json!({"kind": "room", "seats": seats, "quiet": quiet,
                            "place": {"city": city}, "days": days});
        let as_written = json!({"kind": "room", "seats": seats.to_string(),
            "quiet": if quiet { "yes" } else { "no" },
            "place": wanted["place"].to_string(), "days": wanted["days"].to_string()});
        let rewriter = Rewriter::new(plan(dialect, settings().into_iter().filter(|it| {
            matches!(it, Setting::Schema { .. } | Setting::Ids { .. })
        }).collect()));
        let request = Request { messages: vec![Message::user("Go.")], tools: vec![tool()], ..Request::default() };
        let sent = rewriter.rewrite(&request);
        let simple = ArgumentSchema::new(&sent.request.tools[0].input_schema).unwrap();
        prop_assert_eq!(simple.complaints(&as_written), Vec::<String>::new());
        let codec = dialect.codec();
        let reply = Reply::new(
            vec![Part::Reasoning(reasoning(dialect, "why")), Part::Call(call("id-1", as_written))],
            Stop::unlabelled(StopKind::ToolUse),
        );
        let stamp = Stamp { created: 0, usage: true };
        let plain = codec.decode_reply(&codec.encode_reply(&reply, &stamp)).unwrap();
        let mut decoder = codec.stream_decoder();
        for frame in codec.encode_stream(&reply, &stamp, DeltaLength(NonZeroUsize::MIN.saturating_add(6))) {
            decoder.push(&frame);
        }
        let streamed = decoder.finish().unwrap();
        let original = ArgumentSchema::new(&tool().input_schema).unwrap();
        for reply in [plain, streamed] {
            let restored = rewriter.restore(&sent, reply.clone());
            let inputs: Vec<&Value> = restored.calls().map(|call| &call.input).collect();
            prop_assert_eq!(&inputs, &[&wanted]);
            prop_assert_eq!(original.complaints(inputs[0]), Vec::<String>::new());
            prop_assert_eq!(restored.reasoning_text(), reply.reasoning_text());
            let ids: Vec<&str> = restored.calls().map(|call| call.id.as_str()).collect();
            prop_assert!(ids.iter().all(|id| id.len() == 9), "{ids:?}");
        }
    }

    /// A call that travels as text goes back to the model byte for byte.
    #[test]
    fn text_calls_go_back_as_they_came(before in "[a-z ]{0,20}", after in "[a-z ]{0,20}", seats in 1..=9) {
        let text = format!(
            "{before}\n<tool_call>\n{{\"name\": \"book\", \"arguments\": {{\"kind\": \"desk\", \"seats\": {seats}}}}}\n</tool_call>{after}"
        );
        let setting = Setting::Parsing { format: "hermes".to_owned(), layer: Layer::Content, repairs: Vec::new() };
        let rewriter = Rewriter::new(plan(DialectId::OpenAiChat, vec![setting]));
        let request = Request { messages: vec![Message::user("Go.")], tools: vec![tool()], ..Request::default() };
        let sent = rewriter.rewrite(&request);
        let reply = Reply::new(vec![Part::Text(text.clone())], Stop::unlabelled(StopKind::EndTurn));
        let restored = rewriter.restore(&sent, reply);
        prop_assert_eq!(restored.calls().count(), 1);
        let mut next = request.clone();
        next.messages.push(Message::assistant(restored.parts));
        let again = rewriter.rewrite(&next).request;
        prop_assert_eq!(again.messages[1].text(), text);
    }
}

#[test]
fn a_call_that_needs_a_repair_which_was_never_seen_is_not_run() {
    let text = "<tool_call>\n{\"name\": \"book\", \"arguments\": {\"kind\": \"desk\", \"seats\": 2,}}\n</tool_call>";
    for (repairs, runs) in [(Vec::new(), false), (words(&["trailing-comma"]), true)] {
        let setting =
            Setting::Parsing { format: "hermes".to_owned(), layer: Layer::Content, repairs };
        let rewriter = Rewriter::new(plan(DialectId::OpenAiChat, vec![setting]));
        let request = Request { tools: vec![tool()], ..Request::default() };
        let reply =
            Reply::new(vec![Part::Text(text.to_owned())], Stop::unlabelled(StopKind::EndTurn));
        let restored = rewriter.restore(&rewriter.rewrite(&request), reply);
        assert_eq!(restored.calls().count(), usize::from(runs));
        assert_eq!(restored.parts.iter().any(|it| matches!(it, Part::BrokenCall(_))), !runs);
    }
}

#[test]
fn a_forced_choice_that_is_refused_is_asked_for_in_words() {
    let setting = Setting::ToolChoice { refused: words(&["named"]), ignored: Vec::new() };
    let rewriter = Rewriter::new(plan(DialectId::OpenAiChat, vec![setting]));
    let mut request =
        Request { messages: vec![Message::user("Hi.")], tools: vec![tool()], ..Request::default() };
    request.tool_choice = Some(ToolChoice::Named("book".to_owned()));
    let sent = rewriter.rewrite(&request).request;
    assert_eq!(sent.tool_choice, None);
    assert!(sent.messages[0].text().ends_with("Now call the tool `book`."));
    request.tool_choice = Some(ToolChoice::Required);
    assert_eq!(rewriter.rewrite(&request).request, request, "only what is refused is changed");
}

/// A tool whose arguments are one of two forms.
pub(super) fn alternatives() -> ToolSpec {
    let form = |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}}, "required": [key]});
    ToolSpec {
        name: "find".to_owned(),
        description: "Find a book.".to_owned(),
        input_schema: json!({
            "type": "object", "properties": {"limit": {"type": "integer"}},
            "oneOf": [form("title"), {"$ref": "#/$defs/isbn"}], "$defs": {"isbn": form("isbn")}
        }),
        strict: None,
    }
}

fn splitting(dialect: DialectId) -> Rewriter {
    let split = words(&["oneOf"]);
    let setting = Setting::Schema { drop: words(&["oneOf"]), widen: vec![], split, check: vec![] };
    Rewriter::new(plan(dialect, vec![setting]))
}

#[test]
fn a_tool_with_alternatives_is_offered_as_several_and_called_by_its_own_name_again() {
    for dialect in DialectId::ALL {
        let rewriter = splitting(dialect);
        let by_isbn = ToolCall { name: "find".to_owned(), ..call("id-1", json!({"isbn": "9"})) };
        let found = ToolResult { name: "find".to_owned(), ..result("id-1", "x") };
        let request = Request {
            messages: vec![
                Message::user("Go."),
                Message::assistant(vec![Part::Call(by_isbn)]),
                Message::results([found]),
            ],
            tools: vec![alternatives(), tool()],
            ..Request::default()
        };
        let sent = rewriter.rewrite(&request);
        let names: Vec<&str> = sent.request.tools.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["find__1", "find__2", "book"]);
        assert_eq!(sent.request.tools[1].input_schema["required"], json!(["isbn"]));
        assert!(sent.request.tools[1].input_schema["properties"].get("limit").is_some());
        assert!(sent.request.tools.iter().all(|it| it.input_schema.get("oneOf").is_none()));
        let history: Vec<&str> = sent
            .request
            .messages
            .iter()
            .flat_map(Message::calls)
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(history, ["find__2"], "the history names what is offered");
        let Part::Result(answered) = &sent.request.messages[2].parts[0] else { panic!() };
        assert_eq!(answered.name, "find__2");
        let again = ToolCall { name: "find__1".to_owned(), ..call("id-2", json!({"title": "x"})) };
        let reply = Reply::new(vec![Part::Call(again)], Stop::unlabelled(StopKind::ToolUse));
        let restored = rewriter.restore(&sent, reply);
        assert_eq!(restored.calls().next().unwrap().name, "find");
        assert_eq!(sent.into_original(), request);
    }
}

#[test]
fn a_tool_stays_whole_if_a_part_would_have_the_name_of_another() {
    let other = ToolSpec { name: "find__1".to_owned(), ..tool() };
    let request = Request { tools: vec![alternatives(), other], ..Request::default() };
    let sent = splitting(DialectId::OpenAiChat).rewrite(&request);
    assert_eq!(sent.request.tools.len(), 2);
}

#[test]
fn a_choice_of_a_split_tool_becomes_a_choice_of_its_parts() {
    let rewriter = splitting(DialectId::OpenAiChat);
    let named = Some(ToolChoice::Named("find".to_owned()));
    let mut request = Request {
        messages: vec![Message::user("Go.")],
        tools: vec![alternatives()],
        tool_choice: named.clone(),
        ..Request::default()
    };
    assert_eq!(rewriter.rewrite(&request).request.tool_choice, Some(ToolChoice::Required));
    request.tools.push(tool());
    let sent = rewriter.rewrite(&request).request;
    assert_eq!(sent.tool_choice, None);
    assert!(sent.messages[0].text().contains("`find__2`"), "{}", sent.messages[0].text());
}

#[test]
fn a_call_is_forced_until_there_is_a_result_and_again_after_the_next_words() {
    let tools = ToolOffer::By(ToolDelivery::Forced(crate::prompted::Force::Required));
    let rewriter = Rewriter::new(plan(DialectId::OpenAiChat, vec![Setting::Delivery { tools }]));
    let choice = |messages: Vec<Message>, tool_choice: Option<ToolChoice>| {
        let request = Request { messages, tools: vec![tool()], tool_choice, ..Request::default() };
        rewriter.rewrite(&request).request.tool_choice
    };
    let called = Message::assistant(vec![Part::Call(call("a", json!({})))]);
    let failed = ToolResult { is_error: true, ..result("a", "x") };
    let mut said = vec![Message::user("Go.")];
    assert_eq!(choice(said.clone(), None), Some(ToolChoice::Required));
    assert_eq!(
        choice(said.clone(), Some(ToolChoice::None)),
        Some(ToolChoice::None),
        "a wish counts"
    );
    said.extend([called, Message::results([failed])]);
    assert_eq!(choice(said.clone(), None), Some(ToolChoice::Required), "an error is no result");
    said[2] = Message::results([result("a", "x")]);
    assert_eq!(choice(said.clone(), None), None, "lifted after a result");
    said.push(Message::user("And now?"));
    assert_eq!(choice(said, None), Some(ToolChoice::Required));
}
