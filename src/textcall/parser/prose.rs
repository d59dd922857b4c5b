//! What does a place in the text mean: prose, the start of a line, quoted code, a marker?

use super::{Parser, Thinking};
use crate::textcall::markers::{ANSWERS, MARKERS, Marker};
use crate::textcall::parsed::{Event, Part};
use crate::textcall::reasoning;
use crate::textcall::steps::charge;

/// How much of a line that starts with a fence is looked at.
const MAX_FENCE_LINE: usize = 512;

/// How many backticks make one run.
const MAX_BACKTICKS: usize = 64;

/// What is known of the current place.
#[derive(Default)]
pub(super) struct Prose {
    pub(super) place: Place,
    /// Where the visible part of the current line starts.
    pub(super) line: usize,
    /// How many backticks opened the code span that we are in; 0 if in none.
    span: usize,
    /// What opened the fence that we are in: what it quotes counts for nothing.
    fence: String,
    pub(super) last: Last,
    /// Whether a closing tag alone cannot end reasoning that the prompt opened.
    pub(super) reasoned: bool,
    /// What would close the tags round the whole answer.
    answer: Option<&'static str>,
}

#[derive(Default)]
pub(super) enum Place {
    #[default]
    LineStart,
    InLine,
    /// The model speaks for others from here on.
    Invented,
}

/// The last visible thing.
#[derive(Default, PartialEq)]
pub(super) enum Last {
    #[default]
    Nothing,
    Call,
    /// A call that is none.
    Problem,
    Text,
}

impl Prose {
    /// A call, a message or reasoning ended: what follows stands at the start of a line.
    pub(super) fn boundary(&mut self) {
        self.place = Place::LineStart;
        self.span = 0;
    }

    pub(super) fn wrote(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.last = Last::Text;
        }
        if text.ends_with('\n') {
            self.boundary();
        }
    }
}

