//! The input items of a request, encoded from a conversation and decoded into one.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::item;
use crate::dialect::fields::Fields;
use crate::dialect::{BadRequest, arguments, error_text};
use crate::ir::{
    CallFormat, CallId, Defects, Message, Part, ReasoningField, ReasoningState, Role, ToolResult,
};

pub(super) fn encode(messages: &[Message]) -> Vec<Value> {
    messages.iter().flat_map(encode_message).collect()
}

fn encode_message(message: &Message) -> Vec<Value> {
    let encoded = |parts: &[Part]| -> Vec<Value> {
        parts.iter().filter_map(|part| encode_part(message.role, part)).collect()
    };
    if message.role == Role::Assistant {
        return encoded(&message.parts);
    }
    let is_text = |part: &Part| matches!(part, Part::Text(_));
    let alike = message.parts.chunk_by(|a, b| is_text(a) == is_text(b));
    alike
        .flat_map(|parts| match parts.first() {
            Some(Part::Text(_)) => user_item(parts).into_iter().collect(),
            _ => encoded(parts),
        })
        .collect()
}

/// Texts of the person that stand together are one item.
fn user_item(parts: &[Part]) -> Option<Value> {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text),
        _ => None,
    });
    let content = match texts.collect::<Vec<_>>()[..] {
        [] => return None,
        [text] => json!(text),
        ref texts => texts.iter().map(|t| json!({"type": "input_text", "text": t})).collect(),
    };
    Some(json!({"type": "message", "role": "user", "content": content}))
}

/// Text goes back in the short form of a message, because the long one must carry the id and status
/// that only the provider can give. Reasoning of other dialects has no place here and stays behind.
fn encode_part(role: Role, part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => (role == Role::Assistant)
            .then(|| json!({"type": "message", "role": "assistant", "content": text})),
        Part::Reasoning(state) => item::reasoning(state).cloned(),
        Part::Call(call) => Some(item::verbatim(call).cloned().unwrap_or_else(|| {
            json!({"type": "function_call", "call_id": call.id.as_str(), "name": call.name,
                   "arguments": call.input.to_string()})
        })),
        Part::BrokenCall(call) => Some(json!({
            "type": "function_call", "call_id": call.id.as_str(), "name": call.name,
            "arguments": call.arguments,
        })),
        Part::Result(result) => Some(json!({
            "type": "function_call_output", "call_id": result.tool_call_id.as_str(),
            "output": output(result),
        })),
    }
}

/// A list of content parts goes as it is; all else is text.
fn output(result: &ToolResult) -> Value {
    match &result.content {
        Value::Array(parts) if !result.is_error && are_content(parts) => result.content.clone(),
        _ => Value::String(error_text::mark(result)),
    }
}

fn are_content(parts: &[Value]) -> bool {
    let is_content = |part: &Value| {
        part.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("input_"))
    };
    !parts.is_empty() && parts.iter().all(is_content)
}

/// What the items of a request say.
#[derive(Debug, Default)]
pub(super) struct DecodedInput {
    pub(super) system: Option<String>,
    pub(super) messages: Vec<Message>,
}

/// Reads `instructions` and `input`.
pub(super) fn decode(body: &Fields) -> Result<DecodedInput, BadRequest> {
    let mut reader = InputReader::default();
    if let Some(text) = body.string("instructions")? {
        reader.instruct(text);
    }
    match body.get("input") {
        Some(Value::String(text)) => reader.conversation.messages.push(Message::user(text)),
        Some(Value::Array(_)) => {
            for (path, item) in body.list("input")? {
                reader.item(item, &Fields::of(item, path)?)?;
            }
        }
        Some(_) => return Err(body.bad("input", "expected a string or a list of items")),
        None => return Err(body.bad("input", "field required")),
    }
    Ok(reader.conversation)
}

#[derive(Default)]
struct InputReader {
    conversation: DecodedInput,
    /// The tool each call so far was for: results do not say.
    names: HashMap<CallId, String>,
}

