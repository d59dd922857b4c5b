//! Encoder of streamed replies: the chunks that Google sends.

use serde_json::{Value, json};

use super::super::DeltaLength;
use super::{part, reply, stop, usage};
use crate::ir::{Reply, StopKind};
use crate::wire::Frame;

/// The chunks of a reply: text in deltas, calls whole, then an empty text with the ending.
///
/// A truncated reply simply stops.
pub(super) fn encode(reply: &Reply, deltas: DeltaLength) -> Vec<Frame> {
    let so_far = usage::encode_input(&reply.usage);
    let parts = part::encode_reply(&reply.parts);
    let chunks = parts
        .iter()
        .flat_map(|part| cut(part, deltas))
        .map(|part| reply::response(reply, &[part], None, &so_far));
    let ending = (reply.stop.kind != StopKind::Truncated).then(|| {
        let usage = usage::encode(&reply.usage);
        reply::response(reply, &[json!({"text": ""})], stop::encode(&reply.stop), &usage)
    });
    chunks.chain(ending).map(|chunk| Frame::data(chunk.to_string())).collect()
}

/// A text or thought in pieces; what is signed stays whole, because the signature is of the whole.
fn cut(part: &Value, deltas: DeltaLength) -> Vec<Value> {
    let text = part.get("text").and_then(Value::as_str);
    match (text, part.get("thoughtSignature")) {
        (Some(text), None) => deltas.cut(text).map(|piece| with_text(part, piece)).collect(),
        _ => vec![part.clone()],
    }
}

fn with_text(part: &Value, text: &str) -> Value {
    let mut part = part.clone();
    if let Value::Object(fields) = &mut part {
        fields.insert("text".to_owned(), json!(text));
    }
    part
}
