//! Encoder of streamed replies: the events that OpenAI sends.

use serde_json::{Value, json};

use super::reply;
use crate::dialect::{DeltaLength, Stamp};
use crate::ir::{Object, Reply, StopKind};
use crate::wire::Frame;

/// Writes the whole life of a response. A truncated reply simply ends.
pub(super) fn encode(reply: &Reply, stamp: &Stamp, deltas: DeltaLength) -> Vec<Frame> {
    let response = reply::encode(reply, stamp);
    let mut events = EventWriter { frames: Vec::new(), deltas };
    let opening = reply::skeleton(reply, stamp, "in_progress");
    events.emit("response.created", json!({"response": opening}));
    events.emit("response.in_progress", json!({"response": opening}));
    let output = response.get("output").and_then(Value::as_array);
    for (index, item) in output.into_iter().flatten().enumerate() {
        events.item(index, item);
    }
    if reply.stop.kind != StopKind::Truncated {
        let status = response.get("status").and_then(Value::as_str);
        let name = if status == Some("incomplete") { "incomplete" } else { "completed" };
        events.emit(&format!("response.{name}"), json!({"response": response}));
    }
    events.frames
}

struct EventWriter {
    frames: Vec<Frame>,
    deltas: DeltaLength,
}

/// Where the events of one text belong: the item, and the text's place in it.
struct TextPlace<'a> {
    output_index: usize,
    item_id: &'a Value,
    /// `content_index` or `summary_index`, and its value; arguments have none.
    part: Option<(&'static str, usize)>,
}

impl TextPlace<'_> {
    fn fields(&self) -> Object {
        let mut fields = Object::new();
        fields.insert("item_id".to_owned(), self.item_id.clone());
        fields.insert("output_index".to_owned(), json!(self.output_index));
        if let Some((key, index)) = self.part {
            fields.insert(key.to_owned(), json!(index));
        }
        fields
    }

    fn with(&self, more: Value) -> Value {
        let mut fields = self.fields();
        if let Value::Object(more) = more {
            fields.extend(more);
        }
        Value::Object(fields)
    }
}

impl EventWriter {
    fn emit(&mut self, kind: &str, fields: Value) {
        let mut payload = Object::new();
        payload.insert("type".to_owned(), json!(kind));
        payload.insert("sequence_number".to_owned(), json!(self.frames.len()));
        if let Value::Object(fields) = fields {
            payload.extend(fields);
        }
        self.frames.push(Frame::named(kind, Value::Object(payload).to_string()));
    }

    fn item(&mut self, output_index: usize, item: &Value) {
        let added = json!({"output_index": output_index, "item": head(item)});
        self.emit("response.output_item.added", added);
        let item_id = item.get("id").unwrap_or(&Value::Null);
        let at = |part| TextPlace { output_index, item_id, part };
        match item.get("type").and_then(Value::as_str) {
            Some("message") => {
                for (n, part) in list(item, "content").iter().enumerate() {
                    self.content(&at(Some(("content_index", n))), part);
                }
            }
            Some("function_call") => self.arguments(&at(None), item),
            Some("reasoning") => {
                for (n, part) in list(item, "summary").iter().enumerate() {
                    self.summary(&at(Some(("summary_index", n))), part);
                }
                for (n, part) in list(item, "content").iter().enumerate() {
                    self.content(&at(Some(("content_index", n))), part);
                }
            }
            _ => {}
        }
        self.emit("response.output_item.done", json!({"output_index": output_index, "item": item}));
    }

    fn content(&mut self, place: &TextPlace, part: &Value) {
        let (name, key) = match part.get("type").and_then(Value::as_str) {
            Some("refusal") => ("response.refusal", "refusal"),
            Some("reasoning_text") => ("response.reasoning_text", "text"),
            _ => ("response.output_text", "text"),
        };
        let empty = without_text(part, key);
        self.emit("response.content_part.added", place.with(json!({"part": empty})));
        self.text(name, key, place, text(part, key));
        self.emit("response.content_part.done", place.with(json!({"part": part})));
    }

    fn summary(&mut self, place: &TextPlace, part: &Value) {
        let empty = without_text(part, "text");
        self.emit("response.reasoning_summary_part.added", place.with(json!({"part": empty})));
        self.text("response.reasoning_summary_text", "text", place, text(part, "text"));
        self.emit("response.reasoning_summary_part.done", place.with(json!({"part": part})));
    }

    fn arguments(&mut self, place: &TextPlace, item: &Value) {
        const NAME: &str = "response.function_call_arguments";
        let arguments = text(item, "arguments");
        for piece in self.deltas.cut(arguments) {
            self.emit(&format!("{NAME}.delta"), place.with(json!({"delta": piece})));
        }
        let done = json!({"arguments": arguments, "name": item.get("name")});
        self.emit(&format!("{NAME}.done"), place.with(done));
    }

    fn text(&mut self, name: &str, key: &str, place: &TextPlace, text: &str) {
        let logprobs = (name == "response.output_text").then(|| ("logprobs".to_owned(), json!([])));
        let event = |key: &str, text: &str| {
            let fields = [(key.to_owned(), json!(text))];
            place.with(Value::Object(fields.into_iter().chain(logprobs.clone()).collect()))
        };
        for piece in self.deltas.cut(text) {
            self.emit(&format!("{name}.delta"), event("delta", piece));
        }
        self.emit(&format!("{name}.done"), event(key, text));
    }
}

/// An item as it is announced: what arrives in deltas is still empty, what is encrypted unknown.
fn head(item: &Value) -> Value {
    let mut head = item.clone();
    let Value::Object(fields) = &mut head else { return head };
    fields.shift_remove("encrypted_content");
    for (key, empty) in [
        ("content", json!([])),
        ("summary", json!([])),
        ("arguments", json!("")),
        ("status", json!("in_progress")),
    ] {
        if let Some(value) = fields.get_mut(key) {
            *value = empty;
        }
    }
    head
}

fn without_text(part: &Value, key: &str) -> Value {
    let mut part = part.clone();
    if let Some(text) = part.get_mut(key) {
        *text = json!("");
    }
    part
}

fn list<'a>(item: &'a Value, key: &str) -> &'a [Value] {
    item.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
