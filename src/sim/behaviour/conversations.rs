//! The conversations that every model is tried on.

use serde_json::{Value, json};

use crate::ir::{
    CallFormat, CallId, Message, Part, Request, ToolCall, ToolChoice, ToolResult, ToolSpec,
};

fn tool(name: &str, input_schema: Value) -> ToolSpec {
    ToolSpec::new(name, format!("Does {name}."), input_schema)
}

pub(super) fn tools() -> Vec<ToolSpec> {
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

pub(super) const ECHO: &str =
    "Call the tool `echo` once, with:\n- message = \"violet-4207\"\n- tag = \"beta\"";
pub(super) const PATH: &str = "Call the tool `open` once, with:\n- path = \"notes/a.txt\"";
pub(super) const ADD: &str = "Call the tool `add` once, with:\n- a = 12\n- b = 30";
const MARKS: &str = "Call the tool `open` once, with:\n- path = \"a && b\"";
const DIGITS: &str = "Call the tool `open` once, with:\n- path = \"007\"";
const BOOK: &str = "Call the tool `book` once, with:\n- place.city = \"Oslo\"\n- on = true";

pub(super) fn asking(text: &str) -> Request {
    Request { messages: vec![Message::user(text)], tools: tools(), ..Request::default() }
}

pub(super) fn after(
    text: &str,
    name: &str,
    input: Value,
    content: Value,
    is_error: bool,
) -> Request {
    let id = CallId::new("call_000000000000000000000001");
    let call = ToolCall::new(id.clone(), name, input, CallFormat::OpenAi);
    let result =
        ToolResult { tool_call_id: id, name: name.to_owned(), content, is_error, error_code: None };
    let mut request = asking(text);
    request.messages.push(Message::assistant(vec![Part::Call(call)]));
    request.messages.push(Message::results([result]));
    request
}

/// The conversations, by name.
pub(super) fn conversations() -> Vec<(&'static str, Request)> {
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
