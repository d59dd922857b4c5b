//! Prose: what a place outside calls means (line start, quoted code, reasoning, a marker).

use super::{OpenReasoning, Parser};
use crate::textcall::markers::{ANSWERS, MARKERS, Marker};
use crate::textcall::parsed::{Event, TextPart};
use crate::textcall::reasoning;
use crate::textcall::steps::charge;

/// How much of a line that starts with a fence is looked at.
const MAX_FENCE_LINE: usize = 512;

/// How many backticks make one run.
const MAX_BACKTICKS: usize = 64;

/// What is known about the current place.
#[derive(Default)]
pub(super) struct Prose {
    pub(super) state: ProseState,
    /// Where the visible part of the current line starts.
    pub(super) line: usize,
    /// How many backticks opened the code span that we are in; 0 if in none.
    span: usize,
    /// What opened the fence that we are in. Nothing that it quotes counts.
    fence: String,
    pub(super) last: LastSeen,
    /// Whether reasoning or a call was seen, so that a lone closing tag cannot end reasoning that the
    /// prompt opened.
    pub(super) reasoned: bool,
    /// What would close the tags around the whole answer.
    answer: Option<&'static str>,
}

#[derive(Default)]
pub(super) enum ProseState {
    #[default]
    LineStart,
    InLine,
    /// From here on the model writes what others would say.
    Invented,
}

/// The last visible thing.
#[derive(Default, PartialEq)]
pub(super) enum LastSeen {
    #[default]
    Nothing,
    Call,
    /// An attempt at a call that failed.
    Problem,
    Text,
}

impl Prose {
    /// A call, a message or reasoning ended: what follows stands at the start of a line.
    pub(super) fn boundary(&mut self) {
        self.state = ProseState::LineStart;
        self.span = 0;
    }

    pub(super) fn wrote(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.last = LastSeen::Text;
        }
        if text.ends_with('\n') {
            self.boundary();
        }
    }
}

impl Parser<'_> {
    pub(super) fn read_prose(&mut self) -> bool {
        match self.prose.state {
            ProseState::LineStart => self.line_start(),
            ProseState::InLine => {
                let (length, marker) = MARKERS.find(self.view().rest(self.at), self.ended);
                charge(1 + length);
                self.put(self.at + length);
                marker.is_some_and(|marker| self.marker(marker))
            }
            ProseState::Invented => {
                self.at = self.view().end();
                false
            }
        }
    }

    /// Looks for what needs no marker: fences, and calls without any.
    fn line_start(&mut self) -> bool {
        let start = self.view().end() - self.view().rest(self.at).trim_start().len();
        self.put(start);
        self.prose.line = start;
        let Ok(fence) = self.view().any(start, &["```", "~~~"]) else { return false };
        let bare = |c: char| c.is_alphanumeric() || "{[_`~".contains(c);
        let may_call = self.view().rest(start).starts_with(bare);
        self.prose.state = ProseState::InLine;
        if self.thinking.is_some() {
            return true;
        }
        if self.prose.fence.is_empty() {
            !may_call || self.try_next(&MARKERS.bare, start, MARKERS.bare.candidates.iter())
        } else {
            fence.is_none() || self.fence_line(false)
        }
    }

    /// Takes a line that starts with backticks or tildes, once it is complete. A fence that is
    /// `fresh` may hold calls unless there was text before it, and then is not content.
    fn fence_line(&mut self, fresh: bool) -> bool {
        self.prose.state = ProseState::LineStart;
        let view = self.view();
        let line = view.window(self.at, MAX_FENCE_LINE);
        charge(line.len());
        let is_whole = self.ended || line.len() < view.rest(self.at).len();
        let newline = line.find('\n').map(|at| at + 1);
        let Some(length) = newline.or(is_whole.then_some(line.len())) else { return false };
        let (run, end) = (run(line).to_owned(), self.at + length);
        let info = line.get(run.len()..length).unwrap_or("").trim();
        if fresh && run == "~~~" && info == "tool_call" {
            self.prose.state = ProseState::InLine;
            return true;
        }
        if fresh && self.prose.last == LastSeen::Call && info.is_empty() {
            self.at = end;
            return true;
        }
        if fresh && self.prose.last != LastSeen::Text {
            let inside = view.skip_space(end);
            match MARKERS.find(view.window(inside, MARKERS.reach), self.ended) {
                (0, None) if !self.ended => return false,
                (0, Some(marker)) if !marker.candidates.is_empty() => {
                    self.prose.state = ProseState::InLine;
                    let payload = inside + marker.text.len();
                    return self.try_next(marker, payload, marker.candidates.iter());
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
            self.prose.state = ProseState::InLine;
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
        self.reasoning_marker(marker) || self.try_next(marker, end, marker.candidates.iter())
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
        if let Some(OpenReasoning { markers, .. }) = &self.thinking {
            let closes = markers.close.contains(&marker.text);
            let next_message = **markers == reasoning::MESSAGE
                && marker.text.starts_with("<|")
                && !marker.candidates.is_empty();
            if closes || next_message {
                self.close_reasoning();
            }
            self.at = if closes { end } else { self.at };
            return closes;
        }
        if let Some(markers) = marker.opens {
            self.thinking = Some(OpenReasoning { markers, held: None });
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
            self.events.push(Event::Part(TextPart::Reasoning(text)));
        }
        self.prose.boundary();
    }

    /// Reports a marker that no reader accepted, as text or not at all.
    pub(super) fn give_up(&mut self, marker: &'static Marker) -> bool {
        let (rest, fresh) = (self.view().rest(self.at), marker.text.is_empty());
        let tildes = fresh && rest.starts_with("~~~") && self.prose.last != LastSeen::Problem;
        if tildes || rest.starts_with("```") {
            return self.fence_line(fresh);
        }
        let end = self.at + marker.text.len();
        let answers = if self.prose.last == LastSeen::Text { &[] } else { ANSWERS };
        let answer = answers.iter().find(|pair| pair.0 == marker.text);
        let closes_answer = self.prose.answer == Some(marker.text);
        let close = answer.map(|pair| pair.1).filter(|close| !close.is_empty());
        self.prose.answer = close.or(self.prose.answer);
        let stray = marker.closer && self.prose.last == LastSeen::Call;
        let dropped = stray || answer.is_some() || closes_answer;
        if marker.noise || dropped && self.thinking.is_none() {
            if self.prose.line == self.at {
                self.prose.state = ProseState::LineStart;
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
