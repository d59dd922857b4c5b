//! Decoder of streamed replies: the events of one stream.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::{ApiError, StreamDecoder, call_id};
use super::open_block::OpenBlock;
use super::{stop, usage};
use crate::ir::{Defect, Defects, Object, Part, Reply, Stop, StopKind};
use crate::wire::Frame;

/// The state of one stream.
#[derive(Default)]
pub(super) struct AnthropicStream {
    message: Object,
    usage: Object,
    blocks: Vec<OpenBlock>,
    /// Where the latest block with an index stands in `blocks`.
    places: HashMap<u64, usize>,
    /// Where calls stand in `blocks`, but for those that were found to be closed.
    calls: Vec<usize>,
    stop_reason: Option<Value>,
    ended: bool,
    error: Option<ApiError>,
    defects: Defects,
}

impl StreamDecoder for AnthropicStream {
    fn push(&mut self, frame: &Frame) {
        match frame {
            Frame::Comment(_) => self.defects.record(Defect::SseComment),
            Frame::Event { event, data } => match serde_json::from_str(data) {
                Ok(payload) => self.take(event.as_deref(), &payload),
                Err(_) if self.ended => self.defects.record(Defect::EventsAfterEnd),
                Err(_) => self.defects.record(Defect::FrameInvalid),
            },
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Reply, ApiError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let stop = self.stop();
        let mut parts = self.close_blocks(stop.kind);
        stop::reconcile(&mut parts, stop.kind, &mut self.defects);
        let text = |key| self.message.get(key).and_then(Value::as_str).map(str::to_owned);
        Ok(Reply {
            id: text("id"),
            usage: usage::decode(&self.usage),
            model_echo: text("model"),
            defects: self.defects,
            ..Reply::new(parts, stop)
        })
    }
}

impl AnthropicStream {
    /// The payload's `type` says what it is; the event name only where there is none.
    fn take(&mut self, event: Option<&str>, payload: &Value) {
        let kind = payload.get("type").and_then(Value::as_str).or(event).unwrap_or_default();
        if self.error.is_some() || kind == "ping" {
            return;
        }
        if event.is_none() {
            self.defects.record(Defect::EventNameMissing);
        }
        if self.ended {
            self.defects.record(Defect::EventsAfterEnd);
            return;
        }
        match kind {
            "message_start" => self.begin(payload),
            "content_block_start" => self.open_block(payload),
            "content_block_delta" => self.extend_block(payload),
            "content_block_stop" => self.close_block(payload),
            "message_delta" => self.note_ending(payload),
            "message_stop" => self.ended = true,
            "error" => self.error = Some(error_event(payload)),
            _ => match ApiError::in_payload(payload) {
                Some(error) => self.error = Some(error),
                None => self.defects.record(Defect::EventUnknown),
            },
        }
    }

    fn begin(&mut self, payload: &Value) {
        let Some(message) = payload.get("message").and_then(Value::as_object) else {
            return self.defects.record(Defect::DeltaMissing);
        };
        self.message.clone_from(message);
        self.count(message.get("usage"));
    }

    fn note_ending(&mut self, payload: &Value) {
        if let Some(reason) = payload.get("delta").and_then(|delta| delta.get("stop_reason")) {
            self.stop_reason = Some(reason.clone());
        }
        self.count(payload.get("usage"));
    }

    /// Counts are cumulative: a later one replaces an earlier one.
    fn count(&mut self, usage: Option<&Value>) {
        let counts = usage.and_then(Value::as_object).into_iter().flatten();
        let known = counts.filter(|(_, count)| !count.is_null());
        self.usage.extend(known.map(|(key, count)| (key.clone(), count.clone())));
    }

    fn open_block(&mut self, payload: &Value) {
        let Some(start) = payload.get("content_block").and_then(Value::as_object) else {
            return self.defects.record(Defect::PartUnknown);
        };
        let index = self.index(payload);
        if index.is_some_and(|index| self.places.insert(index, self.blocks.len()).is_some()) {
            self.defects.record(Defect::IndexReused);
        }
        let block = OpenBlock::new(start.clone(), &mut self.defects);
        if block.is_open_call() {
            self.calls.push(self.blocks.len());
        }
        self.blocks.push(block);
    }

