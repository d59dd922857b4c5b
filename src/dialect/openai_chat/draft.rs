//! A reply of a chat endpoint while it arrives, whole or in deltas.
//!
//! Both ways of delivery fill the same draft, so that a stream gives what the whole body would.

use std::collections::HashMap;

use serde_json::Value;

use super::call::{CallEnd, RawCall};
use super::{finish, reasoning};
use crate::dialect::{Arrival, call_id};
use crate::ir::{
    Defect, Defects, Part, ReasoningField, ReasoningState, Reply, Stop, StopKind, Usage,
};

/// Whether the endpoint said that the reply is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyEnd {
    Finished,
    Truncated,
}

/// A reply in the making.
#[derive(Debug, Default)]
pub(super) struct ReplyDraft {
    pieces: Vec<(u64, DraftPart)>,
    /// The place of each choice's last piece, and of its first reasoning of each kind.
    last: HashMap<u64, usize>,
    reasoning: HashMap<(u64, ReasoningField), usize>,
    pub(super) calls: Vec<RawCall>,
    pub(super) defects: Defects,
    pub(super) usage: Usage,
    id: Option<String>,
    model: Option<String>,
    fingerprint: Option<String>,
    label: Option<String>,
    refused: bool,
}

#[derive(Debug)]
enum DraftPart {
    Text(String),
    Reasoning(ReasoningState),
    /// A place in [`ReplyDraft::calls`].
    Call(usize),
}

