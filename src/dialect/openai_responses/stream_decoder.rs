//! Decoder of streamed replies: the events of one stream.
//!
//! Events find their item by a known `item_id`, else by `output_index`, else it is the latest one:
//! servers leave out either, and some change the id from event to event. Nothing is a call before
//! the end, and what had not been closed by then is a broken one.

use std::collections::HashMap;

use serde_json::Value;

use super::item::OutputItems;
use super::open_item::{OpenItem, TextSlot};
use super::reply;
use crate::dialect::{ApiError, StreamDecoder};
use crate::ir::{Defect, Defects, Reply, Stop, StopKind};
use crate::wire::Frame;

/// The events that carry text: the slot, the key of the text, and whether it is all of it.
const TEXTS: [(&str, TextSlot, &str, bool); 10] = [
    ("response.output_text.delta", TextSlot::Text, "delta", false),
    ("response.output_text.done", TextSlot::Text, "text", true),
    ("response.refusal.delta", TextSlot::Refusal, "delta", false),
    ("response.refusal.done", TextSlot::Refusal, "refusal", true),
    ("response.function_call_arguments.delta", TextSlot::Arguments, "delta", false),
    ("response.function_call_arguments.done", TextSlot::Arguments, "arguments", true),
    ("response.reasoning_summary_text.delta", TextSlot::Summary, "delta", false),
    ("response.reasoning_summary_text.done", TextSlot::Summary, "text", true),
    ("response.reasoning_text.delta", TextSlot::Reasoning, "delta", false),
    ("response.reasoning_text.done", TextSlot::Reasoning, "text", true),
];

/// Events that say nothing that others do not.
const SILENT: [&str; 7] = [
    "response.content_part.added",
    "response.content_part.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.output_text.annotation.added",
    "keepalive",
    "ping",
];

/// The decoder of one stream.
#[derive(Debug, Default)]
pub(super) struct ResponsesStream {
    items: Vec<OpenItem>,
    /// The latest item of each id, and of each index.
    by_id: HashMap<String, usize>,
    by_index: HashMap<u64, usize>,
    /// The latest response object.
    response: Value,
    /// The status that the terminal event stands for.
    ended: Option<&'static str>,
    error: Option<ApiError>,
    defects: Defects,
}

impl StreamDecoder for ResponsesStream {
    fn push(&mut self, frame: &Frame) {
        let (event, data) = match frame {
            Frame::Comment(_) => return self.defects.record(Defect::SseComment),
            Frame::Event { event, data } => (event.as_deref(), data.trim()),
        };
        if data == "[DONE]" {
            return;
        }
        match serde_json::from_str::<Value>(data) {
            Ok(payload) => self.payload(event, &payload),
            Err(_) => self.defects.record(Defect::FrameInvalid),
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, ApiError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.reply()),
        }
    }
}

impl ResponsesStream {
    fn payload(&mut self, event: Option<&str>, payload: &Value) {
        if self.ended.is_some() {
            return self.defects.record(Defect::EventsAfterEnd);
        }
        if let Some(error) = ApiError::in_payload(payload) {
            self.error.get_or_insert(error);
            return;
        }
        let kind = payload.get("type").and_then(Value::as_str).or(event).unwrap_or_default();
        if kind.starts_with("response.") && payload.get("sequence_number").is_none() {
            self.defects.record(Defect::SequenceMissing);
        }
        match kind {
            "response.created" => self.created(payload),
            "response.queued" | "response.in_progress" => self.take_response(payload),
            "response.completed" => self.end("completed", payload),
            "response.incomplete" => self.end("incomplete", payload),
            "response.output_item.added" => self.open(payload),
            "response.output_item.done" => self.close(payload),
            silent if SILENT.contains(&silent) => {}
            other => self.text(other, payload),
        }
    }

    fn created(&mut self, payload: &Value) {
        self.take_response(payload);
        if !self.response.get("output").is_some_and(Value::is_array) {
            self.defects.record(Defect::OutputMissing);
        }
    }

    fn take_response(&mut self, payload: &Value) {
        if let Some(response @ Value::Object(_)) = payload.get("response") {
            self.response = response.clone();
        }
    }

    fn end(&mut self, status: &'static str, payload: &Value) {
        self.take_response(payload);
        self.ended = Some(status);
    }

    fn open(&mut self, payload: &Value) {
        let index = self.index(payload);
        let Some(item @ Value::Object(_)) = payload.get("item") else {
            return self.defects.record(Defect::PartUnknown);
        };
        if index.is_some_and(|index| self.by_index.contains_key(&index)) {
            self.defects.record(Defect::IndexReused);
        }
        self.add(OpenItem::opened(index, item.clone()));
    }

    fn add(&mut self, item: OpenItem) {
        let position = self.items.len();
        if let Some(id) = item.id() {
            self.by_id.insert(id.to_owned(), position);
        }
        if let Some(index) = item.index {
            self.by_index.insert(index, position);
        }
        self.items.push(item);
    }

