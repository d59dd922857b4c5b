//! Conversations as chat messages, encoded and decoded.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::call::{self, CallEnd};
use super::draft::ReplyDraft;
use super::{reasoning, reply};
use crate::dialect::fields::Fields;
use crate::dialect::{BadRequest, error_text};
use crate::ir::{CallId, Message, Object, Part, ReasoningField, Request, Role, ToolResult};

const ROLES: &str = "system, developer, user, assistant, tool, function";

/// The messages of a request, the system prompt first.
pub(super) fn encode(request: &Request) -> Vec<Value> {
    let system = request.system.iter().map(|text| json!({"role": "system", "content": text}));
    system.chain(request.messages.iter().flat_map(encode_message)).collect()
}

fn encode_message(message: &Message) -> Vec<Value> {
    match message.role {
        Role::User => encode_user(&message.parts),
        Role::Assistant => vec![Value::Object(encode_assistant(&message.parts))],
        Role::Tool => message.parts.iter().filter_map(encode_result).collect(),
    }
}

/// Results among a person's words are messages of their own, in the order they stand.
fn encode_user(parts: &[Part]) -> Vec<Value> {
    let is_result = |part: &Part| matches!(part, Part::Result(_));
    let words = |parts: &[Part]| json!({"role": "user", "content": user_content(parts)});
    if !parts.iter().any(is_result) {
        return vec![words(parts)];
    }
    let alike = parts.chunk_by(|a, b| is_result(a) == is_result(b));
    alike
        .flat_map(|parts| match parts.first() {
            Some(Part::Result(_)) => parts.iter().filter_map(encode_result).collect(),
            _ => vec![words(parts)],
        })
        .collect()
}

fn encode_result(part: &Part) -> Option<Value> {
    let Part::Result(result) = part else { return None };
    let content = error_text::mark(result);
    Some(json!({"role": "tool", "tool_call_id": result.tool_call_id, "content": content}))
}

fn user_content(parts: &[Part]) -> Value {
    let mut texts: Vec<Value> = parts.iter().filter_map(text_chunk).collect();
    match texts.as_mut_slice() {
        [] => Value::from(""),
        [only] => only.get_mut("text").map(Value::take).unwrap_or_default(),
        _ => Value::Array(texts),
    }
}

fn text_chunk(part: &Part) -> Option<Value> {
    let Part::Text(text) = part else { return None };
    Some(json!({"type": "text", "text": text}))
}

/// An assistant's message, with its reasoning where it stood.
pub(super) fn encode_assistant(parts: &[Part]) -> Object {
    let mut message = Object::new();
    let calls = call::encode_all(parts);
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), assistant_content(parts, !calls.is_empty()));
    reasoning::restore(parts, &mut message);
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    message
}

fn assistant_content(parts: &[Part], called: bool) -> Value {
    let chunk = |part: &Part| match part {
        Part::Reasoning(state) if state.field == ReasoningField::ThinkingChunk => {
            Some(state.value.clone())
        }
        _ => None,
    };
    if parts.iter().any(|part| chunk(part).is_some()) {
        return parts.iter().filter_map(|part| chunk(part).or_else(|| text_chunk(part))).collect();
    }
    let text: String = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if text.is_empty() && called { Value::Null } else { text.into() }
}

/// A conversation as it is read, message by message.
#[derive(Debug, Default)]
pub(super) struct History {
    system: Vec<String>,
    messages: Vec<Message>,
    /// The tool of every call so far, by id.
    names: BTreeMap<CallId, String>,
    calls: usize,
}

impl History {
    /// Reads the next message, given as its fields and as it is.
    pub(super) fn push(&mut self, fields: &Fields, message: &Value) -> Result<(), BadRequest> {
        let content = fields.get("content").unwrap_or(&Value::Null);
        match fields.required_string("role")? {
            "system" | "developer" => self.system.push(joined(content)),
            "user" => {
                let parts = texts(content).into_iter().map(Part::Text).collect();
                self.messages.push(Message { role: Role::User, parts });
            }
            "assistant" => self.push_assistant(message),
            "tool" => {
                let id = fields.string("tool_call_id")?.unwrap_or_default();
                self.push_result(CallId::new(id), content);
            }
            "function" => {
                let name = fields.string("name")?.unwrap_or_default();
                self.push_result(self.latest_call_of(name), content);
            }
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
        let mut draft = ReplyDraft::default();
        reply::take_message(&mut draft, 0, message);
        let parts = draft.take_parts(CallEnd::Complete, self.calls);
        for part in &parts {
            let (id, name) = match part {
                Part::Call(call) => (&call.id, &call.name),
                Part::BrokenCall(call) => (&call.id, &call.name),
                Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => continue,
            };
            self.names.insert(id.clone(), name.clone());
            self.calls += 1;
        }
        self.messages.push(Message::assistant(parts));
    }

    /// The results of one turn stand in one message, however many the dialect needs.
    fn push_result(&mut self, tool_call_id: CallId, content: &Value) {
        let name = self.names.get(&tool_call_id).cloned().unwrap_or_default();
        let result = Part::Result(read_result(tool_call_id, name, content));
        match self.messages.last_mut() {
            Some(last) if last.role == Role::Tool => last.parts.push(result),
            _ => self.messages.push(Message { role: Role::Tool, parts: vec![result] }),
        }
    }

    /// Legacy results name the function only.
    fn latest_call_of(&self, name: &str) -> CallId {
        let calls = self.messages.iter().rev().flat_map(|message| message.parts.iter().rev());
        let id = calls.into_iter().find_map(|part| match part {
            Part::Call(call) if call.name == name => Some(call.id.clone()),
            Part::BrokenCall(call) if call.name == name => Some(call.id.clone()),
            _ => None,
        });
        id.unwrap_or_else(|| CallId::new(""))
    }
}

/// Reads a result whose dialect has no field for failure.
fn read_result(tool_call_id: CallId, name: String, content: &Value) -> ToolResult {
    let text = match content {
        Value::String(_) | Value::Array(_) | Value::Null => joined(content),
        other => {
            let content = other.clone();
            return ToolResult::success(tool_call_id, name, content);
        }
    };
    let unmarked = error_text::unmark(&text);
    ToolResult {
        tool_call_id,
        name,
        content: unmarked.text.into(),
        is_error: unmarked.is_error,
        error_code: unmarked.error_code.map(str::to_owned),
    }
}

/// The texts of a content that is a string or a list of parts.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

fn joined(content: &Value) -> String {
    texts(content).concat()
}
