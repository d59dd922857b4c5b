//! Output items, encoded and decoded.

use serde_json::{Value, json};

use crate::dialect::{arguments, call_id};
use crate::ir::{
    CallFormat, CallId, Defect, Defects, Part, ReasoningField, ReasoningState, Stop, ToolCall,
};

/// What the items of a reply said so far.
#[derive(Debug, Default)]
pub(super) struct OutputItems {
    pub(super) parts: Vec<Part>,
    pub(super) defects: Defects,
    /// Whether a text was a refusal.
    pub(super) refused: bool,
}

impl OutputItems {
    pub(super) fn read(&mut self, item: &Value) {
        match item.get("type").and_then(Value::as_str) {
            Some("message") => self.message(item),
            Some("reasoning") => {
                let state = ReasoningState::new(ReasoningField::ReasoningItem, item.clone());
                self.parts.push(Part::Reasoning(state));
            }
            Some("function_call") => self.call(item),
            _ => self.defects.record(Defect::PartUnknown),
        }
    }

    /// Whether a call was made or attempted.
    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call(_) | Part::BrokenCall(_)))
    }

    fn message(&mut self, item: &Value) {
        let parts = item.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for part in parts {
            let text = |key: &str| part.get(key).and_then(Value::as_str);
            match part.get("type").and_then(Value::as_str) {
                Some("output_text") => self.text(text("text").unwrap_or_default()),
                Some("refusal") => {
                    self.refused = true;
                    self.text(text("refusal").unwrap_or_default());
                }
                _ => self.defects.record(Defect::PartUnknown),
            }
        }
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Part::Text(text.to_owned()));
        }
    }

    fn call(&mut self, item: &Value) {
        let Some(name) = item.get("name").and_then(Value::as_str).filter(|n| !n.is_empty()) else {
            self.defects.record(Defect::PhantomCall);
            return;
        };
        let id = self.call_id(item);
        if self.parts.iter().filter_map(call_id::of).any(|known| *known == id) {
            self.defects.record(Defect::IdDuplicate);
        }
        let arguments = item.get("arguments");
        let read = if item.get("status").and_then(Value::as_str) == Some("incomplete") {
            self.defects.record(Defect::ArgumentsInvalid);
            Err(cut_short(arguments))
        } else {
            arguments::read(arguments, arguments::ArgumentEncoding::JsonString, &mut self.defects)
        };
        let name = name.to_owned();
        self.parts.push(arguments::call_part(id, name, CallFormat::OpenAi, read, item.clone()));
    }

    /// The item's own id stands in for a missing `call_id`.
    fn call_id(&mut self, item: &Value) -> CallId {
        let made_up = match item.get("id").and_then(Value::as_str) {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => format!("call_{}", self.parts.len()),
        };
        call_id::required(item.get("call_id"), made_up, &mut self.defects)
    }
}

/// Arguments of a call that the provider itself says is not complete, parsable or not.
fn cut_short(arguments: Option<&Value>) -> arguments::BrokenArguments {
    let text = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    arguments::BrokenArguments {
        text,
        problem: "the reply ended before the call was complete".to_owned(),
    }
}

/// The item as the provider sent it, as long as it still says what the call says.
pub(super) fn verbatim(call: &ToolCall) -> Option<&Value> {
    let raw = &call.raw;
    let says = |key: &str, text: &str| raw.get(key).and_then(Value::as_str) == Some(text);
    let same = says("type", "function_call")
        && says("call_id", call.id.as_str())
        && says("name", &call.name)
        && means(raw.get("arguments")?, &call.input);
    same.then_some(raw)
}

fn means(arguments: &Value, input: &Value) -> bool {
    let written = arguments::ArgumentEncoding::JsonString;
    arguments::read(Some(arguments), written, &mut Defects::default()).as_ref() == Ok(input)
}

/// The reasoning item in this state, if it is one.
pub(super) fn reasoning(state: &ReasoningState) -> Option<&Value> {
    (state.field == ReasoningField::ReasoningItem).then_some(&state.value)
}

/// Whether a reply that ended like this was cut off inside its last item.
fn is_cut(stop: &Stop) -> bool {
    super::reply::status(stop).0 == "incomplete"
}

/// Writes the parts of a reply as items, with ids made from the reply's own.
pub(super) fn encode_all(parts: &[Part], stop: &Stop, stem: &str) -> Vec<Value> {
    let last = parts.len().saturating_sub(1);
    let encode_one = |(n, part)| {
        let status = if n == last && is_cut(stop) { "incomplete" } else { "completed" };
        encode(part, stop, &format!("{stem}_{n}"), status)
    };
    parts.iter().enumerate().filter_map(encode_one).collect()
}

fn encode(part: &Part, stop: &Stop, stem: &str, status: &str) -> Option<Value> {
    match part {
        Part::Text(text) => Some(json!({
            "id": format!("msg_{stem}"), "type": "message", "status": status, "role": "assistant",
            "content": [content(text, stop)],
        })),
        Part::Reasoning(state) => reasoning(state).cloned(),
        Part::Call(call) => Some(verbatim(call).cloned().unwrap_or_else(|| {
            json!({"id": format!("fc_{stem}"), "type": "function_call", "status": "completed",
                   "call_id": call.id.as_str(), "name": call.name,
                   "arguments": call.input.to_string()})
        })),
        Part::BrokenCall(call) => Some(json!({
            "id": format!("fc_{stem}"), "type": "function_call", "status": status,
            "call_id": call.id.as_str(), "name": call.name, "arguments": call.arguments,
        })),
        Part::Result(_) => None,
    }
}

fn content(text: &str, stop: &Stop) -> Value {
    if super::reply::is_refusal(stop) {
        json!({"type": "refusal", "refusal": text})
    } else {
        json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
    }
}
