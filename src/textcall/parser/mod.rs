//! The parser of calls in text: one machine for streams and whole texts.
//!
//! It scans prose for markers. A marker starts an attempt, in which the readers of the formats that
//! it may open are tried one after the other; if no reader accepts the text, it is prose. Text is
//! handed on as soon as it cannot belong to a marker, a call only when it is complete. The buffer
//! holds no more than the call being read.
//!
//! - here: what comes in, and what goes out
//! - `attempt`: what the readers find behind a marker
//! - `prose`: what a place in the text means outside calls

mod attempt;
mod prose;

use attempt::{Attempt, Refused};
use prose::Prose;

use super::format::Format;
use super::parsed::{Event, Parsed, TextPart};
use super::reasoning::ReasoningMarkers;
use super::steps::charge;
use super::view::View;
use crate::tools::Catalog;

/// How to read, besides the tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Breaks ties between families that would read the same bytes the same way.
    pub hint: Option<&'static Format>,
    /// Reads this family and no other.
    pub only: Option<&'static Format>,
}

/// Finds calls in text that comes in pieces.
pub struct Parser<'t> {
    catalog: &'t Catalog,
    options: Options,
    buffer: String,
    /// Where in the whole text the buffer starts.
    base: usize,
    /// Everything before this place has been reported.
    at: usize,
    ended: bool,
    /// The byte that must arrive before anything can be decided.
    awaited: Option<u8>,
    attempt: Option<Attempt>,
    /// Refused values that reach beyond the current place.
    refused: Vec<Refused>,
    prose: Prose,
    thinking: Option<OpenReasoning>,
    events: Vec<Event>,
}

/// Reasoning whose closing marker has not come yet.
struct OpenReasoning {
    markers: &'static ReasoningMarkers,
    held: Option<HeldCalls>,
}

/// The calls inside reasoning, from the first one on. They are held back: if the reasoning is closed
/// later, they were part of it.
struct HeldCalls {
    start: usize,
    /// How many events came before it.
    events: usize,
}

impl<'t> Parser<'t> {
    /// A parser for one text.
    pub fn new(catalog: &'t Catalog, options: Options) -> Self {
        Self {
            catalog,
            options,
            buffer: String::new(),
            base: 0,
            at: 0,
            ended: false,
            awaited: None,
            attempt: None,
            refused: Vec::new(),
            prose: Prose::default(),
            thinking: None,
            events: Vec::new(),
        }
    }

    /// Takes the next piece of the text, and returns what can be reported now.
    #[inline]
    pub fn push(&mut self, piece: &str) -> Vec<Event> {
        self.buffer.push_str(piece);
        match self.awaited {
            Some(byte) if !piece.as_bytes().contains(&byte) => Vec::new(),
            _ => self.look(piece.len()),
        }
    }

    /// Returns the rest; no more text will come.
    pub fn finish(mut self) -> Vec<Event> {
        self.ended = true;
        while self.turn() {}
        self.events
    }

    /// Parses as far as the text allows; `fresh` bytes are new.
    #[inline(never)]
    fn look(&mut self, fresh: usize) -> Vec<Event> {
        let reader = self.attempt.as_ref().map(|attempt| &attempt.reader);
        let asleep = reader.filter(|_| self.awaited.is_some());
        if asleep.is_some_and(|reader| !reader.may_go_on(&self.view(), fresh)) {
            return Vec::new();
        }
        while self.turn() {}
        self.release();
        self.awaited =
            self.attempt.as_ref().and_then(|attempt| attempt.reader.awaits(&self.view()));
        let Some(held) = self.thinking.as_mut().and_then(|thinking| thinking.held.as_mut()) else {
            return std::mem::take(&mut self.events);
        };
        let waiting = self.events.split_off(std::mem::take(&mut held.events));
        std::mem::replace(&mut self.events, waiting)
    }

    /// Does the next thing that can be done; false if more text is needed for it.
    fn turn(&mut self) -> bool {
        if self.attempt.is_some() { self.read_on() } else { self.read_prose() }
    }

    /// Drops text that is not needed any more.
    fn release(&mut self) {
        const WORTH_MOVING: usize = 4096;
        let held = self.thinking.as_ref().and_then(|thinking| thinking.held.as_ref());
        let needed = held.map_or(self.at, |held| held.start.min(self.at)) - self.base;
        if needed > WORTH_MOVING && needed > self.buffer.len() / 2 {
            self.buffer.drain(..needed);
            self.base += needed;
        }
    }

    fn view(&self) -> View<'_> {
        View::new(&self.buffer, self.base, self.ended, self.catalog)
    }

    /// Hands on text up to a place.
    fn put(&mut self, upto: usize) {
        let text = self.view().slice(self.at..upto).to_owned();
        charge(text.len());
        self.at = upto;
        if text.is_empty() {
            return;
        }
        let part = match &self.thinking {
            Some(OpenReasoning { held: None, .. }) => TextPart::Reasoning(text),
            Some(_) => TextPart::Text(text),
            None => {
                self.prose.wrote(&text);
                TextPart::Text(text)
            }
        };
        self.events.push(Event::Part(part));
    }
}

/// Finds the calls, the text and the reasoning in a whole text.
pub fn parse(text: &str, catalog: &Catalog, options: Options) -> Parsed {
    let mut parser = Parser::new(catalog, options);
    let mut parsed = Parsed::default();
    parser.push(text).into_iter().for_each(|event| parsed.absorb(event));
    parser.finish().into_iter().for_each(|event| parsed.absorb(event));
    parsed
}
