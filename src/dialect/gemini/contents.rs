//! Conversations as Gemini contents, encoded and decoded.
//!
//! The wire knows two speakers. The results of a turn are one user content, and the person's next
//! words another; when read, leading results become a tool message. A result that stands anywhere
//! else stays where it is, so that faulty histories survive.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::arguments::{self, ArgumentEncoding};
use super::super::fields::Fields;
use super::super::turns::split_results;
use super::super::{BadRequest, error_text, wrapped};
use super::part::{self, CallReference};
use crate::ir::{
    CallFormat, CallId, Defects, Message, Part, ReasoningField, ReasoningState, Role, ToolResult,
};

/// Documented parts that say nothing about tools of the client: read past.
const PASSED_OVER: [&str; 4] = ["inlineData", "fileData", "executableCode", "codeExecutionResult"];

/// The `contents` list.
pub(super) fn encode(messages: &[Message]) -> Vec<Value> {
    let mut calls: HashMap<&CallId, CallReference<'_>> = HashMap::new();
    let mut contents = Vec::new();
    for turn in messages.chunk_by(|a, b| a.role == Role::Tool && b.role == Role::Tool) {
        for message in turn {
            calls.extend(message.parts.iter().filter_map(answerable));
        }
        let parts: Vec<Value> =
            turn.iter().flat_map(|message| encode_parts(message, &calls)).collect();
        let role = if turn.iter().any(|m| m.role == Role::Assistant) { "model" } else { "user" };
        contents.push(json!({"role": role, "parts": parts}));
    }
    contents
}

/// How a result will name this call.
fn answerable(part: &Part) -> Option<(&CallId, CallReference<'_>)> {
    match part {
        Part::Call(call) => {
            let id = (!part::has_made_up_id(call)).then(|| call.id.as_str());
            Some((&call.id, CallReference { id, name: &call.name }))
        }
        Part::BrokenCall(call) => {
            Some((&call.id, CallReference { id: Some(call.id.as_str()), name: &call.name }))
        }
        Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => None,
    }
}

fn encode_parts<'a>(
    message: &'a Message,
    calls: &HashMap<&'a CallId, CallReference<'a>>,
) -> Vec<Value> {
    part::encode(&message.parts, |result| {
        let call = calls.get(&result.tool_call_id);
        let named = if result.name.is_empty() { call.map(|call| call.name) } else { None };
        CallReference {
            id: call.map_or(Some(result.tool_call_id.as_str()), |call| call.id),
            name: named.unwrap_or(&result.name),
        }
    })
}

/// The conversation in a body.
pub(super) fn decode(body: &Fields<'_>) -> Result<Vec<Message>, BadRequest> {
    if body.get("contents").is_none() {
        return Err(body.bad("contents", "field required"));
    }
    let mut pairing = Pairing::default();
    let mut messages = Vec::new();
    for (path, content) in body.list("contents")? {
        let fields = Fields::of(content, path)?;
        match fields.string("role")?.unwrap_or("user") {
            "model" => {
                pairing.unanswered.clear();
                messages.push(Message::assistant(decode_parts(&fields, &mut pairing)?));
            }
            "user" | "function" => {
                messages.extend(split_results(decode_parts(&fields, &mut pairing)?));
            }
            other => {
                let problem = format!("'{other}' is not valid: please use user or model");
                return Err(fields.bad("role", problem));
            }
        }
    }
    Ok(messages)
}

/// Which call a result answers when neither says an id.
#[derive(Default)]
struct Pairing {
    /// How many calls were read.
    calls: usize,
    /// Calls of the latest model turn that wait for a result, by id and name.
    unanswered: Vec<(CallId, String)>,
}

impl Pairing {
    fn call(&mut self, id: Option<&str>, name: &str) -> CallId {
        let id = id.map_or_else(|| CallId::new(format!("call_{}", self.calls)), CallId::new);
        self.calls += 1;
        self.unanswered.push((id.clone(), name.to_owned()));
        id
    }

