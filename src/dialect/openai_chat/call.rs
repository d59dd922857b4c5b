//! Calls in `tool_calls`: decoded, and sent back unchanged.

use serde_json::{Value, json};

use super::reasoning;
use crate::dialect::arguments::{self, ArgumentEncoding, BrokenArguments};
use crate::ir::{
    BrokenCall, CallFormat, CallId, Defect, Defects, Object, Part, ReasoningField, ReasoningState,
    ToolCall,
};

/// A call as received, not yet known to be one.
#[derive(Debug, Clone, Default)]
pub(super) struct RawCall {
    /// The endpoint's id; none where it sent none or an empty one.
    pub(super) id: Option<String>,
    /// The tool's name; empty until it arrives.
    pub(super) name: String,
    /// A string for encoded arguments, whole or grown from deltas.
    pub(super) arguments: Option<Value>,
    /// Google's signature of the call.
    pub(super) signature: Option<Value>,
    /// Whether it came as the legacy `function_call`, which has no ids.
    pub(super) legacy: bool,
    /// The object it was read from, when it came in one piece.
    pub(super) whole: Option<Value>,
}

/// Whether the reply went on after a call, or was cut off in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallEnd {
    /// The call is complete: missing arguments stay empty.
    Complete,
    /// More would have come: no arguments may be half of some.
    Cut,
}

impl RawCall {
    /// Reads an entry of `tool_calls` that is complete.
    pub(super) fn read(value: &Value, defects: &mut Defects) -> Self {
        Self {
            id: read_id(value.get("id"), defects),
            signature: reasoning::signature(value).cloned(),
            whole: Some(value.clone()),
            ..Self::function(value.get("function"))
        }
    }

    /// Reads the `function_call` of a message that has no `tool_calls`.
    pub(super) fn read_legacy(function_call: &Value) -> Self {
        Self {
            legacy: true,
            whole: Some(json!({"function_call": function_call})),
            ..Self::function(Some(function_call))
        }
    }

    fn function(function: Option<&Value>) -> Self {
        let name = function.and_then(|function| function.get("name")).and_then(Value::as_str);
        let arguments = function.and_then(|function| function.get("arguments")).cloned();
        Self { name: name.unwrap_or_default().to_owned(), arguments, ..Self::default() }
    }

    /// The call with what belongs to it, nothing if it has no name. `ordinal` tells calls without
    /// ids apart.
    pub(super) fn into_parts(
        self,
        ordinal: usize,
        rest: CallEnd,
        defects: &mut Defects,
    ) -> Vec<Part> {
        if self.name.is_empty() {
            defects.record(Defect::PhantomCall);
            return Vec::new();
        }
        if self.id.is_none() && !self.legacy {
            defects.record(Defect::IdMissing);
        }
        let raw = self.raw();
        let input = self.input(rest, defects);
        let id = self.id.unwrap_or_else(|| format!("call_missing_{ordinal}"));
        let call = arguments::call_part(CallId::new(id), self.name, CallFormat::OpenAi, input, raw);
        let signature = self.signature.map(|signature| {
            Part::Reasoning(ReasoningState::new(ReasoningField::ExtraContentSignature, signature))
        });
        signature.into_iter().chain([call]).collect()
    }

    fn input(&self, rest: CallEnd, defects: &mut Defects) -> Result<Value, BrokenArguments> {
        let text = match &self.arguments {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text.as_str(),
            Some(_) => return self.read_arguments(defects),
        };
        if rest == CallEnd::Cut && text.trim().is_empty() {
            defects.record(Defect::ArgumentsInvalid);
            let problem = "the reply ended before its arguments came".to_owned();
            return Err(BrokenArguments { text: text.to_owned(), problem });
        }
        self.read_arguments(defects)
    }

    fn read_arguments(&self, defects: &mut Defects) -> Result<Value, BrokenArguments> {
        arguments::read(self.arguments.as_ref(), ArgumentEncoding::JsonString, defects)
    }

    /// The object of a whole reply; for a streamed call the one that its deltas add up to.
    fn raw(&self) -> Value {
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        let arguments = self.arguments.clone().unwrap_or(Value::Null);
        let function = json!({"name": self.name, "arguments": arguments});
        if self.legacy {
            return json!({"function_call": function});
        }
        let mut call = Object::new();
        call.extend(self.id.as_deref().map(|id| ("id".to_owned(), Value::from(id))));
        call.insert("type".to_owned(), Value::from("function"));
        call.insert("function".to_owned(), function);
        call.extend(self.signature.as_ref().map(extra_entry));
        Value::Object(call)
    }
}

/// An id that is a number is taken as its digits.
pub(super) fn read_id(id: Option<&Value>, defects: &mut Defects) -> Option<String> {
    match id? {
        Value::Null => None,
        Value::String(id) => Some(id.clone()).filter(|id| !id.is_empty()),
        other => {
            defects.record(Defect::IdNotString);
            Some(other.to_string())
        }
    }
}

/// The calls of an assistant's message, each with the signature that stands before it.
pub(super) fn encode_all(parts: &[Part]) -> Vec<Value> {
    let mut signature = None;
    let mut calls = Vec::new();
    for part in parts {
        match part {
            Part::Reasoning(state) if state.field == ReasoningField::ExtraContentSignature => {
                signature = Some(&state.value);
            }
            Part::Call(call) => {
                let arguments = arguments_text(call);
                calls.push(encode(&call.id, &call.name, &arguments, signature.take()));
            }
            Part::BrokenCall(BrokenCall { id, name, arguments, .. }) => {
                calls.push(encode(id, name, arguments, signature.take()));
            }
            Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => {}
        }
    }
    calls
}

/// An entry of `tool_calls`.
pub(super) fn encode(id: &CallId, name: &str, arguments: &str, signature: Option<&Value>) -> Value {
    let mut call = json!({"id": id, "type": "function",
                          "function": {"name": name, "arguments": arguments}});
    if let (Some(call), Some(signature)) = (call.as_object_mut(), signature) {
        call.extend([extra_entry(signature)]);
    }
    call
}

fn extra_entry(signature: &Value) -> (String, Value) {
    ("extra_content".to_owned(), reasoning::extra_content(signature))
}

/// The bytes the endpoint sent, as long as they still mean `input`: strict servers and prompt
/// caches tell a re-encoded argument from the original.
pub(super) fn arguments_text(call: &ToolCall) -> String {
    ["/function/arguments", "/function_call/arguments"]
        .iter()
        .find_map(|path| call.raw.pointer(path)?.as_str())
        .filter(|text| means(text, &call.input))
        .map_or_else(|| call.input.to_string(), str::to_owned)
}

fn means(text: &str, input: &Value) -> bool {
    arguments::read_text(text, &mut Defects::default()).is_ok_and(|read| read == *input)
}
