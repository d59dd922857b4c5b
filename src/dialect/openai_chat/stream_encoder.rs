//! Encoder of streamed replies: the chunks that OpenAI sends.

use serde_json::{Value, json};

use super::{call, finish, reasoning, reply, usage};
use crate::dialect::{DeltaLength, Stamp};
use crate::ir::{CallId, Object, Part, ReasoningField, ReasoningState, Reply, StopKind};
use crate::wire::Frame;

/// Writes the role, the parts in their order, the finish label, the usage if it was asked for, and
/// the terminator. A truncated reply simply ends.
pub(super) fn encode(reply: &Reply, stamp: &Stamp, deltas: DeltaLength) -> Vec<Frame> {
    let mut stream = ChunkWriter::new(reply, stamp, deltas);
    let spoken = reply.parts.iter().any(|part| matches!(part, Part::Text(_)));
    let opening = if spoken { Value::from("") } else { Value::Null };
    stream.delta(&json!({"role": "assistant", "content": opening}));
    reply.parts.iter().for_each(|part| stream.part(part));
    if reply.stop.kind == StopKind::Truncated {
        return stream.frames;
    }
    if let Some(label) = finish::label(&reply.stop) {
        stream.choice(&json!({}), &label.into());
    }
    if let Some(usage) = usage::encode(&reply.usage).filter(|_| stamp.usage) {
        stream.chunk(json!([]), usage);
    }
    stream.frames.push(Frame::data("[DONE]"));
    stream.frames
}

struct ChunkWriter<'a> {
    head: Object,
    with_usage: bool,
    deltas: DeltaLength,
    frames: Vec<Frame>,
    calls: usize,
    /// The signature of the call that comes next.
    signature: Option<&'a Value>,
}

impl<'a> ChunkWriter<'a> {
    fn new(reply: &Reply, stamp: &Stamp, deltas: DeltaLength) -> Self {
        Self {
            head: reply::head(reply, stamp, "chat.completion.chunk"),
            with_usage: stamp.usage,
            deltas,
            frames: Vec::new(),
            calls: 0,
            signature: None,
        }
    }

    fn chunk(&mut self, choices: Value, usage: Value) {
        let mut chunk = self.head.clone();
        chunk.insert("choices".to_owned(), choices);
        if self.with_usage {
            chunk.insert("usage".to_owned(), usage);
        }
        self.frames.push(Frame::data(Value::Object(chunk).to_string()));
    }

    fn choice(&mut self, delta: &Value, finish_reason: &Value) {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null,
                            "finish_reason": finish_reason});
        self.chunk(json!([choice]), Value::Null);
    }

    fn delta(&mut self, delta: &Value) {
        self.choice(delta, &Value::Null);
    }

    fn part(&mut self, part: &'a Part) {
        match part {
            Part::Text(text) => self.text("content", text),
            Part::Reasoning(state) => self.reasoning(state),
            Part::Call(call) => self.call(&call.id, &call.name, &call::arguments_text(call)),
            Part::BrokenCall(call) => self.call(&call.id, &call.name, &call.arguments),
            Part::Result(_) => {}
        }
    }

    fn text(&mut self, key: &str, text: &str) {
        for piece in self.deltas.cut(text) {
            self.delta(&json!({ key: piece }));
        }
    }

    fn reasoning(&mut self, state: &'a ReasoningState) {
        match (state.field, &state.value) {
            (ReasoningField::ExtraContentSignature, signature) => self.signature = Some(signature),
            (ReasoningField::ThinkingChunk, chunk) => self.delta(&json!({"content": [chunk]})),
            (field, Value::String(text)) if !text.is_empty() => {
                if let Some(key) = reasoning::key(field) {
                    self.text(key, text);
                }
            }
            (field, Value::Array(items)) => {
                let Some(key) = reasoning::key(field) else { return };
                for item in items {
                    self.delta(&json!({ key: [item] }));
                }
            }
            (field, value) => {
                if let Some(key) = reasoning::key(field) {
                    self.delta(&json!({ key: value }));
                }
            }
        }
    }

    fn call(&mut self, id: &CallId, name: &str, arguments: &str) {
        let index = self.calls;
        self.calls += 1;
        let mut head = Object::from_iter([("index".to_owned(), Value::from(index))]);
        if let Value::Object(call) = call::encode(id, name, "", self.signature.take()) {
            head.extend(call);
        }
        self.delta(&json!({"tool_calls": [head]}));
        for piece in self.deltas.cut(arguments) {
            let tail = json!({"index": index, "function": {"arguments": piece}});
            self.delta(&json!({"tool_calls": [tail]}));
        }
    }
}
