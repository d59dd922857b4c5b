//! Requests for chat completions, encoded and decoded.

use serde_json::{Value, json};

use super::message::{self, History};
use crate::dialect::fields::Fields;
use crate::dialect::{BadRequest, Route, function_tool, object};
use crate::ir::{Message, Object, Request, ToolChoice, ToolSpec};

/// Writes a request.
pub(super) fn encode(request: &Request) -> Value {
    let mut body = Object::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", request.model.as_str().into());
    put("messages", message::encode(request).into());
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(function_tool::encode).collect());
    }
    if let Some(choice) = &request.tool_choice {
        put("tool_choice", encode_choice(choice));
    }
    if let Some(parallel) = request.parallel {
        put("parallel_tool_calls", parallel.into());
    }
    if let Some(max_tokens) = request.max_tokens {
        put("max_tokens", max_tokens.into());
    }
    if request.stream {
        put("stream", true.into());
        put("stream_options", json!({"include_usage": true}));
    }
    let mut body = Value::Object(body);
    object::merge(&mut body, &request.extra);
    body
}

fn encode_choice(choice: &ToolChoice) -> Value {
    let function = |name: &String| json!({"type": "function", "function": {"name": name}});
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Named(name) => function(name),
        ToolChoice::Allowed { required, names } => {
            let mode = if *required { "required" } else { "auto" };
            let tools: Vec<Value> = names.iter().map(function).collect();
            json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}})
        }
    }
}

/// The fields that the representation has a place for.
const KNOWN: [&str; 10] = [
    "model",
    "messages",
    "tools",
    "functions",
    "tool_choice",
    "function_call",
    "parallel_tool_calls",
    "stream",
    "max_tokens",
    "max_completion_tokens",
];

/// Reads a request; fields that the representation has no place for are kept in `extra`.
pub(super) fn decode(body: &Value, route: &Route) -> Result<Request, BadRequest> {
    let fields = Fields::of_body(body)?;
    let (system, messages) = decode_messages(&fields)?;
    let max_tokens = fields.count("max_completion_tokens")?;
    Ok(Request {
        model: fields.string("model")?.or(route.model.as_deref()).unwrap_or_default().to_owned(),
        system,
        messages,
        tools: decode_tools(&fields)?,
        tool_choice: decode_choice(&fields)?,
        parallel: fields.boolean("parallel_tool_calls")?,
        stream: fields.boolean("stream")?.or(route.stream).unwrap_or(false),
        max_tokens: max_tokens.map_or_else(|| fields.count("max_tokens"), |max| Ok(Some(max)))?,
        extra: without_include_usage(fields.except(&KNOWN)),
    })
}

fn decode_messages(fields: &Fields) -> Result<(Option<String>, Vec<Message>), BadRequest> {
    if fields.get("messages").is_none() {
        return Err(fields.bad("messages", "field required"));
    }
    let mut history = History::default();
    for (path, message) in fields.list("messages")? {
        history.push(&Fields::of(message, path)?, message)?;
    }
    Ok(history.finish())
}

/// The tools on offer, as `tools` or as the bare legacy `functions`.
fn decode_tools(fields: &Fields) -> Result<Vec<ToolSpec>, BadRequest> {
    let mut tools = function_tool::decode_all(fields, "tools")?;
    tools.extend(function_tool::decode_all(fields, "functions")?);
    Ok(tools)
}

fn decode_choice(fields: &Fields) -> Result<Option<ToolChoice>, BadRequest> {
    let given = ["tool_choice", "function_call"]
        .into_iter()
        .find_map(|key| fields.get(key).map(|choice| (key, choice)));
    let Some((key, choice)) = given else { return Ok(None) };
    let read = match choice {
        Value::String(word) => choice_word(word),
        other => allowed_tools(other).or_else(|| function_name(other).map(ToolChoice::Named)),
    };
    let expected = "expected none, auto, required or a function, got";
    read.map(Some).ok_or_else(|| fields.bad(key, format!("{expected} {choice}")))
}

fn choice_word(word: &str) -> Option<ToolChoice> {
    match word {
        "auto" => Some(ToolChoice::Auto),
        "none" => Some(ToolChoice::None),
        // Mistral and Fireworks say `any`.
        "required" | "any" => Some(ToolChoice::Required),
        _ => None,
    }
}

fn allowed_tools(choice: &Value) -> Option<ToolChoice> {
    let allowed = choice.get("allowed_tools")?;
    let tools = allowed.get("tools")?.as_array()?;
    Some(ToolChoice::Allowed {
        required: allowed.get("mode").is_some_and(|mode| mode == "required"),
        names: tools.iter().filter_map(function_name).collect(),
    })
}

fn function_name(tool: &Value) -> Option<String> {
    let name = tool.pointer("/function/name").or_else(|| tool.get("name"))?;
    name.as_str().map(str::to_owned)
}

/// Takes back what [`encode`] adds to every stream request.
fn without_include_usage(mut rest: Object) -> Object {
    if let Some(Value::Object(options)) = rest.get_mut("stream_options") {
        options.shift_remove("include_usage");
        if options.is_empty() {
            rest.shift_remove("stream_options");
        }
    }
    rest
}
