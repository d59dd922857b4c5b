//! Requests to Ollama, encoded and decoded.

use serde_json::{Value, json};

use super::message::{self, History};
use crate::dialect::fields::Fields;
use crate::dialect::{BadRequest, Route, function_tool, object};
use crate::ir::{Message, Object, Request, ToolSpec};

/// Writes a request. Tool choice, the parallel switch and strict mode have no field here.
pub(super) fn encode(request: &Request) -> Value {
    let mut body = Object::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", request.model.as_str().into());
    put("messages", message::encode(request).into());
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(encode_tool).collect());
    }
    // Left out it would mean true.
    put("stream", request.stream.into());
    if let Some(max_tokens) = request.max_tokens {
        put("options", json!({"num_predict": max_tokens}));
    }
    let mut body = Value::Object(body);
    object::merge(&mut body, &request.extra);
    body
}

fn encode_tool(tool: &ToolSpec) -> Value {
    function_tool::encode(&ToolSpec { strict: None, ..tool.clone() })
}

/// Reads a request; fields that the representation has no place for are kept in `extra`.
pub(super) fn decode(body: &Value, route: &Route) -> Result<Request, BadRequest> {
    let fields = Fields::of_body(body)?;
    let (system, messages) = decode_messages(&fields)?;
    let mut extra = fields.except(&["model", "messages", "tools", "stream"]);
    Ok(Request {
        model: fields.string("model")?.or(route.model.as_deref()).unwrap_or_default().to_owned(),
        system,
        messages,
        tools: function_tool::decode_all(&fields, "tools")?,
        tool_choice: None,
        parallel: None,
        stream: fields.boolean("stream")?.or(route.stream).unwrap_or(true),
        max_tokens: take_num_predict(&mut extra),
        extra,
    })
}

fn decode_messages(fields: &Fields) -> Result<(Option<String>, Vec<Message>), BadRequest> {
    let mut history = History::default();
    for (path, message) in fields.list("messages")? {
        history.push(&Fields::of(message, path)?, message)?;
    }
    Ok(history.finish())
}

/// The limit among the options; −1 and −2 mean "unlimited" and stay where they are.
fn take_num_predict(extra: &mut Object) -> Option<u64> {
    let options = extra.get_mut("options")?.as_object_mut()?;
    let limit = options.get("num_predict")?.as_u64()?;
    options.shift_remove("num_predict");
    if options.is_empty() {
        extra.shift_remove("options");
    }
    Some(limit)
}
