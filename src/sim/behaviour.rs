//! Does each model misbehave as its file says, and in no other way?
//!
//! Every model of the fleet holds the same conversations as the well-behaved one of its dialect. At
//! the level of meaning, the conversations in which the two differ must be those that the model's
//! quirks are about. On the wire, what a lenient decoder notes must be what the file declares, and
//! the stream must say the same as the plain body exactly where the file says that it does.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::model::{ModelFile, NativeTools, TextForm};
use super::quirks::{HttpQuirk, ModelQuirk, SchemaFeature, distort_body, distort_frames};
use super::{Draw, Fleet, Protocol, ToolDelivery, brain};
use crate::dialect::{DialectId, Pieces, Stamp};
use crate::ir::{
    CallFormat, CallId, Defect, Message, Part, Reply, Request, Stop, StopKind, ToolCall,
    ToolChoice, ToolResult, ToolSpec,
};

fn tool(name: &str, input_schema: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}."),
        input_schema,
        strict: None,
    }
}

fn tools() -> Vec<ToolSpec> {
    vec![
        tool(
            "echo",
            json!({"type": "object", "properties": {"message": {"type": "string"},
                "tag": {"type": "string", "enum": ["alpha", "beta"]}}, "required": ["message", "tag"]}),
        ),
        tool(
            "add",
            json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"]}),
        ),
        tool("ping", json!({"type": "object", "properties": {}})),
        tool(
            "open",
            json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        ),
        tool(
            "book",
            json!({"type": "object", "properties": {"place": {"type": "object", "properties":
                {"city": {"type": "string"}}, "required": ["city"]}, "on": {"type": "boolean"}},
                "required": ["place", "on"]}),
        ),
    ]
}

const ECHO: &str =
    "Call the tool `echo` once, with:\n- message = \"violet-4207\"\n- tag = \"beta\"";
const PATH: &str = "Call the tool `open` once, with:\n- path = \"notes/a.txt\"";
const ADD: &str = "Call the tool `add` once, with:\n- a = 12\n- b = 30";
const MARKS: &str = "Call the tool `open` once, with:\n- path = \"a && b\"";
const DIGITS: &str = "Call the tool `open` once, with:\n- path = \"007\"";
const BOOK: &str = "Call the tool `book` once, with:\n- place.city = \"Oslo\"\n- on = true";

fn asking(text: &str) -> Request {
    Request { messages: vec![Message::user(text)], tools: tools(), ..Request::default() }
}

fn after(text: &str, name: &str, input: Value, content: Value, is_error: bool) -> Request {
    let id = CallId::new("call_000000000000000000000001");
    let call = ToolCall {
        id: id.clone(),
        name: name.to_owned(),
        input,
        format: CallFormat::OpenAi,
        raw: Value::Null,
    };
    let result =
        ToolResult { tool_call_id: id, name: name.to_owned(), content, is_error, error_code: None };
    let mut request = asking(text);
    request.messages.push(Message::assistant(vec![Part::Call(call)]));
    request.messages.push(Message::results([result]));
    request
}

/// The conversations, by name.
fn conversations() -> Vec<(&'static str, Request)> {
    let both = format!("{ECHO}\n\n{ADD}");
    let failure = json!({"is_error": true, "error_code": "SCHEMA_VALIDATION_FAILED",
        "message": "input.path must be an absolute path", "retryable": true});
    vec![
        ("echo", asking(ECHO)),
        ("add", asking(ADD)),
        ("both", asking(&both)),
        ("apart", Request { parallel: Some(false), ..asking(&both) }),
        ("ping", asking("Call the tool `ping` once, without arguments.")),
        ("marks", asking(MARKS)),
        ("digits", asking(DIGITS)),
        ("book", asking(BOOK)),
        ("prose", asking("What is the opposite of north?")),
        (
            "forced",
            Request { tool_choice: Some(ToolChoice::Named("ping".to_owned())), ..asking("Hello!") },
        ),
        ("forbidden", Request { tool_choice: Some(ToolChoice::None), ..asking(ECHO) }),
        (
            "result",
            after(
                ADD,
                "add",
                json!({"a": 12, "b": 30}),
                json!({"sum": 42, "receipt": "qx7"}),
                false,
            ),
        ),
        ("error", after(PATH, "open", json!({"path": "notes/a.txt"}), failure, true)),
    ]
}

const CALLING: [&str; 10] =
    ["echo", "add", "both", "apart", "ping", "marks", "digits", "book", "forced", "error"];