    /// The latest call whose end event did not come.
    fn open_call(&mut self) -> Option<usize> {
        while let Some(place) = self.calls.last().copied() {
            if self.blocks.get(place).is_some_and(OpenBlock::is_open_call) {
                return Some(place);
            }
            self.calls.pop();
        }
        None
    }

    fn extend_block(&mut self, payload: &Value) {
        let Some(delta) = payload.get("delta").and_then(Value::as_object) else {
            return self.defects.record(Defect::DeltaMissing);
        };
        let place = match self.index(payload) {
            None => self.blocks.len().checked_sub(1),
            Some(index) => self.places.get(&index).copied().or_else(|| self.adopt(index, delta)),
        };
        match place.and_then(|place| self.blocks.get_mut(place)) {
            Some(block) => block.extend(delta, &mut self.defects),
            None => self.defects.record(Defect::BlockStartMissing),
        }
    }

    /// A place for a delta whose index no block has: arguments belong to the call that is still
    /// open, and text begins a block of its own.
    fn adopt(&mut self, index: u64, delta: &Object) -> Option<usize> {
        let start = match delta.get("type").and_then(Value::as_str) {
            Some("text_delta") => json!({"type": "text", "text": ""}),
            Some("thinking_delta") => json!({"type": "thinking", "thinking": ""}),
            Some("input_json_delta") => {
                let place = self.open_call()?;
                self.defects.record(Defect::IndexSplit);
                return Some(place);
            }
            _ => return None,
        };
        self.defects.record(Defect::BlockStartMissing);
        let place = self.blocks.len();
        self.places.insert(index, place);
        let Value::Object(start) = start else { return None };
        self.blocks.push(OpenBlock::new(start, &mut self.defects));
        Some(place)
    }

    fn close_block(&mut self, payload: &Value) {
        let place = match self.index(payload) {
            None => self.blocks.len().checked_sub(1),
            Some(index) => self.places.get(&index).copied(),
        };
        match place.and_then(|place| self.blocks.get_mut(place)) {
            Some(block) => block.close(),
            None => self.defects.record(Defect::BlockStartMissing),
        }
    }

    fn index(&mut self, payload: &Value) -> Option<u64> {
        let index = payload.get("index").and_then(Value::as_u64);
        if index.is_none() {
            self.defects.record(Defect::IndexMissing);
        }
        index
    }

    /// A reason without the last event is an ending; the last event without a reason is too.
    fn stop(&mut self) -> Stop {
        let reasoned =
            self.stop_reason.as_ref().and_then(Value::as_str).is_some_and(|r| !r.is_empty());
        if !self.ended && !reasoned {
            self.defects.record(Defect::Truncated);
            return Stop::unlabelled(StopKind::Truncated);
        }
        if !self.ended {
            self.defects.record(Defect::TerminatorMissing);
        }
        stop::decode(self.stop_reason.as_ref(), &mut self.defects)
    }

    fn close_blocks(&mut self, stop: StopKind) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut calls = 0;
        for block in std::mem::take(&mut self.blocks) {
            let part = block.into_part(stop, calls, &mut self.defects);
            calls += usize::from(part.as_ref().and_then(call_id::of).is_some());
            parts.extend(part);
        }
        parts
    }
}

/// The error in an `error` event. One router puts the provider's error under `message`.
fn error_event(payload: &Value) -> ApiError {
    let body = payload.to_string();
    let routed = payload.get("message").filter(|inner| inner.is_object());
    let error = match routed {
        Some(inner) if inner.get("error").is_none() => {
            ApiError::in_payload(&json!({"type": "error", "error": inner}))
        }
        _ => ApiError::in_payload(payload),
    };
    match error {
        Some(error) => ApiError { body, ..error },
        None => ApiError::from_response(200, Vec::new(), &body),
    }
}
