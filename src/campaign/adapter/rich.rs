//! Rich requests: what suites do not ask, so that every aspect of a request travels once.
//!
//! System and developer messages, schemas with many keywords, a history with two calls, a failed result
//! and words between them, tool choices, the parallel switch, sampling, stop sequences, marks of caches
//! and metadata, and one with a mistake that is refused. Whether the model takes such a request does not matter: it is compared as it arrives.

use serde_json::{Value, json};

use super::rich_bodies::{features, media, mistaken};
use crate::dialect::DialectId;
use crate::ir::{
    CallFormat, CallId, Message, Object, Part, Request, ToolCall, ToolChoice, ToolResult, ToolSpec,
};
use crate::sim::REPEAT_SLOWLY;

/// The requests for one model, each with the nonce in its words.
pub(super) fn rich_requests(dialect: DialectId, nonce: &str) -> Vec<Request> {
    let base = Request {
        system: Some(rules(nonce)),
        messages: history(dialect, nonce),
        tools: tools(),
        max_tokens: Some(777),
        extra: settings(dialect, nonce),
        ..Request::default()
    };
    let plain =
        Request { tool_choice: Some(ToolChoice::Required), parallel: Some(false), ..base.clone() };
    let named = ToolChoice::Named("find_place".to_owned());
    let streamed = Request { stream: true, tool_choice: Some(named), ..base.clone() };
    let forbidden = Request { tool_choice: Some(ToolChoice::None), stream: true, ..base };
    let numbers = |stream| Request {
        messages: vec![Message::user(numbers_prompt(nonce))],
        tools: tools(),
        stream,
        ..Request::default()
    };
    let repeated = |stream| Request {
        messages: vec![Message::user(format!("{REPEAT_SLOWLY}\n{nonce} {LETTERS}"))],
        stream,
        ..Request::default()
    };
    let simple = [numbers(false), numbers(true), repeated(false), repeated(true)];
    let with_body =
        |(extra, tools)| Request { extra, tools, max_tokens: Some(4096), ..Request::default() };
    let bodies = [
        (media(dialect, nonce), Vec::new()),
        (features(dialect, nonce), tools()),
        (mistaken(dialect, nonce), tools()),
    ];
    let all = [plain, streamed, forbidden].into_iter().chain(simple);
    all.chain(bodies.map(with_body)).collect()
}

/// Features of Anthropic's that its header asks for; sent with every rich request.
pub(super) const BETA: (&str, &str) = ("anthropic-beta", "interleaved-thinking-2025-05-14");

/// Letters of one to four bytes, and white space that is easily lost.
const LETTERS: &str = "Größe  ≥ 3,\t京都 🙂 e\u{301}  \\n";

/// A number that doubles cannot hold, and one that they write without its point.
const LARGE: u64 = 9_007_199_254_740_993;

fn rules(nonce: &str) -> String {
    format!("Keep to the rules of house {nonce}:\n- Answer in one line.\n- Keep “quotes”.")
}

fn numbers_prompt(nonce: &str) -> String {
    format!("Call the tool `find_place` once, with:\n- name = \"{nonce}-n\"\n- serial = {LARGE}\n")
}

fn history(dialect: DialectId, nonce: &str) -> Vec<Message> {
    let calls = ["a", "b"].map(|which| call(dialect, nonce, which));
    let [first, second] = &calls;
    let result = |call: &ToolCall, content: &str, is_error| ToolResult {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        content: Value::from(content),
        is_error,
        error_code: None,
    };
    let results = [
        result(first, &format!("{{\"place\": \"dock {nonce}\",\n  \"quay\": \"Önsköld\"}}"), false),
        result(second, &format!("no such place: {nonce}-b"), true),
    ];
    let words = Part::Text(format!("I look both of them up for {nonce}."));
    let parts = std::iter::once(words).chain(calls.clone().map(Part::Call)).collect();
    vec![
        Message::user(format!("Where are these?\n\n  - {nonce}-a\n  - {nonce}-b in Zürich 🙂")),
        Message::assistant(parts),
        Message::results(results),
        Message::assistant(vec![Part::Text(format!("One of them is at dock {nonce}."))]),
        Message::user(format!("Thank you. Good night, {nonce}.")),
    ]
}

fn call(dialect: DialectId, nonce: &str, which: &str) -> ToolCall {
    let (format, prefix) = match dialect {
        DialectId::AnthropicMessages => (CallFormat::Anthropic, "toolu_"),
        DialectId::Gemini => (CallFormat::Gemini, "call_"),
        DialectId::OpenAiChat | DialectId::OpenAiResponses | DialectId::Ollama => {
            (CallFormat::OpenAi, "call_")
        }
    };
    ToolCall {
        id: CallId::new(format!("{prefix}{nonce}{which}")),
        name: "find_place".to_owned(),
        input: json!({"name": format!("{nonce}-{which}"), "limit": 2, "exact": true,
                      "serial": LARGE}),
        format,
        raw: Value::Null,
    }
}

fn tools() -> Vec<ToolSpec> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "What is looked for.", "minLength": 1,
                     "maxLength": 80, "pattern": "^[a-z0-9-]+$"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "exact": {"type": "boolean"},
            "kind": {"type": "string", "enum": ["dock", "gate"]},
            "serial": {"type": "integer"},
            "near": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        },
        "required": ["name"],
        "additionalProperties": false
    });
    let note = json!({"type": "object", "properties": {"text": {"type": "string"}},
                      "required": ["text"]});
    let tool = |name: &str, description: &str, input_schema, strict| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema,
        strict,
    };
    vec![
        tool("find_place", "Finds a place by its name.", schema, Some(false)),
        tool("keep_note", "Keeps a note.", note, None),
    ]
}

fn settings(dialect: DialectId, nonce: &str) -> Object {
    let settings = match dialect {
        DialectId::OpenAiChat => json!({"temperature": 0.3, "top_p": 0.9, "seed": 7,
            "stop": ["zq-halt"], "user": nonce, "prompt_cache_key": format!("house-{nonce}"),
            "response_format": {"type": "text"}}),
        DialectId::OpenAiResponses => json!({"temperature": 0.3, "top_p": 0.9,
            "metadata": {"house": nonce}, "prompt_cache_key": format!("house-{nonce}"),
            "text": {"format": {"type": "text"}}}),
        DialectId::AnthropicMessages => json!({"temperature": 0.3, "stop_sequences": ["zq-halt"],
            "metadata": {"user_id": nonce},
            "system": [{"type": "text",
                "text": rules(nonce),
                "cache_control": {"type": "ephemeral"}}]}),
        DialectId::Gemini => json!({"generationConfig": {"temperature": 0.3, "topP": 0.9,
            "stopSequences": ["zq-halt"]}}),
        DialectId::Ollama => json!({"options": {"temperature": 0.3, "top_p": 0.9,
            "stop": ["zq-halt"], "seed": 7}}),
    };
    settings.as_object().cloned().unwrap_or_default()
}