/// The conversations that a quirk of the model changes the meaning of.
fn concerned(quirk: &ModelQuirk) -> Vec<&'static str> {
    match quirk {
        ModelQuirk::TalksOnly
        | ModelQuirk::ClaimsCalls
        | ModelQuirk::StopsWithCalls
        | ModelQuirk::TextBeforeCall
        | ModelQuirk::DoubleEncodesArguments
        | ModelQuirk::TokensInName
        | ModelQuirk::CallInReasoning => CALLING.to_vec(),
        ModelQuirk::OneCall | ModelQuirk::MergesCalls | ModelQuirk::NeverStopsThinking => {
            vec!["both"]
        }
        ModelQuirk::IgnoresParallelSwitch => vec!["apart"],
        ModelQuirk::IgnoresToolChoice => vec!["forced", "forbidden"],
        ModelQuirk::Breaks(features) if features.contains(&SchemaFeature::Enum) => {
            vec!["echo", "both", "apart"]
        }
        ModelQuirk::Breaks(_) => vec!["book"],
        ModelQuirk::StringifiesNumbers => vec!["add", "both"],
        ModelQuirk::StringifiesValues => vec!["add", "both", "book"],
        ModelQuirk::ParsesStrings => vec!["digits"],
        ModelQuirk::EscapesEntities => vec!["marks"],
        ModelQuirk::IgnoresResults => vec!["result"],
        ModelQuirk::ResultsNotRendered | ModelQuirk::Loops => vec!["result", "error"],
        ModelQuirk::NeverRepairs | ModelQuirk::RepeatsAfterError | ModelQuirk::RepairsLate => {
            vec!["error"]
        }
        ModelQuirk::DropsReplayedReasoning | ModelQuirk::ThinksOnce => vec![],
        ModelQuirk::Sometimes { quirk, .. } => concerned(quirk),
    }
}

fn expected_differences(model: &ModelFile) -> BTreeSet<&'static str> {
    let mut all: BTreeSet<&str> = model.quirks.iter().flat_map(concerned).collect();
    if model.text_form != TextForm::None || model.tools != NativeTools::Used {
        all.extend(CALLING);
    }
    all
}

fn sibling(model: &ModelFile) -> &'static str {
    match model.dialect {
        DialectId::OpenAiChat => "openai-native",
        DialectId::OpenAiResponses => "responses-native",
        DialectId::AnthropicMessages => "anthropic-native",
        DialectId::Gemini => "gemini-native",
        DialectId::Ollama => "ollama-native",
    }
}

fn answer(model: &ModelFile, request: &Request) -> Reply {
    brain::answer(request, model, &Draw::of(request))
}

/// What a reply means: its visible parts without ids, and how it ended.
fn meaning(reply: &Reply) -> (Vec<Part>, StopKind) {
    let visible = reply.parts.iter().filter(|part| !matches!(part, Part::Reasoning(_))).cloned();
    let parts = visible.map(|part| match part {
        Part::Call(call) => Part::Call(ToolCall { id: CallId::new(""), raw: Value::Null, ..call }),
        other => other,
    });
    (parts.collect(), reply.stop.kind)
}

fn fleet() -> &'static Fleet {
    static FLEET: LazyLock<Fleet> = LazyLock::new(|| Fleet::embedded().unwrap());
    &FLEET
}

