//! Which of the formats that a marker may open reads the text behind it, and what does it find?

use std::slice::Iter;

use serde_json::Value;

use super::prose::{Last, Place};
use super::{Held, Parser, Thinking};
use crate::textcall::format::Anchor;
use crate::textcall::grammar::{MessageKind, Reader, Step};
use crate::textcall::markers::{Choice, Marker};
use crate::textcall::parsed::{Event, Part, Problem, ProblemCode, TextCall};
use crate::textcall::payload::{Draft, Refusal};
use crate::textcall::reasoning;
use crate::textcall::steps::charge;
use crate::textcall::view::Stop;

/// How many times the same bytes may be read as a value by the same choice and refused.
const MAX_REFUSALS: usize = 8;

/// A marker, and the reader that is at work behind it.
pub(super) struct Attempt {
    marker: &'static Marker,
    /// Where the readers start.
    payload: usize,
    choice: &'static Choice,
    untried: Iter<'static, Choice>,
    pub(super) reader: Box<Reader>,
    found: bool,
}

/// A value that a reader read to its end and then refused.
pub(super) struct Refused {
    choice: &'static Choice,
    end: usize,
}

impl Parser<'_> {
    /// Tries the next choice that counts here; `payload` is where the marker ends.
    pub(super) fn try_next(
        &mut self,
        marker: &'static Marker,
        payload: usize,
        mut untried: Iter<'static, Choice>,
    ) -> bool {
        let anchored = self.thinking.is_none() && self.prose.line == self.at;
        let only = self.options.only.map(|only| only.id);
        self.refused.retain(|refused| refused.end > self.at);
        charge(1 + self.refused.len());
        let next = untried.find(|choice| {
            let refusals = self.refused.iter().filter(|it| std::ptr::eq(it.choice, *choice));
            refusals.count() < MAX_REFUSALS
                && (anchored || choice.format.anchor == Anchor::Anywhere)
                && only.is_none_or(|only| choice.formats.iter().any(|format| format.id == only))
        });
        let Some(choice) = next else { return self.give_up(marker) };
        let reader = Box::new(Reader::new(choice.grammar.family(), marker.text, payload));
        self.attempt = Some(Attempt { marker, payload, choice, untried, reader, found: false });
        true
    }

    /// Lets the reader go on, and does what it has come to.
    pub(super) fn read_on(&mut self) -> bool {
        let Some(mut attempt) = self.attempt.take() else { return false };
        match attempt.reader.step(&self.view()) {
            Ok(Step::Found { calls, text, end }) => {
                self.found(attempt.choice, calls, text, end);
                attempt.found = true;
                self.attempt = Some(attempt);
            }
            Ok(Step::End { end }) => self.close(end),
            Ok(Step::Message { kind, body }) => self.message(kind, body),
            Err(Stop::More) => {
                self.attempt = Some(attempt);
                return false;
            }
            Err(Stop::Reject) => {
                let Attempt { marker, payload, choice, untried, reader, found } = attempt;
                self.refused.push(Refused { choice, end: reader.place() });
                if !found {
                    return self.try_next(marker, payload, untried);
                }
                self.close(self.at);
            }
            Err(Stop::Broken { end, .. }) if self.thinking.is_some() => self.put(end),
            Err(Stop::Broken { code, detail, end }) => {
                self.found(attempt.choice, vec![Err((code, detail))], None, end);
            }
        }
        true
    }

    /// Ends an attempt. The closer of what turned out to be no call is text.
    fn close(&mut self, end: usize) {
        if self.prose.last == Last::Call {
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
                self.thinking = Some(Thinking { form: &reasoning::MESSAGE, held: None });
                self.prose.reasoned = true;
            }
            MessageKind::Invention => self.prose.place = Place::Invented,
        }
    }

    /// Reports what a reader found up to `end`.
    fn found(
        &mut self,
        choice: &Choice,
        calls: Vec<Result<Draft, Refusal>>,
        text: Option<String>,
        end: usize,
    ) {
        let mut span = self.at..end;
        if let Some(Thinking { held: held @ None, .. }) = &mut self.thinking {
            *held = Some(Held { start: self.at, events: self.events.len() });
        }
        self.at = end;
        self.events.extend(text.map(|text| Event::Part(Part::Text(text))));
        for call in calls {
            let raw = self.view().slice(span.clone()).to_owned();
            charge(raw.len());
            // Calls in one value share its bytes, which stand with the first of them.
            let span = std::mem::replace(&mut span, end..end);
            self.events.push(Event::Part(match call {
                Ok(draft) => {
                    (self.prose.last, self.prose.reasoned) = (Last::Call, true);
                    Part::Call(self.call(choice, draft, span, raw))
                }
                Err((code, message)) => {
                    if self.prose.last != Last::Call {
                        self.prose.last = Last::Problem;
                    }
                    Part::Problem(Problem { code, message, span, raw })
                }
            }));
        }
    }

    fn call(
        &self,
        choice: &Choice,
        draft: Draft,
        span: std::ops::Range<usize>,
        raw: String,
    ) -> TextCall {
        let Draft { name, id, input, repairs } = draft;
        let input = Value::Object(input);
        let violation =
            |(code, message)| Problem { code, message, span: span.clone(), raw: String::new() };
        let violations = self.violations(&name, &input).into_iter().map(violation).collect();
        let preferred = self.options.hint.or(self.options.only).map(|format| format.id);
        let mut formats = choice.formats.iter().copied();
        let format = formats.find(|format| Some(format.id) == preferred).unwrap_or(choice.format);
        let ids = choice.formats.iter().map(|format| format.id);
        let ties = ids.filter(|id| *id != format.id).collect();
        let (family, format) = (format.id, format.form);
        TextCall { name, input, id, family, ties, format, span, raw, repairs, violations }
    }

    /// What is wrong with a call, by the declared tools. Without tools nothing is known to be.
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