    fn close(&mut self, payload: &Value) {
        let index = self.index(payload);
        let Some(item @ Value::Object(_)) = payload.get("item") else {
            return self.defects.record(Defect::PartUnknown);
        };
        let id = item.get("id").and_then(Value::as_str);
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        let position = self.find(id, index).filter(|position| {
            let known = self.items.get(*position);
            known.is_some_and(|known| !known.is_closed() && known.kind() == kind)
        });
        self.update(position, index, |open| open.close(item.clone()));
    }

    fn text(&mut self, kind: &str, payload: &Value) {
        let Some((_, slot, key, whole)) = TEXTS.iter().find(|(known, ..)| *known == kind) else {
            return self.defects.record(Defect::EventUnknown);
        };
        let index = self.index(payload);
        let position = self.find(payload.get("item_id").and_then(Value::as_str), index);
        let place =
            ["content_index", "summary_index"].iter().find_map(|k| payload.get(*k)?.as_u64());
        let text = payload.get(*key).and_then(Value::as_str).unwrap_or_default();
        let place = place.unwrap_or(0);
        self.update(position, index, |item| {
            if *whole {
                item.settle(*slot, place, text);
            } else {
                item.append(*slot, place, text);
            }
        });
    }

    fn index(&mut self, payload: &Value) -> Option<u64> {
        let index = payload.get("output_index").and_then(Value::as_u64);
        if index.is_none() {
            self.defects.record(Defect::OutputIndexMissing);
        }
        index
    }

    /// The item an event is about, if it is known.
    fn find(&mut self, id: Option<&str>, index: Option<u64>) -> Option<usize> {
        let id = id.filter(|id| !id.is_empty());
        let by_id = id.and_then(|id| self.by_id.get(id).copied());
        if by_id.is_some() {
            return by_id;
        }
        let Some(index) = index else { return self.items.len().checked_sub(1) };
        let position = self.by_index.get(&index).copied()?;
        if id.is_some() && self.items.get(position).is_some_and(|item| item.id().is_some()) {
            self.defects.record(Defect::IdChanged);
        }
        Some(position)
    }

    /// Changes the item at this position, or a new one that no event had announced.
    fn update(
        &mut self,
        position: Option<usize>,
        index: Option<u64>,
        change: impl FnOnce(&mut OpenItem),
    ) {
        if let Some(item) = position.and_then(|position| self.items.get_mut(position)) {
            change(item);
        } else {
            let mut item = OpenItem::opened(index, Value::Null);
            change(&mut item);
            self.add(item);
        }
    }

    fn reply(mut self) -> Reply {
        let mut items =
            OutputItems { defects: std::mem::take(&mut self.defects), ..OutputItems::default() };
        self.read_items(&mut items);
        let stop = if let Some(event) = self.ended {
            let status = self.response.get("status").and_then(Value::as_str);
            reply::stop(&self.response, status.or(Some(event)), &mut items)
        } else {
            items.defects.record(Defect::Truncated);
            Stop::unlabelled(StopKind::Truncated)
        };
        reply::assemble(items, &self.response, stop)
    }

    /// Reads the items in their order, each as complete as the stream made it. One after the other, because a
    /// hostile stream has tens of thousands.
    fn read_items(&mut self, items: &mut OutputItems) {
        if self.items.iter().all(|item| item.index.is_some()) {
            self.items.sort_by_key(|item| item.index);
        }
        let output = self.response.get("output").and_then(Value::as_array);
        let output = output.filter(|_| self.ended.is_some()).map_or(&[][..], Vec::as_slice);
        if self.items.is_empty() {
            return output.iter().for_each(|value| items.read(value));
        }
        let mut repeated: HashMap<&str, &Value> = HashMap::new();
        for item in output {
            let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
            repeated.entry(id).or_insert(item);
        }
        for item in std::mem::take(&mut self.items) {
            let repeated = item.id().and_then(|id| repeated.get(id).copied());
            let value = settle(&item, self.ended, repeated, &mut items.defects);
            items.read(&value);
        }
    }
}

/// One item at the end of the stream; `repeated` is the same item where the terminal event repeats it.
fn settle(
    item: &OpenItem,
    ended: Option<&str>,
    repeated: Option<&Value>,
    defects: &mut Defects,
) -> Value {
    let finished = item.is_closed() || ended.is_some();
    if finished && item.lacks_arguments_done() {
        defects.record(Defect::ArgumentsDoneMissing);
    }
    if item.pieces_disagree() {
        defects.record(Defect::PiecesDisagree);
    }
    if item.is_closed() {
        return item.value();
    }
    if ended.is_some() {
        defects.record(Defect::BlockStopMissing);
    }
    match repeated {
        Some(repeated) => repeated.clone(),
        None if item.has_open_arguments() && ended != Some("completed") => item.cut_value(),
        None => item.value(),
    }
}
