//! Conversations as Anthropic messages, encoded and decoded.
//!
//! The wire knows two speakers. What the tools returned and what the person says after it are one
//! user message, results first; when read, the leading results become a tool message again. A
//! result that stands anywhere else stays where it is, so that faulty histories survive.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::arguments::{self, ArgumentEncoding};
use super::super::fields::Fields;
use super::super::turns::split_results;
use super::super::{BadRequest, call_id, error_text, wrapped};
use super::block;
use crate::ir::{
    CallFormat, CallId, Defects, Message, Part, ReasoningField, ReasoningState, Role, ToolResult,
};

/// Documented blocks that say nothing about tools of the client: read past.
const PASSED_OVER: [&str; 10] = [
    "image",
    "document",
    "search_result",
    "container_upload",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
];

/// The `messages` list.
pub(super) fn encode(messages: &[Message]) -> Vec<Value> {
    let mut rest = messages;
    let mut encoded = Vec::new();
    while let Some(first) = rest.first() {
        let (turn, tail) = rest.split_at(turn_length(rest));
        let role = if first.role == Role::Assistant { "assistant" } else { "user" };
        encoded.push(json!({"role": role, "content": encode_content(turn)}));
        rest = tail;
    }
    encoded
}

/// How many messages are one on the wire: results, more results, and a person's words after them.
fn turn_length(messages: &[Message]) -> usize {
    let results = messages.iter().take_while(|message| message.role == Role::Tool).count();
    match messages.get(results) {
        Some(next) if results == 0 || next.role == Role::User => results + 1,
        _ => results,
    }
}

/// A string for one text, else blocks; an empty text block beside others would be refused.
fn encode_content(turn: &[Message]) -> Value {
    let parts: Vec<&Part> = turn.iter().flat_map(|message| &message.parts).collect();
    if let [Part::Text(text)] = parts.as_slice() {
        return json!(text);
    }
    let said =
        parts.into_iter().filter(|part| !matches!(part, Part::Text(text) if text.is_empty()));
    Value::Array(said.filter_map(block::encode).collect())
}

/// The conversation in a body, and the instructions that stand in its middle.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) messages: Vec<Message>,
    pub(super) instructions: Vec<String>,
}

/// The conversation in a body.
pub(super) fn decode(body: &Fields<'_>) -> Result<Conversation, BadRequest> {
    if body.get("messages").is_none() {
        return Err(body.bad("messages", "field required"));
    }
    let mut names = ToolNames::default();
    let mut conversation = Conversation::default();
    for (path, message) in body.list("messages")? {
        let fields = Fields::of(message, path)?;
        let parts = decode_content(&fields, &mut names)?;
        match fields.required_string("role")? {
            "assistant" => conversation.messages.push(Message::assistant(parts)),
            "user" => conversation.messages.extend(split_results(parts)),
            "system" => conversation.instructions.push(Message::assistant(parts).text()),
            other => {
                return Err(fields.bad("role", format!("'{other}' is neither user nor assistant")));
            }
        }
    }
    Ok(conversation)
}

/// The tool that each call so far named.
type ToolNames = HashMap<CallId, String>;

fn decode_content(message: &Fields<'_>, names: &mut ToolNames) -> Result<Vec<Part>, BadRequest> {
    match message.get("content") {
        None => Err(message.bad("content", "field required")),
        Some(Value::String(text)) => Ok(vec![Part::Text(text.clone())]),
        Some(_) => {
            let mut parts = Vec::new();
            for (path, block) in message.list("content")? {
                parts.extend(decode_block(&path, block, names)?);
            }
            Ok(parts)
        }
    }
}

fn decode_block(
    path: &str,
    block: &Value,
    names: &mut ToolNames,
) -> Result<Option<Part>, BadRequest> {
    let fields = Fields::of(block, path)?;
    let state = |field| Some(Part::Reasoning(ReasoningState::new(field, block.clone())));
    match fields.required_string("type")? {
        "text" => Ok(Some(Part::Text(fields.required_string("text")?.to_owned()))),
        "thinking" => Ok(state(ReasoningField::ThinkingBlock)),
        "redacted_thinking" => Ok(state(ReasoningField::RedactedThinkingBlock)),
        "tool_use" => {
            let part = decode_call(&fields, block)?;
            if let (Some(id), Some(name)) = (call_id::of(&part), block.get("name")) {
                names.insert(id.clone(), name.as_str().unwrap_or_default().to_owned());
            }
            Ok(Some(part))
        }
        "tool_result" => decode_result(&fields, names).map(|result| Some(Part::Result(result))),
        kind if PASSED_OVER.contains(&kind) => Ok(None),
        other => Err(fields.bad("type", format!("unknown content block '{other}'"))),
    }
}

fn decode_call(fields: &Fields<'_>, block: &Value) -> Result<Part, BadRequest> {
    let id = CallId::new(fields.required_string("id")?);
    let name = fields.required_string("name")?.to_owned();
    let input = fields.get("input").filter(|input| input.is_object());
    let input = input.ok_or_else(|| fields.bad("input", "input should be a valid dictionary"))?;
    let mut defects = Defects::default();
    let arguments = match wrapped::unwrap(input, &mut defects) {
        Some(broken) => Err(broken),
        None => arguments::read(Some(input), ArgumentEncoding::Json, &mut defects),
    };
    Ok(arguments::call_part(id, name, CallFormat::Anthropic, arguments, block.clone()))
}

fn decode_result(fields: &Fields<'_>, names: &ToolNames) -> Result<ToolResult, BadRequest> {
    let id = CallId::new(fields.required_string("tool_use_id")?);
    let is_error = fields.boolean("is_error")?.unwrap_or(false);
    let content = decode_result_content(fields)?;
    let mark = content.as_str().filter(|_| is_error).map(error_text::unmark);
    let code = mark.as_ref().and_then(|mark| mark.error_code);
    let (content, error_code) = match (mark.as_ref(), code) {
        (Some(mark), Some(code)) => (json!(mark.text), Some(code.to_owned())),
        _ => (content, None),
    };
    Ok(ToolResult {
        name: names.get(&id).cloned().unwrap_or_default(),
        tool_call_id: id,
        content,
        is_error,
        error_code,
    })
}

/// Text blocks become lines of one string; a list with anything else in it is kept as it is.
fn decode_result_content(fields: &Fields<'_>) -> Result<Value, BadRequest> {
    match fields.get("content") {
        None => Ok(json!("")),
        Some(text @ Value::String(_)) => Ok(text.clone()),
        Some(blocks) => {
            let items = fields.list("content")?;
            let texts: Option<Vec<&str>> = items
                .iter()
                .map(|(_, item)| item.get("text").filter(|_| is_text(item))?.as_str())
                .collect();
            Ok(texts.map_or_else(|| blocks.clone(), |texts| json!(texts.join("\n"))))
        }
    }
}

fn is_text(block: &Value) -> bool {
    block.get("type").is_some_and(|kind| kind == "text")
}
