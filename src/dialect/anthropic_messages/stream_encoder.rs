//! Encoder of streamed replies: the events that Anthropic sends.

use serde_json::{Value, json};

use super::super::DeltaLength;
use super::{block, reply, stop, usage};
use crate::ir::{Object, Part, ReasoningState, Reply, StopKind};
use crate::wire::Frame;

/// The events of a reply, in the provider's order, each named by its `type`.
///
/// A truncated reply simply stops: after its last block, or inside it when that is a broken call.
pub(super) fn encode(reply: &Reply, length: DeltaLength) -> Vec<Frame> {
    let truncated = reply.stop.kind == StopKind::Truncated;
    let blocks: Vec<BlockDeltas> =
        reply.parts.iter().filter_map(|part| split(part, length)).collect();
    let last = blocks.len().saturating_sub(1);
    let ends_inside = truncated && matches!(reply.parts.last(), Some(Part::BrokenCall(_)));
    let mut events = vec![json!({"type": "message_start", "message": beginning(reply)})];
    for (index, block) in blocks.into_iter().enumerate() {
        let open = ends_inside && index == last;
        events.extend(block_events(index, block, open));
    }
    if !truncated {
        events.extend(ending(reply));
    }
    events.iter().map(frame).collect()
}

fn frame(event: &Value) -> Frame {
    let name = event.get("type").and_then(Value::as_str).unwrap_or_default();
    Frame::named(name, event.to_string())
}

/// The message as it is before its first block; the output count begins at one.
fn beginning(reply: &Reply) -> Value {
    let mut usage = usage::encode_input(&reply.usage);
    if let Some(output) = reply.usage.output {
        usage.insert("output_tokens".to_owned(), json!(output.min(1)));
    }
    reply::message(reply, &[], &Value::Null, &usage)
}

fn ending(reply: &Reply) -> [Value; 2] {
    [
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop::encode(&reply.stop), "stop_sequence": null},
            "usage": usage::encode_output(&reply.usage),
        }),
        json!({"type": "message_stop"}),
    ]
}

/// A block as it starts, and what is added to it.
struct BlockDeltas {
    start: Value,
    deltas: Vec<Value>,
}

fn block_events(index: usize, block: BlockDeltas, open: bool) -> Vec<Value> {
    let start =
        json!({"type": "content_block_start", "index": index, "content_block": block.start});
    let ping = (index == 0).then(|| json!({"type": "ping"}));
    let deltas = block
        .deltas
        .into_iter()
        .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
    let stop = (!open).then(|| json!({"type": "content_block_stop", "index": index}));
    [start].into_iter().chain(ping).chain(deltas).chain(stop).collect()
}

fn split(part: &Part, length: DeltaLength) -> Option<BlockDeltas> {
    let whole = block::encode(part)?;
    match part {
        Part::Text(text) => Some(BlockDeltas {
            start: json!({"type": "text", "text": ""}),
            deltas: text_deltas("text_delta", "text", text, length).collect(),
        }),
        Part::Reasoning(state) => Some(split_reasoning(whole, state, length)),
        Part::Call(call) if call.input == json!({}) => Some(split_call(whole, "", length)),
        Part::Call(call) => Some(split_call(whole, &call.input.to_string(), length)),
        Part::BrokenCall(call) => Some(split_call(whole, &call.arguments, length)),
        Part::Result(_) => None,
    }
}

fn text_deltas<'a>(
    kind: &'a str,
    key: &'a str,
    text: &'a str,
    length: DeltaLength,
) -> impl Iterator<Item = Value> + 'a {
    length.cut(text).map(move |piece| json!({"type": kind, key: piece}))
}

/// Arguments begin with an empty delta, which is all there is when there are none.
fn split_call(whole: Value, arguments: &str, length: DeltaLength) -> BlockDeltas {
    let kind = "input_json_delta";
    let first = json!({"type": kind, "partial_json": ""});
    let rest = text_deltas(kind, "partial_json", arguments, length);
    BlockDeltas {
        start: with(whole, "input", json!({})),
        deltas: [first].into_iter().chain(rest).collect(),
    }
}

/// Thinking comes in pieces and its signature whole; redacted thinking has neither.
fn split_reasoning(whole: Value, state: &ReasoningState, length: DeltaLength) -> BlockDeltas {
    let field = |key| state.value.get(key).and_then(Value::as_str).filter(|s| !s.is_empty());
    let (thinking, signature) = (field("thinking"), field("signature"));
    let mut start = whole;
    let mut deltas = Vec::new();
    if let Some(thinking) = thinking {
        start = with(start, "thinking", json!(""));
        deltas.extend(text_deltas("thinking_delta", "thinking", thinking, length));
    }
    if let Some(signature) = signature {
        start = with(start, "signature", json!(""));
        deltas.push(json!({"type": "signature_delta", "signature": signature}));
    }
    BlockDeltas { start, deltas }
}

fn with(block: Value, key: &str, value: Value) -> Value {
    let mut fields = match block {
        Value::Object(fields) => fields,
        _ => Object::new(),
    };
    fields.insert(key.to_owned(), value);
    Value::Object(fields)
}
