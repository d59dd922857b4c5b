//! What does a place in the text mean: prose, the start of a line, quoted code, a marker?

use super::{Parser, Thinking};
use crate::textcall::markers::{ANSWERS, MARKERS, Marker};
use crate::textcall::parsed::{Event, Part};
use crate::textcall::reasoning::{self, Form};

/// What is known of the current place.
pub(super) struct Prose {
    place: Place,
    /// Where the visible part of the current line starts.
    line: usize,
    /// How many backticks opened the code span that we are in; 0 if in none.
    span: usize,
    fence: Fence,
    last: Last,
    /// Whether the prompt may have opened reasoning, which a closing tag alone would end.
    prefilled: bool,
    /// What would close the tags round the whole answer.
    answer: Option<&'static str>,
}

enum Place {
    LineStart,
    InLine,
    /// The model speaks for others from here on.
    Invented,
}

/// The Markdown fence that we are in.
enum Fence {
    None,
    /// Quoted code, opened by so many backticks: nothing in it counts.
    Code(usize),
    /// Round calls, and so no quotation.
    Calls,
}

/// The last visible thing.
#[derive(PartialEq)]
enum Last {
    Nothing,
    Call,
    Text,
}

impl Default for Prose {
    fn default() -> Self {
        Self {
            place: Place::LineStart,
            line: 0,
            span: 0,
            fence: Fence::None,
            last: Last::Nothing,
            prefilled: true,
            answer: None,
        }
    }
}

impl Prose {
    /// Whether nothing but white space stands on the line before this place.
    pub(super) fn is_line_start(&self, at: usize) -> bool {
        self.line == at
    }

    pub(super) fn is_after_call(&self) -> bool {
        self.last == Last::Call
    }

    /// A call, a message or reasoning ended: what follows stands at the start of a line.
    pub(super) fn boundary(&mut self) {
        self.place = Place::LineStart;
        self.span = 0;
    }

    pub(super) fn called(&mut self) {
        self.last = Last::Call;
        self.prefilled = false;
    }

    pub(super) fn wrote(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.last = Last::Text;
        }
        if text.ends_with('\n') {
            self.boundary();
        }
    }

    pub(super) fn discard(&mut self) {
        self.place = Place::Invented;
    }
}

impl Parser<'_> {
    pub(super) fn read_prose(&mut self) -> bool {
        match self.prose.place {
            Place::LineStart => self.line_start(),
            Place::InLine => {
                let (length, marker) = MARKERS.find(self.view().rest(self.at), self.ended);
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
        let start = self.view().skip_space(self.at);
        self.put(start);
        self.prose.line = start;
        let view = self.view();
        let Ok(ticks) = view.has(start, "```") else { return false };
        let bare = |c: char| c.is_alphanumeric() || "{[_`".contains(c);
        let may_call = view.rest(start).starts_with(bare);
        self.prose.place = Place::InLine;
        match self.prose.fence {
            _ if self.thinking.is_some() => true,
            Fence::Code(_) | Fence::Calls if ticks => self.close_fence(),
            Fence::None if may_call => {
                self.try_next(&MARKERS.bare, start, MARKERS.bare.choices.iter())
            }
            _ => true,
        }
    }

    /// The length of the line that starts here, once it is complete.
    fn line_length(&mut self) -> Option<usize> {
        let rest = self.view().rest(self.at);
        let length = rest.find('\n').map(|at| at + 1).or(self.ended.then_some(rest.len()));
        if length.is_none() {
            self.prose.place = Place::LineStart;
        }
        length
    }

    /// Opens a fence that is no format's own. What starts with one may hold calls in it.
    fn open_fence(&mut self, fresh: bool) -> bool {
        let Some(length) = self.line_length() else { return false };
        let view = self.view();
        let inside = view.skip_space(self.at + length);
        if fresh && self.prose.last != Last::Text {
            let (before, marker) = MARKERS.find(view.rest(inside), self.ended);
            match marker.filter(|marker| before == 0 && !marker.choices.is_empty()) {
                Some(marker) => {
                    self.prose.fence = Fence::Calls;
                    return self.try_next(
                        marker,
                        inside + marker.text.len(),
                        marker.choices.iter(),
                    );
                }
                None if before == 0 && marker.is_none() && !self.ended => {
                    self.prose.place = Place::LineStart;
                    return false;
                }
                None => {}
            }
        }
        self.prose.fence = Fence::Code(ticks(view.rest(self.at)));
        self.put(self.at + length);
        true
    }

    /// Takes a line that may end the fence. That of a fence round calls is not content.
    fn close_fence(&mut self) -> bool {
        let Some(length) = self.line_length() else { return false };
        let end = self.at + length;
        let line = self.view().slice(self.at..end);
        let run = ticks(line);
        let ends = run == line.trim_end().len();
        let calls = matches!(self.prose.fence, Fence::Calls);
        if calls || ends && matches!(self.prose.fence, Fence::Code(opened) if run >= opened) {
            self.prose.fence = Fence::None;
        }
        if calls && ends && self.prose.is_after_call() {
            self.at = end;
            self.prose.boundary();
        }
        self.put(end);
        true
    }

    fn marker(&mut self, marker: &'static Marker) -> bool {
        let end = self.at + marker.text.len();
        let quoted = matches!(self.prose.fence, Fence::Code(_));
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
        let rest = self.view().rest(self.at);
        let run = ticks(rest);
        if run == rest.len() && !self.ended {
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
            self.open_reasoning(form);
        } else if marker.closes {
            if self.prose.prefilled {
                self.events.push(Event::TextWasReasoning);
                self.prose = Prose::default();
            }
            self.prose.prefilled = false;
        } else {
            return false;
        }
        self.at = end;
        true
    }

    pub(super) fn open_reasoning(&mut self, form: &'static Form) {
        self.thinking = Some(Thinking { form, held: None });
        self.prose.prefilled = false;
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
        if self.view().rest(self.at).starts_with("```") {
            return self.open_fence(marker.text.is_empty());
        }
        let end = self.at + marker.text.len();
        let answer = ANSWERS.iter().find(|pair| pair.0 == marker.text);
        let answer = answer.filter(|_| self.prose.last != Last::Text);
        let closes_answer = !marker.text.is_empty() && self.prose.answer == Some(marker.text);
        self.prose.answer = answer.map(|pair| pair.1).or(self.prose.answer);
        let stray = marker.closer && self.prose.is_after_call();
        let dropped = stray || answer.is_some() || closes_answer;
        if marker.noise || dropped && self.thinking.is_none() {
            if self.prose.is_line_start(self.at) {
                self.prose.place = Place::LineStart;
            }
            self.at = end;
        } else {
            self.put(end);
        }
        true
    }
}

fn ticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}