    /// The first call that waits under this id, or under this name when there is no id.
    fn result(&mut self, id: Option<&str>, name: &str) -> (CallId, String) {
        let waiting = self.unanswered.iter().position(|(waiting, called)| match id {
            Some(id) => waiting.as_str() == id,
            None => called == name,
        });
        match waiting {
            Some(at) => self.unanswered.remove(at),
            None => (CallId::new(id.unwrap_or_default()), name.to_owned()),
        }
    }
}

fn decode_parts(content: &Fields<'_>, pairing: &mut Pairing) -> Result<Vec<Part>, BadRequest> {
    let mut parts = Vec::new();
    for (path, part) in content.list("parts")? {
        parts.extend(decode_part(&Fields::of(part, path)?, part, pairing)?);
    }
    Ok(parts)
}

fn decode_part(
    fields: &Fields<'_>,
    part: &Value,
    pairing: &mut Pairing,
) -> Result<Vec<Part>, BadRequest> {
    if fields.boolean("thought")? == Some(true) {
        let state = ReasoningState::new(ReasoningField::Thought, part.clone());
        return Ok(vec![Part::Reasoning(state)]);
    }
    let signature = fields.string("thoughtSignature")?;
    let said = if let Some(call) = fields.object("functionCall")? {
        Some(decode_call(&call, pairing)?)
    } else if let Some(response) = fields.object("functionResponse")? {
        Some(Part::Result(decode_result(&response, pairing)?))
    } else if let Some(text) = fields.string("text")? {
        Some(Part::Text(text.to_owned()))
    } else if PASSED_OVER.iter().any(|key| fields.get(key).is_some()) {
        None
    } else {
        return Err(
            fields.bad("data", "required oneof field 'data' must have one initialized field")
        );
    };
    let state = signature.map(|text| ReasoningState::new(ReasoningField::ThoughtSignature, text));
    Ok(state.map(Part::Reasoning).into_iter().chain(said).collect())
}

fn decode_call(fields: &Fields<'_>, pairing: &mut Pairing) -> Result<Part, BadRequest> {
    let name = fields.required_string("name")?;
    let empty = json!({});
    let args = fields.get("args").unwrap_or(&empty);
    if !args.is_object() {
        return Err(fields.bad("args", "expected an object"));
    }
    let given = fields.string("id")?.filter(|id| !id.is_empty());
    let id = pairing.call(given, name);
    let mut defects = Defects::default();
    let arguments = match wrapped::unwrap(args, &mut defects) {
        Some(broken) => Err(broken),
        None => arguments::read(Some(args), ArgumentEncoding::Json, &mut defects),
    };
    let raw = Value::Object(fields.except(&[]));
    Ok(arguments::call_part(id, name.to_owned(), CallFormat::Gemini, arguments, raw))
}

fn decode_result(fields: &Fields<'_>, pairing: &mut Pairing) -> Result<ToolResult, BadRequest> {
    let id = fields.string("id")?.filter(|id| !id.is_empty());
    let name = fields.string("name")?.unwrap_or_default();
    let response = fields.get("response").and_then(Value::as_object);
    let response = response.ok_or_else(|| fields.bad("response", "expected an object"))?;
    let (tool_call_id, called) = pairing.result(id, name);
    let only = |key: &str| response.get(key).filter(|_| response.len() == 1);
    let (content, is_error) = match (only("output"), only("error")) {
        (Some(output), _) => (output.clone(), false),
        (None, Some(error)) => (error.clone(), true),
        (None, None) => (Value::Object(response.clone()), false),
    };
    let (content, error_code) = if is_error { read_code(content) } else { (content, None) };
    let name = if name.is_empty() { called } else { name.to_owned() };
    Ok(ToolResult { tool_call_id, name, content, is_error, error_code })
}

fn read_code(content: Value) -> (Value, Option<String>) {
    let mark = content.as_str().map(error_text::unmark);
    match mark.and_then(|mark| Some((mark.error_code?.to_owned(), json!(mark.text)))) {
        Some((code, text)) => (text, Some(code)),
        None => (content, None),
    }
}
