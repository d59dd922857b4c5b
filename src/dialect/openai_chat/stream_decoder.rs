//! Decoder of streamed replies: the chunks of one stream.

use std::collections::BTreeSet;

use serde_json::Value;

use super::call_tracker::CallTracker;
use super::draft::{ReplyDraft, ReplyEnd};
use super::{reply, usage};
use crate::dialect::{ApiError, Arrival, StreamDecoder};
use crate::ir::{Defect, Reply};
use crate::wire::Frame;

/// The event that closes a stream.
const DONE: &str = "[DONE]";

/// A chat stream as far as it has come.
#[derive(Debug, Default)]
pub(super) struct ChatStream {
    draft: ReplyDraft,
    calls: CallTracker,
    error: Option<ApiError>,
    first_choice: Option<u64>,
    finished: BTreeSet<u64>,
    done: bool,
}

impl StreamDecoder for ChatStream {
    fn push(&mut self, frame: &Frame) {
        match frame {
            Frame::Comment(_) => self.record(Defect::SseComment),
            Frame::Event { .. } if self.done => self.record(Defect::EventsAfterEnd),
            Frame::Event { data, .. } if data.trim() == DONE => self.done = true,
            Frame::Event { data, .. } => self.take_data(data),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Reply, ApiError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let labelled = self.draft.is_labelled();
        if labelled && !self.done {
            self.draft.defects.record(Defect::TerminatorMissing);
        }
        let ending = if labelled || self.done { ReplyEnd::Finished } else { ReplyEnd::Truncated };
        self.draft.calls = self.calls.finish(&mut self.draft.defects);
        Ok(self.draft.finish(ending))
    }
}

impl ChatStream {
    fn record(&mut self, defect: Defect) {
        self.draft.defects.record(defect);
    }

    fn take_data(&mut self, data: &str) {
        let Ok(payload) = serde_json::from_str(data) else {
            self.record(Defect::FrameInvalid);
            return;
        };
        self.take(&payload);
    }

    fn take(&mut self, payload: &Value) {
        let choices = payload.get("choices").and_then(Value::as_array);
        let in_choice = || choices.into_iter().flatten().find_map(reply::choice_error);
        match ApiError::in_payload(payload).or_else(in_choice) {
            Some(error) => {
                self.error.get_or_insert(error);
            }
            None => self.take_chunk(payload, choices),
        }
    }

    fn take_chunk(&mut self, chunk: &Value, choices: Option<&Vec<Value>>) {
        self.draft.take_head(chunk);
        let counts = reply::counts(chunk);
        if let Some(counts) = counts {
            self.draft.usage = usage::decode(counts, &mut self.draft.defects);
        }
        let Some(choices) = choices else {
            if counts.is_none() {
                self.record(Defect::EventUnknown);
            }
            return;
        };
        if choices.is_empty() && counts.is_none() {
            self.record(Defect::ChoicesEmpty);
        }
        for choice in choices {
            self.take_choice(choice);
            if counts.is_some() && label(choice).is_some() {
                self.record(Defect::UsageInFinishChunk);
            }
        }
    }

    fn take_choice(&mut self, choice: &Value) {
        let number = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        if *self.first_choice.get_or_insert(number) != number {
            self.record(Defect::ChoicesSplit);
        }
        if choice.get("delta").is_none() {
            self.record(Defect::DeltaMissing);
        }
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.take_delta(number, delta, label(choice).is_some());
        }
        match choice.get("finish_reason") {
            None => self.record(Defect::FinishKeyMissing),
            Some(Value::String(label)) => {
                self.draft.take_label(label);
                if !label.is_empty() {
                    self.finished.insert(number);
                }
            }
            Some(_) => {}
        }
    }

    fn take_delta(&mut self, choice: u64, delta: &Value, is_last: bool) {
        if self.finished.contains(&choice) && says_something(delta) {
            self.record(Defect::EventsAfterEnd);
        }
        self.draft.take_message(choice, delta, Arrival::Streamed);
        let entries = delta.get("tool_calls").and_then(Value::as_array);
        for entry in entries.into_iter().flatten() {
            let opened = self.calls.push(choice, entry, &mut self.draft.defects);
            self.place(choice, opened, is_last);
        }
        let Some(function_call) = delta.get("function_call").filter(|call| call.is_object()) else {
            return;
        };
        self.record(Defect::LegacyFunctionCall);
        // Beside `tool_calls` it only mirrors them.
        if entries.is_none_or(Vec::is_empty) {
            let opened = self.calls.push_legacy(choice, function_call, &mut self.draft.defects);
            self.place(choice, opened, is_last);
        }
    }

    fn place(&mut self, choice: u64, opened: Option<usize>, is_last: bool) {
        let Some(number) = opened else { return };
        self.draft.place_call(choice, number);
        if is_last {
            self.record(Defect::CallWithFinish);
        }
    }
}

fn label(choice: &Value) -> Option<&str> {
    choice.get("finish_reason").and_then(Value::as_str).filter(|label| !label.is_empty())
}

fn says_something(delta: &Value) -> bool {
    ["content", "tool_calls"].iter().filter_map(|key| delta.get(key)).any(|value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(entries) => !entries.is_empty(),
        _ => false,
    })
}
