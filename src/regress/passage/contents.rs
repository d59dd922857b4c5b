//! What a request holds, drawn out of it to be compared: tools, words, calls, results, reasoning and its seals.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::ir::{Part, ReasoningField, ReasoningState, Request, Role, ToolCall, ToolResult};

pub(super) fn tools(request: &Request) -> Vec<(&str, &str)> {
    request.tools.iter().map(|tool| (tool.name.as_str(), tool.description.trim())).collect()
}

pub(super) fn strict(request: &Request) -> Vec<Option<bool>> {
    request.tools.iter().map(|tool| tool.strict).collect()
}

/// The instructions, by their paragraphs: they may have come in several parts.
pub(super) fn system(request: &Request) -> impl Iterator<Item = &str> {
    request.system.as_deref().unwrap_or_default().split("\n\n")
}

pub(super) fn parts(request: &Request) -> impl Iterator<Item = (Role, &Part)> {
    request
        .messages
        .iter()
        .flat_map(|message| message.parts.iter().map(move |part| (message.role, part)))
}

/// What the model said, or the others, part by part.
pub(super) fn texts(request: &Request, by: Role) -> impl Iterator<Item = &str> {
    let is_model = by == Role::Assistant;
    let all = parts(request).filter(move |(role, _)| (*role == Role::Assistant) == is_model);
    all.filter_map(|(_, part)| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

pub(super) fn calls(request: &Request) -> impl Iterator<Item = &ToolCall> {
    parts(request).filter_map(|(_, part)| match part {
        Part::Call(call) => Some(call),
        _ => None,
    })
}

pub(super) fn call_names(request: &Request) -> Vec<&str> {
    let names = parts(request).filter_map(|(_, part)| match part {
        Part::Call(call) => Some(call.name.as_str()),
        Part::BrokenCall(call) => Some(call.name.as_str()),
        _ => None,
    });
    names.collect()
}

pub(super) fn results(request: &Request) -> impl Iterator<Item = &ToolResult> {
    parts(request).filter_map(|(_, part)| match part {
        Part::Result(result) => Some(result),
        _ => None,
    })
}

/// The reasoning that is sent back, with the field it stands in and whether it stands behind a call of its
/// message.
pub(super) fn reasoning(request: &Request) -> Vec<(&'static str, String, bool)> {
    let mut found = Vec::new();
    for message in &request.messages {
        let mut is_behind = false;
        for part in &message.parts {
            match part {
                Part::Call(_) => is_behind = true,
                Part::Reasoning(state) if !is_bare_seal(state) => {
                    found.push((state.field.wire_name(), plain(&state.text()), is_behind));
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether reasoning is nothing but a signature.
pub(super) fn is_bare_seal(state: &ReasoningState) -> bool {
    [ReasoningField::ThoughtSignature, ReasoningField::ExtraContentSignature].contains(&state.field)
}

pub(super) fn seals<'a>(parts: impl Iterator<Item = &'a Part>) -> BTreeSet<String> {
    let states = parts.filter_map(|part| match part {
        Part::Reasoning(state) => Some(state),
        _ => None,
    });
    states
        .flat_map(|state| [state.signature(), state.encrypted()])
        .flatten()
        .filter(|seal| !seal.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The bytes of a call's arguments, in dialects that write them as text.
pub(super) fn argument_text(call: &ToolCall) -> Option<&str> {
    let raw = &call.raw;
    raw.pointer("/function/arguments").or_else(|| raw.get("arguments"))?.as_str()
}

pub(super) fn text_of(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Whether a JSON text holds another text, escaped.
pub(super) fn holds(json: &str, text: &str) -> bool {
    let escaped = Value::from(text).to_string();
    json.contains(escaped.trim_matches('"'))
}

pub(super) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
