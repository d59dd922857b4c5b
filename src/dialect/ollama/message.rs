//! Conversations as Ollama messages, encoded and decoded.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::call;
use super::draft::ReplyDraft;
use crate::dialect::fields::Fields;
use crate::dialect::{BadRequest, call_id, error_text};
use crate::ir::{
    CallId, Message, Object, Part, ReasoningField, ReasoningState, Request, Role, ToolResult,
};

const ROLES: &str = "system, user, assistant, tool";

/// The messages of a request, the system prompt first.
pub(super) fn encode(request: &Request) -> Vec<Value> {
    let unnamed: BTreeSet<&CallId> = request
        .messages
        .iter()
        .flat_map(Message::calls)
        .filter(|call| call::is_unnamed(call))
        .map(|call| &call.id)
        .collect();
    let system = request.system.iter().map(|text| json!({"role": "system", "content": text}));
    let messages = request.messages.iter().flat_map(|message| match message.role {
        Role::User => encode_user(&message.parts, &unnamed),
        Role::Assistant => vec![Value::Object(encode_assistant(&message.parts))],
        Role::Tool => encode_results(&message.parts, &unnamed),
    });
    system.chain(messages).collect()
}

/// Results among a person's words are messages of their own, in the order they stand.
fn encode_user(parts: &[Part], unnamed: &BTreeSet<&CallId>) -> Vec<Value> {
    let is_result = |part: &Part| matches!(part, Part::Result(_));
    let words = |parts: &[Part]| {
        let content: String = parts.iter().filter_map(text).collect();
        json!({"role": "user", "content": content})
    };
    if !parts.iter().any(is_result) {
        return vec![words(parts)];
    }
    let alike = parts.chunk_by(|a, b| is_result(a) == is_result(b));
    alike
        .flat_map(|parts| match parts.first() {
            Some(Part::Result(_)) => encode_results(parts, unnamed),
            _ => vec![words(parts)],
        })
        .collect()
}

fn encode_results(parts: &[Part], unnamed: &BTreeSet<&CallId>) -> Vec<Value> {
    let results = parts.iter().filter_map(|part| match part {
        Part::Result(result) => Some(result),
        _ => None,
    });
    results.map(|result| encode_result(result, !unnamed.contains(&result.tool_call_id))).collect()
}

fn encode_result(result: &ToolResult, with_id: bool) -> Value {
    let mut message = Object::new();
    let mut put = |key: &str, value: &str| message.insert(key.to_owned(), value.into());
    put("role", "tool");
    put("content", &error_text::mark(result));
    if !result.name.is_empty() {
        put("tool_name", &result.name);
    }
    if with_id {
        put("tool_call_id", result.tool_call_id.as_str());
    }
    Value::Object(message)
}

/// An assistant's message, with its thinking where it stood.
pub(super) fn encode_assistant(parts: &[Part]) -> Object {
    let text: String = parts.iter().filter_map(text).collect();
    let thinking: String = parts.iter().filter_map(thinking).collect();
    let calls: Vec<Value> = parts
        .iter()
        .filter(|part| call_id::of(part).is_some())
        .enumerate()
        .filter_map(|(index, part)| call::encode(part, index))
        .collect();
    let mut message = Object::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), text.into());
    if !thinking.is_empty() {
        message.insert("thinking".to_owned(), thinking.into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    message
}

fn text(part: &Part) -> Option<&str> {
    let Part::Text(text) = part else { return None };
    Some(text)
}

fn thinking(part: &Part) -> Option<&str> {
    match part {
        Part::Reasoning(ReasoningState { field: ReasoningField::Thinking, value }) => {
            value.as_str()
        }
        _ => None,
    }
}

/// A conversation as it is read, message by message.
#[derive(Debug, Default)]
pub(super) struct History {
    system: Vec<String>,
    messages: Vec<Message>,
    calls: usize,
    /// The calls that no result has answered yet.
    open: Vec<(CallId, String)>,
}

impl History {
    /// Reads the next message, given as its fields and as it is.
    pub(super) fn push(&mut self, fields: &Fields, message: &Value) -> Result<(), BadRequest> {
        match fields.required_string("role")? {
            "system" => self.system.push(content(fields)?),
            "user" => self.messages.push(Message::user(content(fields)?)),
            "assistant" => self.push_assistant(message),
            "tool" => self.push_result(fields)?,
            role => {
                let problem = format!("unknown role '{role}'; one of: {ROLES}");
                return Err(fields.bad("role", problem));
            }
        }
        Ok(())
    }

    /// The system prompt and the messages.
    pub(super) fn finish(self) -> (Option<String>, Vec<Message>) {
        let system = (!self.system.is_empty()).then(|| self.system.join("\n\n"));
        (system, self.messages)
    }

    fn push_assistant(&mut self, message: &Value) {
        let mut draft = ReplyDraft::numbered_from(self.calls);
        draft.take_message(message);
        let parts = draft.into_parts();
        let calls = parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some((call.id.clone(), call.name.clone())),
            Part::BrokenCall(call) => Some((call.id.clone(), call.name.clone())),
            _ => None,
        });
        self.open.extend(calls);
        self.calls += parts.iter().filter_map(call_id::of).count();
        self.messages.push(Message::assistant(parts));
    }

    fn push_result(&mut self, fields: &Fields) -> Result<(), BadRequest> {
        let id = fields.string("tool_call_id")?.filter(|id| !id.is_empty());
        let name = fields.string("tool_name")?.filter(|name| !name.is_empty());
        let text = content(fields)?;
        let unmarked = error_text::unmark(&text);
        let (known_id, known_name) = self.answer(id, name).unzip();
        let result = Part::Result(ToolResult {
            tool_call_id: id.map(CallId::new).or(known_id).unwrap_or_else(|| CallId::new("")),
            name: name.map(str::to_owned).or(known_name).unwrap_or_default(),
            content: unmarked.text.into(),
            is_error: unmarked.is_error,
            error_code: unmarked.error_code.map(str::to_owned),
        });
        match self.messages.last_mut() {
            Some(last) if last.role == Role::Tool => last.parts.push(result),
            _ => self.messages.push(Message { role: Role::Tool, parts: vec![result] }),
        }
        Ok(())
    }

    /// The open call that a result answers: the one with its id, else the first with its name,
    /// else the first.
    fn answer(&mut self, id: Option<&str>, name: Option<&str>) -> Option<(CallId, String)> {
        let by_id = |id: &str| self.open.iter().position(|(known, _)| known.as_str() == id);
        let by_name = |name: &str| self.open.iter().position(|(_, tool)| tool == name);
        let first = || (!self.open.is_empty()).then_some(0);
        let place = id.and_then(by_id).or_else(|| name.map_or_else(first, by_name))?;
        Some(self.open.remove(place))
    }
}

fn content(fields: &Fields) -> Result<String, BadRequest> {
    Ok(fields.string("content")?.unwrap_or_default().to_owned())
}
