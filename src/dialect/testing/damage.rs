//! Does a decoder stand when one value is not what it should be, or the stream ends early?

use std::num::NonZeroUsize;

use serde_json::{Value, json};

use super::laws::{frames_to_reply, stamp};
use crate::dialect::{DeltaLength, Dialect, Route};
use crate::ir::{Reply, Request, StopKind, ToolCall};
use crate::wire::Frame;

/// A stream that ends early is not a finished reply, and never shows a call that was not made.
pub(super) fn cut_streams_are_truncated(dialect: &dyn Dialect, reply: &Reply) {
    let deltas = DeltaLength(NonZeroUsize::new(3).unwrap());
    let frames = dialect.encode_stream(reply, &stamp(), deltas);
    for length in 0..frames.len() {
        let cut = frames_to_reply(dialect, &frames[..length])
            .unwrap_or_else(|error| panic!("{error} in the first {length} of {frames:#?}"));
        let finished = cut.stop == reply.stop;
        assert!(
            finished || cut.stop.kind == StopKind::Truncated,
            "{:?} after the first {length} of {frames:#?}",
            cut.stop
        );
        let made: Vec<_> = reply.calls().map(said).collect();
        for call in cut.calls() {
            assert!(made.contains(&said(call)), "{call:?} in the first {length} of {frames:#?}");
        }
    }
}

fn said(call: &ToolCall) -> (&str, &Value) {
    (&call.name, &call.input)
}

/// Whatever stands in the place of a value of the body, the request is read or refused.
pub(super) fn no_request_panics(dialect: &dyn Dialect, request: &Request) {
    for body in damaged(&dialect.encode_request(request)) {
        dialect.decode_request(&body, &Route::default()).ok();
    }
}

/// Whatever stands in the place of a value of the body or of a payload, the decoders stand.
pub(super) fn no_reply_panics(dialect: &dyn Dialect, reply: &Reply) {
    for body in damaged(&dialect.encode_reply(reply, &stamp())) {
        dialect.decode_reply(&body).ok();
    }
    let deltas = DeltaLength(NonZeroUsize::new(1000).unwrap());
    let frames = dialect.encode_stream(reply, &stamp(), deltas);
    for (place, frame) in frames.iter().enumerate() {
        for other in damaged_frames(frame) {
            let mut decoder = dialect.stream_decoder();
            for frame in frames[..place].iter().chain([&other]) {
                decoder.push(frame);
            }
            decoder.finish().ok();
        }
    }
}

fn damaged_frames(frame: &Frame) -> Vec<Frame> {
    let Frame::Event { event, data } = frame else { return Vec::new() };
    let Ok(payload) = serde_json::from_str(data) else { return Vec::new() };
    let others = damaged(&payload).into_iter();
    others.map(|p| Frame::Event { event: event.clone(), data: p.to_string() }).collect()
}

/// The value with each of its parts replaced by something else, one at a time.
fn damaged(value: &Value) -> Vec<Value> {
    let strangers = [json!(null), json!(-7), json!("x"), json!([[]])];
    let mut all = Vec::new();
    for path in paths(value) {
        for stranger in &strangers {
            let mut other = value.clone();
            if let Some(place) = other.pointer_mut(&path) {
                *place = stranger.clone();
            }
            all.push(other);
        }
    }
    all
}

/// The pointers to a value and to all of its parts.
fn paths(value: &Value) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, v)| (key.replace('~', "~0"), v)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(n, v)| (n.to_string(), v)).collect(),
        _ => Vec::new(),
    };
    let below = inner
        .into_iter()
        .flat_map(|(step, part)| paths(part).into_iter().map(move |path| format!("/{step}{path}")));
    std::iter::once(String::new()).chain(below).collect()
}