#[test]
fn each_model_differs_from_its_sibling_where_its_quirks_say_and_nowhere_else() {
    let fleet = fleet();
    let mut wrong = Vec::new();
    for model in fleet.iter() {
        let good = fleet.get(sibling(model)).unwrap();
        let flaky = model.quirks.iter().any(|q| matches!(q, ModelQuirk::Sometimes { .. }));
        let differing: BTreeSet<&str> = conversations()
            .iter()
            .filter(|(_, request)| {
                meaning(&answer(model, request)) != meaning(&answer(good, request))
            })
            .map(|(name, _)| *name)
            .collect();
        let expected = expected_differences(model);
        let holds = if flaky { differing.is_subset(&expected) } else { differing == expected };
        if !holds {
            wrong.push(format!("{} differs in {differing:?}, not {expected:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The variants that a file of quirks declares, as model files spell them.
fn variants(source: &str) -> Vec<String> {
    let body =
        source.split_once("pub enum ").and_then(|(_, rest)| rest.split_once("\n}\n")).unwrap().0;
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    lines
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .filter_map(|line| line.split([',', '(', ' ']).next())
        .map(|name| {
            name.chars().fold(String::new(), |kebab, c| match c {
                c if c.is_ascii_uppercase() && !kebab.is_empty() => {
                    kebab + "-" + &c.to_ascii_lowercase().to_string()
                }
                c => kebab + &c.to_ascii_lowercase().to_string(),
            })
        })
        .collect()
}

#[test]
fn every_quirk_of_a_model_or_of_the_wire_is_shown_by_some_model() {
    let quirks: Vec<String> =
        fleet().iter().map(|model| json!([model.quirks, model.wire_quirks]).to_string()).collect();
    let sources = [include_str!("quirks/model.rs"), include_str!("quirks/wire.rs")];
    let unused: Vec<String> = sources
        .into_iter()
        .flat_map(variants)
        .filter(|name| !quirks.iter().any(|shown| shown.contains(&format!("\"{name}\""))))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn a_model_that_misbehaves_sometimes_does_so_as_often_as_it_says() {
    let fleet = fleet();
    let model = fleet.get("repairs-half").unwrap();
    let calls = (0..200).filter(|trial| {
        let failure = json!({"error": "path must be absolute"});
        let path = format!("notes/{trial}.txt");
        let ask = format!("Call the tool `open` once, with:\n- path = \"{path}\"");
        let request = after(&ask, "open", json!({"path": path}), failure, true);
        answer(model, &request).calls().next().is_some()
    });
    assert!((70..130).contains(&calls.count()));
}

#[test]
fn reasoning_comes_with_every_reply_of_a_thinking_model_in_the_declared_field() {
    for model in fleet().iter() {
        let reply = answer(model, &asking(ECHO));
        let state = reply.parts.iter().find_map(|part| match part {
            Part::Reasoning(state) => Some(state.field.wire_name().to_owned()),
            _ => None,
        });
        assert_eq!(state, model.profile.reasoning_replay.field, "{}", model.name);
    }
}

fn stamp() -> Stamp {
    Stamp { created: 1_790_000_000, usage: true }
}

/// The reply as a client decodes it from the plain body.
fn plain(model: &ModelFile, reply: &Reply) -> Reply {
    let codec = model.dialect.codec();
    let body = distort_body(codec.encode_reply(reply, &stamp()), model.dialect, &model.wire_quirks);
    codec.decode_reply(&body).unwrap()
}

/// The reply as a client decodes it from the stream; what it lost where the stream carries an error.
fn streamed(model: &ModelFile, reply: &Reply) -> Reply {
    let codec = model.dialect.codec();
    let frames = codec.encode_stream(reply, &stamp(), Pieces(model.piece_length));
    let mut decoder = codec.stream_decoder();
    for frame in distort_frames(frames, model.dialect, &model.wire_quirks) {
        decoder.push(&frame);
    }
    decoder
        .finish()
        .unwrap_or_else(|_| Reply::new(Vec::new(), Stop::unlabelled(StopKind::Truncated)))
}

/// The conversations whose replies are worth spelling.
fn spelt() -> impl Iterator<Item = Request> {
    let names = ["echo", "both", "ping", "prose", "result"];
    conversations().into_iter().filter(move |(name, _)| names.contains(name)).map(|(_, r)| r)
}

fn noted(decode: fn(&ModelFile, &Reply) -> Reply, model: &ModelFile) -> BTreeSet<Defect> {
    spelt()
        .flat_map(|r| decode(model, &answer(model, &r)).defects.iter().collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_lenient_decoder_notes_in_plain_replies_what_the_file_declares() {
    let mut wrong = Vec::new();
    for model in fleet().iter() {
        let declared: BTreeSet<Defect> = model.profile.defects.iter().copied().collect();
        let noted = noted(plain, model);
        if noted != declared {
            wrong.push(format!("{}: {noted:?}, not {declared:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_lenient_decoder_notes_in_streams_what_the_file_declares() {
    let mut wrong = Vec::new();
    for model in fleet().iter() {
        if model.http_quirks.contains(&HttpQuirk::StreamIgnored) {
            continue;
        }
        let profile = &model.profile;
        let declared: BTreeSet<Defect> =
            profile.defects.iter().chain(&profile.stream_defects).copied().collect();
        let noted = noted(streamed, model);
        if noted != declared {
            wrong.push(format!("{}: {noted:?}, not {declared:?}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stream_says_the_same_as_the_plain_body_exactly_where_the_file_says_so() {
    let mut wrong = Vec::new();
    for model in fleet().iter() {
        let agrees = spelt().all(|request| {
            let reply = answer(model, &request);
            meaning(&plain(model, &reply)) == meaning(&streamed(model, &reply))
        });
        let calls = model.profile.tool_delivery.is_some();
        if agrees != (model.profile.supports_streaming_tool_use || !calls) {
            wrong.push(format!("{}: agrees is {agrees}", model.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_parts_of_a_model_that_have_no_quirk_survive_the_wire() {
    let fleet = fleet();
    for model in fleet.iter().filter(|model| model.wire_quirks.is_empty()) {
        for request in spelt() {
            let reply = answer(model, &request);
            let decoded = plain(model, &reply);
            let texts = (decoded.text(), decoded.calls().count());
            assert_eq!(texts, (reply.text(), reply.calls().count()), "{}", model.name);
        }
    }
}

fn lesson(protocol: Protocol) -> String {
    let (opener, closer, key) = match protocol {
        Protocol::ToolCall => ("<tool_call>", "</tool_call>", "arguments"),
        Protocol::ToolUse => ("<tool_use>", "</tool_use>", "input"),
        Protocol::TildeFence => ("~~~tool_call", "~~~", "arguments"),
    };
    let described: Vec<Value> = tools()
        .iter()
        .map(|t| json!({"name": t.name, "description": t.description, "input_schema": t.input_schema}))
        .collect();
    format!(
        "You have tools:\n{}\nTo call one, write\n{opener}\n{{\"name\": \"…\", \"{key}\": {{}}}}\n{closer}",
        Value::from(described)
    )
}

#[test]
fn models_follow_the_protocol_they_declare_and_no_other() {
    for model in fleet().iter() {
        for protocol in [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence] {
            let request = Request { system: Some(lesson(protocol)), tools: vec![], ..asking(ADD) };
            let follows = answer(model, &request).text().contains("{\"a\":12,\"b\":30}");
            let declared = model.profile.tool_delivery == Some(ToolDelivery::Prompted(protocol));
            assert_eq!(follows, declared, "{} {protocol:?}", model.name);
        }
    }
}

#[test]
fn a_taught_model_reads_results_that_come_back_as_text() {
    let fleet = fleet();
    let model = fleet.get("taught-tool-call").unwrap();
    let mut request =
        Request { system: Some(lesson(Protocol::ToolCall)), tools: vec![], ..asking(ADD) };
    let called = answer(model, &request).text();
    request.messages.push(Message::assistant(vec![Part::Text(called)]));
    let result = "<tool_response>\n{\"name\": \"add\", \"content\": {\"receipt\": \"qx7\"}}\n</tool_response>";
    request.messages.push(Message::user(result));
    let said = answer(model, &request).text();
    assert!(said.contains("qx7") && !said.contains("<tool_call>"), "{said}");
}

/// Takes turns with results as text, first an error and then a good one.
fn held_as_text(model: &ModelFile) -> String {
    let mut request = asking(PATH);
    let failure = json!({"name": "open", "content": {"is_error": true, "message": "input.path must be an absolute path"}});
    for content in [failure, json!({"name": "open", "content": {"receipt": "qx7"}})] {
        let said = answer(model, &request);
        request.messages.push(Message::assistant(said.parts));
        request
            .messages
            .push(Message::user(format!("<tool_response>\n{content}\n</tool_response>")));
    }
    let written = &request.messages[3];
    let reasoning = written.parts.iter().map(|part| match part {
        Part::Reasoning(state) => state.text(),
        _ => String::new(),
    });
    assert!(
        (written.text() + &reasoning.collect::<String>()).contains("/notes/a.txt"),
        "{}",
        model.name
    );
    answer(model, &request).text()
}

#[test]
fn a_model_whose_calls_stay_text_reads_results_and_errors_as_text() {
    for model in fleet().iter().filter(|model| model.text_form != TextForm::None) {
        assert!(held_as_text(model).contains("qx7"), "{}", model.name);
    }
}

#[test]
fn what_does_not_reach_the_model_costs_nothing() {
    let fleet = fleet();
    let cost =
        |name: &str, request: &Request| answer(fleet.get(name).unwrap(), request).usage.input;
    let with = conversations().into_iter().find(|(name, _)| *name == "result").unwrap().1;
    let mut without = with.clone();
    without.messages.last_mut().unwrap().parts.clear();
    assert!(cost("openai-native", &with) > cost("openai-native", &without));
    assert_eq!(cost("results-not-rendered", &with), cost("results-not-rendered", &without));

    for (name, counts) in [("glm-zai", true), ("qwen-dashscope", false), ("openai-native", false)] {
        let thought = crate::ir::ReasoningState::new(
            crate::ir::ReasoningField::ReasoningContent,
            "I should add these two numbers.",
        );
        let mut replayed = with.clone();
        replayed.messages[1].parts.insert(0, Part::Reasoning(thought));
        assert_eq!(cost(name, &replayed) > cost(name, &with), counts, "{name}");
    }
}