impl Parser<'_> {
    pub(super) fn read_prose(&mut self) -> bool {
        match self.prose.place {
            Place::LineStart => self.line_start(),
            Place::InLine => {
                let (length, marker) = MARKERS.find(self.view().rest(self.at), self.ended);
                charge(1 + length);
                self.put(self.at + length);
                marker.is_some_and(|marker| self.marker(marker))
            }
            Place::Invented => {
                self.at = self.view().end();
                false
            }
        }
    }

    /// Looks for what needs no marker: fences, and calls by their mere shape.
    fn line_start(&mut self) -> bool {
        let start = self.view().end() - self.view().rest(self.at).trim_start().len();
        self.put(start);
        self.prose.line = start;
        let Ok(fence) = self.view().any(start, &["```", "~~~"]) else { return false };
        let bare = |c: char| c.is_alphanumeric() || "{[_`~".contains(c);
        let may_call = self.view().rest(start).starts_with(bare);
        self.prose.place = Place::InLine;
        if self.thinking.is_some() {
            return true;
        }
        if self.prose.fence.is_empty() {
            !may_call || self.try_next(&MARKERS.bare, start, MARKERS.bare.choices.iter())
        } else {
            fence.is_none() || self.fence_line(false)
        }
    }

    /// Takes a line that starts with backticks or tildes, once it is complete. A fence that is
    /// `fresh` may hold calls unless there was text before it, and then is not content.
    fn fence_line(&mut self, fresh: bool) -> bool {
        self.prose.place = Place::LineStart;
        let view = self.view();
        let line = view.window(self.at, MAX_FENCE_LINE);
        charge(line.len());
        let is_whole = self.ended || line.len() < view.rest(self.at).len();
        let newline = line.find('\n').map(|at| at + 1);
        let Some(length) = newline.or(is_whole.then_some(line.len())) else { return false };
        let (run, end) = (run(line).to_owned(), self.at + length);
        let info = line.get(run.len()..length).unwrap_or("").trim();
        if fresh && run == "~~~" && info == "tool_call" {
            self.prose.place = Place::InLine;
            return true;
        }
        if fresh && self.prose.last == Last::Call && info.is_empty() {
            self.at = end;
            return true;
        }
        if fresh && self.prose.last != Last::Text {
            let inside = view.skip_space(end);
            match MARKERS.find(view.window(inside, MARKERS.reach), self.ended) {
                (0, None) if !self.ended => return false,
                (0, Some(marker)) if !marker.choices.is_empty() => {
                    self.prose.place = Place::InLine;
                    let payload = inside + marker.text.len();
                    return self.try_next(marker, payload, marker.choices.iter());
                }
                _ => {}
            }
        }
        if self.prose.fence.is_empty() {
            self.prose.fence = run;
        } else if info.is_empty() && run.starts_with(&self.prose.fence) {
            self.prose.fence.clear();
        }
        if newline.is_none() {
            self.prose.place = Place::InLine;
        }
        self.put(end);
        true
    }

    fn marker(&mut self, marker: &'static Marker) -> bool {
        let end = self.at + marker.text.len();
        let quoted = !self.prose.fence.is_empty();
        if marker.text == "`" && !quoted {
            return self.code_span();
        }
        if marker.text == "\n" || quoted || self.prose.span > 0 {
            self.put(end);
            return true;
        }
        self.reasoning_marker(marker) || self.try_next(marker, end, marker.choices.iter())
    }

    /// Counts a run of backticks, which opens or closes a code span.
    fn code_span(&mut self) -> bool {
        let run = run(self.view().window(self.at, MAX_BACKTICKS)).len();
        charge(run);
        if run == self.view().rest(self.at).len() && !self.ended {
            return false;
        }
        let span = &mut self.prose.span;
        if self.thinking.is_none() && (*span == 0 || *span == run) {
            *span = run - *span;
        }
        self.put(self.at + run);
        true
    }

    /// Takes a marker that opens or closes reasoning.
    fn reasoning_marker(&mut self, marker: &'static Marker) -> bool {
        let end = self.at + marker.text.len();
        if let Some(Thinking { form, .. }) = &self.thinking {
            let closes = form.close.contains(&marker.text);
            let next_message = **form == reasoning::MESSAGE
                && marker.text.starts_with("<|")
                && !marker.choices.is_empty();
            if closes || next_message {
                self.close_reasoning();
            }
            self.at = if closes { end } else { self.at };
            return closes;
        }
        if let Some(form) = marker.opens {
            self.thinking = Some(Thinking { form, held: None });
        } else if marker.closes {
            if !self.prose.reasoned {
                self.events.push(Event::TextWasReasoning);
                self.prose = Prose::default();
            }
        } else {
            return false;
        }
        self.prose.reasoned = true;
        self.at = end;
        true
    }

    /// Ends reasoning, if we are in any: what was held back as calls is part of it.
    pub(super) fn close_reasoning(&mut self) {
        if let Some(held) = self.thinking.take().and_then(|thinking| thinking.held) {
            let text = self.view().slice(held.start..self.at).to_owned();
            self.events.truncate(held.events);
            self.events.push(Event::Part(Part::Reasoning(text)));
        }
        self.prose.boundary();
    }

    /// Settles what no reader takes.
    pub(super) fn give_up(&mut self, marker: &'static Marker) -> bool {
        let (rest, fresh) = (self.view().rest(self.at), marker.text.is_empty());
        let tildes = fresh && rest.starts_with("~~~") && self.prose.last != Last::Problem;
        if tildes || rest.starts_with("```") {
            return self.fence_line(fresh);
        }
        let end = self.at + marker.text.len();
        let answers = if self.prose.last == Last::Text { &[] } else { ANSWERS };
        let answer = answers.iter().find(|pair| pair.0 == marker.text);
        let closes_answer = self.prose.answer == Some(marker.text);
        let close = answer.map(|pair| pair.1).filter(|close| !close.is_empty());
        self.prose.answer = close.or(self.prose.answer);
        let stray = marker.closer && self.prose.last == Last::Call;
        let dropped = stray || answer.is_some() || closes_answer;
        if marker.noise || dropped && self.thinking.is_none() {
            if self.prose.line == self.at {
                self.prose.place = Place::LineStart;
            }
            self.at = end;
        } else {
            self.put(end);
        }
        true
    }
}

/// The characters at the start of a text that are alike.
fn run(text: &str) -> &str {
    let first = text.chars().next().unwrap_or_default();
    text.get(..text.len() - text.trim_start_matches(first).len()).unwrap_or(text)
}
