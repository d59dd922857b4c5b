//! Encoder of streamed replies: the lines that Ollama sends.

use serde_json::{Value, json};

use super::{call, reply};
use crate::dialect::{DeltaLength, Stamp};
use crate::ir::{Object, Part, ReasoningField, Reply, StopKind};
use crate::wire::Frame;

/// Writes the parts in their order, calls whole, and the line that ends the reply. A truncated
/// reply simply ends.
pub(super) fn encode(reply: &Reply, stamp: &Stamp, deltas: DeltaLength) -> Vec<Frame> {
    let mut lines = Vec::new();
    let mut calls = 0;
    for part in &reply.parts {
        match part {
            Part::Text(text) => lines.extend(deltas.cut(text).map(|piece| message(piece, None))),
            Part::Reasoning(state) if state.field == ReasoningField::Thinking => {
                let thinking = state.value.as_str().unwrap_or_default();
                let deltas = deltas.cut(thinking);
                lines.extend(deltas.map(|piece| message("", Some(("thinking", piece.into())))));
            }
            Part::Call(_) | Part::BrokenCall(_) => {
                let call = call::encode(part, calls);
                calls += 1;
                lines.extend(call.map(|call| message("", Some(("tool_calls", json!([call]))))));
            }
            Part::Reasoning(_) | Part::Result(_) => {}
        }
    }
    let mut lines: Vec<Value> =
        lines.into_iter().map(|message| reply::line(reply, stamp, message).into()).collect();
    if reply.stop.kind != StopKind::Truncated {
        lines.push(reply::last_line(reply, stamp, message("", None)));
    }
    lines.iter().map(|line| Frame::data(line.to_string())).collect()
}

fn message(content: &str, field: Option<(&str, Value)>) -> Object {
    let head = [("role", Value::from("assistant")), ("content", content.into())];
    head.into_iter().chain(field).map(|(key, value)| (key.to_owned(), value)).collect()
}