impl ReplyDraft {
    /// Takes what bodies and chunks have in common; the first that says something counts.
    pub(super) fn take_head(&mut self, body: &Value) {
        let text = |key: &str| {
            body.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        self.id = self.id.take().or_else(|| text("id"));
        self.model = self.model.take().or_else(|| text("model"));
        self.fingerprint = self.fingerprint.take().or_else(|| text("system_fingerprint"));
    }

    /// Takes a finish label. Of several the one that announces calls counts, else the last.
    pub(super) fn take_label(&mut self, label: &str) {
        let before = self.label.as_deref().map(finish::kind);
        if label.is_empty() && self.label.is_some() || before == Some(StopKind::ToolUse) {
            return;
        }
        self.label = Some(label.to_owned());
    }

    /// Whether a label came that says something.
    pub(super) fn is_labelled(&self) -> bool {
        self.label.as_deref().is_some_and(|label| !label.is_empty())
    }

    /// Takes the reasoning and the text of a message or delta; calls are the caller's.
    pub(super) fn take_message(&mut self, choice: u64, message: &Value, arrival: Arrival) {
        for (key, field) in reasoning::FIELDS {
            if let Some(value) = message.get(key).filter(|value| reasoning::holds_state(value)) {
                self.take_reasoning(choice, field, value);
            }
        }
        match message.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::Array(chunks)) => {
                for chunk in chunks {
                    self.take_chunk(choice, chunk, arrival);
                }
            }
            Some(chunk) => self.take_chunk(choice, chunk, arrival),
        }
        if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
            self.refused |= !refusal.is_empty();
            self.take_text(choice, refusal);
        }
    }

    /// Adds a call, or the place where a streamed one began.
    pub(super) fn place_call(&mut self, choice: u64, number: usize) {
        self.place(choice, DraftPart::Call(number));
    }

    fn place(&mut self, choice: u64, piece: DraftPart) {
        let place = self.pieces.len();
        self.last.insert(choice, place);
        if let DraftPart::Reasoning(state) = &piece {
            self.reasoning.entry((choice, state.field)).or_insert(place);
        }
        self.pieces.push((choice, piece));
    }

    /// Adds a call that is complete.
    pub(super) fn take_call(&mut self, choice: u64, call: RawCall) {
        self.place_call(choice, self.calls.len());
        self.calls.push(call);
    }

    fn take_text(&mut self, choice: u64, text: &str) {
        match self.last_of(choice) {
            _ if text.is_empty() => {}
            Some(DraftPart::Text(before)) => before.push_str(text),
            _ => self.place(choice, DraftPart::Text(text.to_owned())),
        }
    }

    fn take_reasoning(&mut self, choice: u64, field: ReasoningField, value: &Value) {
        let place = self.reasoning.get(&(choice, field)).copied();
        match place.and_then(|place| self.pieces.get_mut(place)) {
            Some((_, DraftPart::Reasoning(state))) => {
                reasoning::join(state, value, &mut self.defects);
            }
            _ => self.place_reasoning(choice, field, value),
        }
    }

    fn place_reasoning(&mut self, choice: u64, field: ReasoningField, value: &Value) {
        let state = ReasoningState::new(field, value.clone());
        self.place(choice, DraftPart::Reasoning(state));
    }

    /// Takes a chunk of a content list; plain content is a list of one.
    fn take_chunk(&mut self, choice: u64, chunk: &Value, arrival: Arrival) {
        let kind = chunk.get("type").and_then(Value::as_str);
        let text = chunk.as_str().or_else(|| chunk.get("text")?.as_str());
        match (kind, text) {
            (None | Some("text" | "output_text"), Some(text)) => self.take_text(choice, text),
            (Some("thinking"), _) => self.take_thinking(choice, chunk, arrival),
            _ => self.defects.record(Defect::PartUnknown),
        }
    }

    fn take_thinking(&mut self, choice: u64, chunk: &Value, arrival: Arrival) {
        match self.last_of(choice) {
            Some(DraftPart::Reasoning(state))
                if arrival == Arrival::Streamed && state.field == ReasoningField::ThinkingChunk =>
            {
                reasoning::join_chunk(state, chunk);
            }
            _ => self.place_reasoning(choice, ReasoningField::ThinkingChunk, chunk),
        }
    }

    fn last_of(&mut self, choice: u64) -> Option<&mut DraftPart> {
        let place = self.last.get(&choice).copied()?;
        self.pieces.get_mut(place).map(|(_, piece)| piece)
    }

    /// The reply, now that nothing more can come.
    pub(super) fn finish(mut self, ending: ReplyEnd) -> Reply {
        let label = self.label.take();
        let cut = ending == ReplyEnd::Truncated
            || label.as_deref().map(finish::kind) == Some(StopKind::MaxTokens);
        let rest = if cut { CallEnd::Cut } else { CallEnd::Complete };
        let parts = self.take_parts(rest, 0);
        let stop = match ending {
            ReplyEnd::Truncated => {
                self.defects.record(Defect::Truncated);
                Stop { kind: StopKind::Truncated, label }
            }
            ReplyEnd::Finished => {
                let stop = finish::stop(label, has_call(&parts), &mut self.defects);
                if self.refused { Stop { kind: StopKind::Refusal, ..stop } } else { stop }
            }
        };
        Reply {
            id: self.id,
            parts,
            stop,
            usage: self.usage,
            model_echo: self.model,
            fingerprint: self.fingerprint,
            defects: self.defects,
        }
    }

    /// The parts in the order they stood, choice by choice. Calls without an id are numbered from
    /// `unnamed` on; only the last call can have been cut off.
    pub(super) fn take_parts(&mut self, rest: CallEnd, unnamed: usize) -> Vec<Part> {
        let mut pieces = std::mem::take(&mut self.pieces);
        self.last.clear();
        self.reasoning.clear();
        pieces.sort_by_key(|(choice, _)| *choice);
        let mut calls: Vec<Option<RawCall>> = self.calls.drain(..).map(Some).collect();
        let last = calls.len().saturating_sub(1);
        let mut parts = Vec::new();
        let mut ordinal = unnamed;
        for (_, piece) in pieces {
            match piece {
                DraftPart::Text(text) => parts.push(Part::Text(text)),
                DraftPart::Reasoning(state) => parts.push(Part::Reasoning(state)),
                DraftPart::Call(number) => {
                    let Some(call) = calls.get_mut(number).and_then(Option::take) else { continue };
                    let rest = if number == last { rest } else { CallEnd::Complete };
                    let made = call.into_parts(ordinal, rest, &mut self.defects);
                    ordinal += usize::from(has_call(&made));
                    parts.extend(made);
                }
            }
        }
        call_id::note_duplicates(&parts, &mut self.defects);
        parts
    }
}

fn has_call(parts: &[Part]) -> bool {
    parts.iter().any(|part| call_id::of(part).is_some())
}
