//! Content blocks, encoded and decoded.

use serde_json::{Value, json};

use super::super::arguments::{self, ArgumentEncoding, BrokenArguments};
use super::super::{call_id, error_text, wrapped};
use crate::ir::{
    CallFormat, Defect, Defects, Object, Part, ReasoningField, ReasoningState, ToolCall, ToolResult,
};

/// The block for a part; `None` for state of another dialect.
pub(super) fn encode(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => Some(json!({"type": "text", "text": text})),
        Part::Reasoning(state) => is_own(state).then(|| state.value.clone()),
        Part::Call(call) => Some(tool_use(call)),
        Part::BrokenCall(call) => Some(json!({
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": wrapped::wrap(&call.arguments),
        })),
        Part::Result(result) => Some(tool_result(result)),
    }
}

fn is_own(state: &ReasoningState) -> bool {
    matches!(state.field, ReasoningField::ThinkingBlock | ReasoningField::RedactedThinkingBlock)
}

/// The provider's own block (it may hold `caller` and the like) as long as it says the same.
fn tool_use(call: &ToolCall) -> Value {
    let raw = &call.raw;
    let unchanged = raw.get("type").is_some_and(|kind| kind == "tool_use")
        && raw.get("id").is_some_and(|id| id == call.id.as_str())
        && raw.get("name").is_some_and(|name| name == call.name.as_str())
        && raw.get("input") == Some(&call.input);
    if unchanged {
        return raw.clone();
    }
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
}

fn tool_result(result: &ToolResult) -> Value {
    let mut block = json!({
        "type": "tool_result",
        "tool_use_id": result.tool_call_id,
        "content": result_content(result),
    });
    if let (true, Value::Object(fields)) = (result.is_error, &mut block) {
        fields.insert("is_error".to_owned(), Value::Bool(true));
    }
    block
}

/// Text, or a list of content blocks as it is; an error code is said in the text.
fn result_content(result: &ToolResult) -> Value {
    match (&result.content, &result.error_code) {
        (blocks @ Value::Array(items), None) if items.iter().all(is_block) => blocks.clone(),
        (_, Some(_)) => json!(error_text::mark(result)),
        (content, None) => json!(error_text::plain(content)),
    }
}

fn is_block(item: &Value) -> bool {
    item.get("type").is_some_and(Value::is_string)
}

/// The part in a reply's block; `None` for a block that says nothing this crate knows.
pub(super) fn decode(block: &Value, ordinal: usize, defects: &mut Defects) -> Option<Part> {
    let fields = block.as_object();
    let kind = fields.and_then(|fields| fields.get("type")?.as_str());
    match (fields, kind) {
        (Some(fields), Some("tool_use")) => {
            let arguments = read_input(fields.get("input"), defects);
            call(fields.clone(), arguments, ordinal, defects)
        }
        (Some(_), Some(kind)) => {
            let part = text_or_reasoning(kind, block);
            if part.is_none() {
                defects.record(Defect::PartUnknown);
            }
            part
        }
        _ => {
            defects.record(Defect::PartUnknown);
            None
        }
    }
}

/// A block of text or of reasoning.
pub(super) fn text_or_reasoning(kind: &str, block: &Value) -> Option<Part> {
    let state = |field| Some(Part::Reasoning(ReasoningState::new(field, block.clone())));
    match kind {
        "text" => Some(Part::Text(block.get("text")?.as_str()?.to_owned())),
        "thinking" => state(ReasoningField::ThinkingBlock),
        "redacted_thinking" => state(ReasoningField::RedactedThinkingBlock),
        _ => None,
    }
}

fn read_input(input: Option<&Value>, defects: &mut Defects) -> Result<Value, BrokenArguments> {
    let Some(input) = input else {
        defects.record(Defect::InputMissing);
        return Ok(json!({}));
    };
    match wrapped::unwrap(input, defects) {
        Some(broken) => Err(broken),
        None => arguments::read(Some(input), ArgumentEncoding::Json, defects),
    }
}

/// The call in a `tool_use` block with these arguments; `None` when it has no name.
pub(super) fn call(
    block: Object,
    arguments: Result<Value, BrokenArguments>,
    ordinal: usize,
    defects: &mut Defects,
) -> Option<Part> {
    let name = block.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if name.is_empty() {
        defects.record(Defect::PhantomCall);
        return None;
    }
    let id = call_id::required(block.get("id"), format!("call_{ordinal}"), defects);
    Some(arguments::call_part(id, name, CallFormat::Anthropic, arguments, Value::Object(block)))
}