impl InputReader {
    fn item(&mut self, item: &Value, fields: &Fields) -> Result<(), BadRequest> {
        let kind = match fields.string("type")? {
            None if fields.get("role").is_some() => "message",
            None => return Err(fields.bad("type", "field required")),
            Some(kind) => kind,
        };
        match kind {
            "message" => self.message(fields)?,
            "reasoning" => {
                let state = ReasoningState::new(ReasoningField::ReasoningItem, item.clone());
                self.push(Role::Assistant, Part::Reasoning(state));
            }
            "function_call" => self.call(item, fields)?,
            "function_call_output" => self.result(fields)?,
            other => return Err(fields.bad("type", format!("'{other}' is not supported"))),
        }
        Ok(())
    }

    fn message(&mut self, fields: &Fields) -> Result<(), BadRequest> {
        let texts = texts(fields)?;
        match fields.required_string("role")? {
            "user" => self.conversation.messages.push(Message {
                role: Role::User,
                parts: texts.into_iter().map(Part::Text).collect(),
            }),
            "assistant" => {
                for text in texts {
                    self.push(Role::Assistant, Part::Text(text));
                }
            }
            "system" | "developer" => self.instruct(&texts.concat()),
            other => return Err(fields.bad("role", format!("'{other}' is no role"))),
        }
        Ok(())
    }

    fn call(&mut self, item: &Value, fields: &Fields) -> Result<(), BadRequest> {
        let id = CallId::new(fields.required_string("call_id")?);
        let name = fields.required_string("name")?.to_owned();
        let text = fields.required_string("arguments")?;
        self.names.insert(id.clone(), name.clone());
        let read = arguments::read_text(text, &mut Defects::default());
        let call = arguments::call_part(id, name, CallFormat::OpenAi, read, item.clone());
        self.push(Role::Assistant, call);
        Ok(())
    }

    fn result(&mut self, fields: &Fields) -> Result<(), BadRequest> {
        let tool_call_id = CallId::new(fields.required_string("call_id")?);
        let name = self.names.get(&tool_call_id).cloned().unwrap_or_default();
        let (content, is_error, error_code) = match fields.get("output") {
            Some(Value::String(text)) => {
                let read = error_text::unmark(text);
                (json!(read.text), read.is_error, read.error_code.map(str::to_owned))
            }
            Some(parts @ Value::Array(_)) => (parts.clone(), false, None),
            Some(_) => return Err(fields.bad("output", "expected a string or a list of parts")),
            None => return Err(fields.bad("output", "field required")),
        };
        let result = ToolResult { tool_call_id, name, content, is_error, error_code };
        self.push(Role::Tool, Part::Result(result));
        Ok(())
    }

    fn instruct(&mut self, text: &str) {
        let system = self.conversation.system.get_or_insert_default();
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(text);
    }

    /// Items of one side in a row are one message.
    fn push(&mut self, role: Role, part: Part) {
        match self.conversation.messages.last_mut() {
            Some(last) if last.role == role => last.parts.push(part),
            _ => self.conversation.messages.push(Message { role, parts: vec![part] }),
        }
    }
}

fn texts(message: &Fields) -> Result<Vec<String>, BadRequest> {
    match message.get("content") {
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(_)) => {
            let parts = message.list("content")?.into_iter();
            let texts = parts.map(|(path, part)| part_text(&Fields::of(part, path)?));
            texts.filter_map(Result::transpose).collect()
        }
        Some(_) => Err(message.bad("content", "expected a string or a list of parts")),
        None => Err(message.bad("content", "field required")),
    }
}

/// The text of a part; images and files say nothing about tools and are read past.
fn part_text(part: &Fields) -> Result<Option<String>, BadRequest> {
    let key = match part.required_string("type")? {
        "input_text" | "output_text" | "text" => "text",
        "refusal" => "refusal",
        "input_image" | "input_file" | "input_audio" => return Ok(None),
        other => return Err(part.bad("type", format!("'{other}' is not supported"))),
    };
    Ok(Some(part.required_string(key)?.to_owned()))
}
