//! Whole replies of Anthropic, encoded and decoded.

use serde_json::{Value, json};

use super::super::{ApiError, call_id};
use super::{block, stop, usage};
use crate::ir::{Defect, Defects, Object, Part, Reply, Usage};

/// The reply in a body, or the error it holds instead.
pub(super) fn decode(body: &Value) -> Result<Reply, ApiError> {
    if let Some(error) = ApiError::in_payload(body) {
        return Err(error);
    }
    let Some(message) = body.as_object().filter(|body| is_message(body)) else {
        return Err(ApiError::from_response(200, Vec::new(), &body.to_string()));
    };
    let mut defects = Defects::default();
    let mut parts = decode_content(message.get("content"), &mut defects);
    let stop = stop::decode(message.get("stop_reason"), &mut defects);
    stop::reconcile(&mut parts, stop.kind, &mut defects);
    let text = |key| message.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(Reply {
        id: text("id"),
        usage: message
            .get("usage")
            .and_then(Value::as_object)
            .map_or(Usage::default(), usage::decode),
        model_echo: text("model"),
        defects,
        ..Reply::new(parts, stop)
    })
}

fn is_message(body: &Object) -> bool {
    body.contains_key("content") || body.get("type").is_some_and(|kind| kind == "message")
}

fn decode_content(content: Option<&Value>, defects: &mut Defects) -> Vec<Part> {
    match content {
        Some(Value::Array(blocks)) => decode_blocks(blocks, defects),
        Some(Value::String(text)) => {
            defects.record(Defect::PartUnknown);
            vec![Part::Text(text.clone())]
        }
        _ => {
            defects.record(Defect::DeltaMissing);
            Vec::new()
        }
    }
}

fn decode_blocks(blocks: &[Value], defects: &mut Defects) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut calls = 0;
    for block in blocks {
        let part = block::decode(block, calls, defects);
        calls += usize::from(part.as_ref().and_then(call_id::of).is_some());
        parts.extend(part);
    }
    parts
}

/// The body of a reply.
pub(super) fn encode(reply: &Reply) -> Value {
    let content: Vec<Value> = reply.parts.iter().filter_map(block::encode).collect();
    message(reply, &content, &stop::encode(&reply.stop), &usage::encode(&reply.usage))
}

/// A message object with these changing fields, whole or as a stream begins it.
pub(super) fn message(
    reply: &Reply,
    content: &[Value],
    stop_reason: &Value,
    usage: &Object,
) -> Value {
    json!({
        "id": reply.id,
        "type": "message",
        "role": "assistant",
        "model": reply.model_echo,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": usage,
    })
}
