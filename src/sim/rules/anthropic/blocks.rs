//! Anthropic checks: each content block by itself.

use serde_json::Value;

use super::{Block, turns};
use crate::sim::rules::complaint::Source::Seen;
use crate::sim::rules::complaint::{Complaint, Violation};
use crate::sim::rules::raw::{is_name, list, text};

const NO_CONTENT: Complaint = Complaint::bad(
    Seen("anthropics/claude-code#4416"),
    "messages.{n}: all messages must have non-empty content except for the optional final assistant message",
);
const EMPTY_TEXT: Complaint = Complaint::bad(
    Seen("anthropics/claude-code#59812"),
    "messages: text content blocks must be non-empty",
);
const ID_PATTERN: Complaint = Complaint::bad(
    Seen("tailcallhq/forgecode#1142"),
    "messages.{n}.content.{m}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
);
const INPUT: Complaint = Complaint::bad(
    Seen("pydantic/pydantic-ai#7060"),
    "messages.{n}.content.{m}.tool_use.input: Input should be a valid dictionary",
);

pub(super) fn check_contents(body: &Value) -> Result<(), Violation> {
    let messages = list(body, "messages");
    for (n, message) in messages.iter().enumerate() {
        let empty = match message.get("content") {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(blocks)) => blocks.is_empty(),
            Some(_) => false,
        };
        let may_be_empty = n + 1 == messages.len() && text(message, "role") == "assistant";
        if empty && !may_be_empty {
            return Err(NO_CONTENT.at(n));
        }
    }
    turns(body).iter().flat_map(|turn| &turn.blocks).try_for_each(check_block)
}

fn check_block(block: &Block<'_>) -> Result<(), Violation> {
    match block.kind() {
        "text" if text(block.value, "text").is_empty() => Err(EMPTY_TEXT.about(&[])),
        "tool_use" if !is_name(text(block.value, "id"), usize::MAX, "_-") => {
            Err(block.complain(&ID_PATTERN))
        }
        "tool_use" if !block.value.get("input").is_some_and(Value::is_object) => {
            Err(block.complain(&INPUT))
        }
        _ => Ok(()),
    }
}
