//! Calls in Ollama's `tool_calls`: decoded, and sent back unchanged.

use serde_json::{Value, json};

use crate::dialect::arguments::{self, ArgumentEncoding, BrokenArguments};
use crate::dialect::{call_id, wrapped};
use crate::ir::{CallFormat, CallId, Defect, Defects, Part, ToolCall};

/// Reads an entry; nothing if it has no name. `ordinal` tells calls without ids apart.
pub(super) fn decode(entry: &Value, ordinal: usize, defects: &mut Defects) -> Option<Part> {
    let function = entry.get("function");
    let field = |key: &str| function.and_then(|function| function.get(key));
    let Some(name) = field("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
        defects.record(Defect::PhantomCall);
        return None;
    };
    // Older servers send no ids, and newer ones do not ask for them.
    let id = call_id::read(entry.get("id"), defects)
        .unwrap_or_else(|| CallId::new(format!("call_missing_{ordinal}")));
    let input = read_arguments(field("arguments"), defects);
    Some(arguments::call_part(id, name.to_owned(), CallFormat::OpenAi, input, entry.clone()))
}

fn read_arguments(
    arguments: Option<&Value>,
    defects: &mut Defects,
) -> Result<Value, BrokenArguments> {
    match arguments.and_then(|arguments| wrapped::unwrap(arguments, defects)) {
        Some(broken) => Err(broken),
        None => arguments::read(arguments, ArgumentEncoding::Json, defects),
    }
}

/// Writes a call of a message; `index` is its place among the calls of the reply.
pub(super) fn encode(part: &Part, index: usize) -> Option<Value> {
    let (id, name, arguments) = match part {
        Part::Call(call) if is_own(call) => return Some(call.raw.clone()),
        Part::Call(call) => (&call.id, &call.name, call.input.clone()),
        Part::BrokenCall(call) => (&call.id, &call.name, wrapped::wrap(&call.arguments)),
        Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => return None,
    };
    Some(json!({"id": id, "function": {"index": index, "name": name, "arguments": arguments}}))
}

/// Whether the object this call came in is Ollama's, and still says what the call says.
fn is_own(call: &ToolCall) -> bool {
    let same_id = call.raw.get("id").is_none_or(|id| id == call.id.as_str());
    same_id
        && call.raw.pointer("/function/name").is_some_and(|name| *name == call.name.as_str())
        && call.raw.pointer("/function/arguments") == Some(&call.input)
}

/// Whether the id of this call was made up, so that the endpoint does not know it.
pub(super) fn is_unnamed(call: &ToolCall) -> bool {
    is_own(call) && call.raw.get("id").is_none()
}
