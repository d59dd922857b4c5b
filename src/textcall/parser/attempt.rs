//! Attempts: trying the formats that a marker may open on the text behind it.

use std::slice::Iter;

use serde_json::Value;

use super::prose::{LastSeen, ProseState};
use super::{HeldCalls, OpenReasoning, Parser};
use crate::textcall::format::Anchor;
use crate::textcall::grammar::{CallReader, MessageKind, ReadStep};
use crate::textcall::markers::{Candidate, Marker};
use crate::textcall::parsed::{Event, Problem, ProblemCode, TextCall, TextPart};
use crate::textcall::payload::{CallDraft, Refusal};
use crate::textcall::reasoning;
use crate::textcall::steps::charge;
use crate::textcall::view::ReadStop;

/// How many times the same bytes may be read as a value by the same candidate and refused.
const MAX_REFUSALS: usize = 8;

/// A marker, and the reader that is at work behind it.
pub(super) struct Attempt {
    marker: &'static Marker,
    /// Where the readers start.
    payload: usize,
    candidate: &'static Candidate,
    untried: Iter<'static, Candidate>,
    pub(super) reader: Box<CallReader>,
    found: bool,
}

/// A value that a reader read to its end and then refused.
pub(super) struct Refused {
    candidate: &'static Candidate,
    end: usize,
}

impl Parser<'_> {
    /// Tries the next candidate that counts here; `payload` is where the marker ends.
    pub(super) fn try_next(
        &mut self,
        marker: &'static Marker,
        payload: usize,
        mut untried: Iter<'static, Candidate>,
    ) -> bool {
        let anchored = self.thinking.is_none() && self.prose.line == self.at;
        let only = self.options.only.map(|only| only.id);
        self.refused.retain(|refused| refused.end > self.at);
        charge(1 + self.refused.len());
        let next = untried.find(|candidate| {
            let refusals = self.refused.iter().filter(|it| std::ptr::eq(it.candidate, *candidate));
            refusals.count() < MAX_REFUSALS
                && (anchored || candidate.format.anchor == Anchor::Anywhere)
                && only.is_none_or(|only| candidate.formats.iter().any(|format| format.id == only))
        });
        let Some(candidate) = next else { return self.give_up(marker) };
        let reader = Box::new(CallReader::new(candidate.grammar.rules(), marker.text, payload));
        self.attempt = Some(Attempt { marker, payload, candidate, untried, reader, found: false });
        true
    }

    /// Lets the reader continue, and handles what it returns.
    pub(super) fn read_on(&mut self) -> bool {
        let Some(mut attempt) = self.attempt.take() else { return false };
        match attempt.reader.step(&self.view()) {
            Ok(ReadStep::Found { calls, text, end }) => {
                self.found(attempt.candidate, calls, text, end);
                attempt.found = true;
                self.attempt = Some(attempt);
            }
            Ok(ReadStep::End { end }) => self.close(end),
            Ok(ReadStep::Message { kind, body }) => self.message(kind, body),
            Err(ReadStop::More) => {
                self.attempt = Some(attempt);
                return false;
            }
            Err(ReadStop::Reject) => {
                let Attempt { marker, payload, candidate, untried, reader, found } = attempt;
                self.refused.push(Refused { candidate, end: reader.place() });
                if !found {
                    return self.try_next(marker, payload, untried);
                }
                self.close(self.at);
            }
            Err(ReadStop::Broken { end, .. }) if self.thinking.is_some() => self.put(end),
            Err(ReadStop::Broken { code, detail, end }) => {
                self.found(attempt.candidate, vec![Err((code, detail))], None, end);
            }
        }
        true
    }

    /// Ends an attempt. If it found no call, its closer is text.
    fn close(&mut self, end: usize) {
        if self.prose.last == LastSeen::Call {
            self.at = end;
        } else {
            self.put(end);
        }
        self.prose.boundary();
    }

    fn message(&mut self, kind: MessageKind, body: usize) {
        self.close_reasoning();
        self.at = body;
        match kind {
            MessageKind::Text => {}
            MessageKind::Reasoning => {
                self.thinking = Some(OpenReasoning { markers: &reasoning::MESSAGE, held: None });
                self.prose.reasoned = true;
            }
            MessageKind::Invention => self.prose.state = ProseState::Invented,
        }
    }

    /// Reports the calls that a reader found up to `end`.
    fn found(
        &mut self,
        candidate: &Candidate,
        calls: Vec<Result<CallDraft, Refusal>>,
        text: Option<String>,
        end: usize,
    ) {
        let mut span = self.at..end;
        if let Some(OpenReasoning { held: held @ None, .. }) = &mut self.thinking {
            *held = Some(HeldCalls { start: self.at, events: self.events.len() });
        }
        self.at = end;
        self.events.extend(text.map(|text| Event::Part(TextPart::Text(text))));
        for call in calls {
            let raw = self.view().slice(span.clone()).to_owned();
            charge(raw.len());
            // Calls in one value share its bytes, which stand with the first of them.
            let span = std::mem::replace(&mut span, end..end);
            self.events.push(Event::Part(match call {
                Ok(draft) => {
                    (self.prose.last, self.prose.reasoned) = (LastSeen::Call, true);
                    TextPart::Call(self.call(candidate, draft, span, raw))
                }
                Err((code, message)) => {
                    if self.prose.last != LastSeen::Call {
                        self.prose.last = LastSeen::Problem;
                    }
                    TextPart::Problem(Problem { code, message, span, raw })
                }
            }));
        }
    }

    fn call(
        &self,
        candidate: &Candidate,
        draft: CallDraft,
        span: std::ops::Range<usize>,
        raw: String,
    ) -> TextCall {
        let CallDraft { name, id, input, repairs } = draft;
        let input = Value::Object(input);
        let violation =
            |(code, message)| Problem { code, message, span: span.clone(), raw: String::new() };
        let violations = self.violations(&name, &input).into_iter().map(violation).collect();
        let preferred = self.options.hint.or(self.options.only).map(|format| format.id);
        let mut formats = candidate.formats.iter().copied();
        let format =
            formats.find(|format| Some(format.id) == preferred).unwrap_or(candidate.format);
        let ids = candidate.formats.iter().map(|format| format.id);
        let ties = ids.filter(|id| *id != format.id).collect();
        let (family, format) = (format.id, format.call_format);
        TextCall { name, input, id, family, ties, format, span, raw, repairs, violations }
    }

    /// What is wrong with a call, by the declared tools. Without declared tools nothing is.
    fn violations(&self, name: &str, input: &Value) -> Vec<Refusal> {
        if self.catalog.is_empty() || self.catalog.offers(name) {
            let complaints = self.catalog.complaints(name, input).into_iter();
            return complaints.map(|complaint| (ProblemCode::SchemaViolation, complaint)).collect();
        }
        let names: Vec<_> = self.catalog.names().collect();
        let message = format!("unknown tool '{name}'; call one of: {}", names.join(", "));
        vec![(ProblemCode::UnknownTool, message)]
    }
}
