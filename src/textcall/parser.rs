//! What is in this text, as far as it has come?
//!
//! One machine for streams and whole texts. Prose is scanned for markers; a marker starts an
//! attempt, in which the readers of the formats it may open are tried one after the other; what no
//! reader takes is prose after all. Text is handed on as soon as it cannot belong to a marker, a
//! call never before it is complete. The buffer holds no more than the call being read.

use super::catalog::Catalog;
use super::format::{Anchor, Format};
use super::grammar::{MessageKind, Reader, Step};
use super::markers::{ANSWERS, Choice, Marker, markers};
use super::parsed::{Event, Parsed, Part, Problem, TextCall};
use super::payload::{Draft, Refusal};
use super::prose::{Line, Prose};
use super::reasoning::{self, Form};
use super::view::{Read, Stop, View};

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
    /// Everything before this place is settled.
    at: usize,
    ended: bool,
    mode: Mode,
    prose: Prose,
    reasoning: Option<Thinking>,
    reasoned: bool,
    called: bool,
    answer: Option<&'static str>,
    events: Vec<Event>,
    /// The byte that the reader waits for, and how long the buffer may get until it looks anyway.
    awaited: u8,
    asleep_until: usize,
}

enum Mode {
    Prose,
    Attempt(Attempt),
    /// The model speaks for others from here on.
    Discard,
}

struct Attempt {
    /// Where the marker starts, and where the part that no event covers yet does.
    start: usize,
    since: usize,
    /// Where the readers start.
    payload: usize,
    marker: Option<&'static Marker>,
    choices: &'static [Choice],
    choice: &'static Choice,
    tried: usize,
    reader: Box<Reader>,
    found: bool,
}

/// Reasoning that has not been closed.
struct Thinking {
    form: &'static Form,
    /// Calls found inside, and what followed. If the reasoning is closed they were none.
    held: Option<Held>,
}

struct Held {
    start: usize,
    events: Vec<Event>,
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
            mode: Mode::Prose,
            prose: Prose::default(),
            reasoning: None,
            reasoned: false,
            called: false,
            answer: None,
            events: Vec::new(),
            awaited: 0,
            asleep_until: 0,
        }
    }

    /// Takes the next piece of the text and gives what it settles.
    #[inline]
    pub fn push(&mut self, piece: &str) -> Vec<Event> {
        self.buffer.push_str(piece);
        if self.sleeps(piece) { Vec::new() } else { self.look() }
    }

    /// Gives the rest, now that no more text will come.
    pub fn finish(mut self) -> Vec<Event> {
        self.ended = true;
        while self.turn() {}
        let held = self.reasoning.take().and_then(|thinking| thinking.held);
        self.events.extend(held.into_iter().flat_map(|held| held.events));
        if let Some(fence) = self.prose.unused_fence() {
            self.events.push(Event::Part(Part::Text(fence)));
        }
        self.events
    }

    /// Whether a piece of a long argument can wait: small pieces are looked at together, unless one
    /// may complete the call.
    #[inline]
    fn sleeps(&self, piece: &str) -> bool {
        self.buffer.len() < self.asleep_until
            && (!piece.as_bytes().contains(&self.awaited) || !self.may_be_over(piece.len()))
    }

    fn may_be_over(&self, fresh: usize) -> bool {
        let Mode::Attempt(attempt) = &self.mode else { return true };
        let view = self.view();
        attempt.reader.awaits().is_none_or(|awaited| awaited.may_be_there(&view, fresh))
    }

    fn look(&mut self) -> Vec<Event> {
        const TOGETHER: usize = 512;
        while self.turn() {}
        self.release();
        self.asleep_until = 0;
        if let Mode::Attempt(attempt) = &self.mode
            && let Some(awaited) = attempt.reader.awaits()
        {
            self.awaited = awaited.last_byte();
            self.asleep_until = self.buffer.len() + TOGETHER;
        }
        std::mem::take(&mut self.events)
    }

    fn view(&self) -> View<'_> {
        View::new(&self.buffer, self.base, self.ended, self.catalog)
    }

    /// Lets go of text that nobody will look at again.
    fn release(&mut self) {
        const WORTH_MOVING: usize = 4096;
        let attempt = if let Mode::Attempt(attempt) = &self.mode { attempt.since } else { self.at };
        let held = self.reasoning.as_ref().and_then(|thinking| thinking.held.as_ref());
        let needed = held.map_or(attempt, |held| held.start.min(attempt)) - self.base;
        if needed > WORTH_MOVING && needed > self.buffer.len() / 2 {
            self.buffer.drain(..needed);
            self.base += needed;
        }
    }

    /// Does the next thing that can be done; false if more text is needed for it.
    fn turn(&mut self) -> bool {
        if let Mode::Attempt(attempt) = &mut self.mode {
            let view = View::new(&self.buffer, self.base, self.ended, self.catalog);
            let step = attempt.reader.step(&view);
            if step == Err(Stop::More) {
                return false;
            }
            return self.go_on(step);
        }
        match std::mem::replace(&mut self.mode, Mode::Prose) {
            Mode::Prose => self.read_prose(),
            Mode::Attempt(_) => true,
            Mode::Discard => {
                self.mode = Mode::Discard;
                self.at = self.view().end();
                false
            }
        }
    }

    fn read_prose(&mut self) -> bool {
        if self.prose.in_code() {
            let view = View::new(&self.buffer, self.base, self.ended, self.catalog);
            let (length, more) = self.prose.code(view.rest(self.at), self.ended);
            self.put(self.at + length);
            return more;
        }
        if self.reasoning.is_none() && self.prose.line_is_blank() {
            let start = self.view().skip_space(self.at);
            if self.prose.look_at(start) {
                return self.line_start(start);
            }
        }
        let view = self.view();
        let rest = view.rest(self.at);
        let Some((offset, marker)) = markers().find(rest) else {
            let held = if self.ended { 0 } else { markers().held(rest) };
            self.put(view.end() - held);
            return false;
        };
        let start = self.at + offset;
        let grows = markers().extends(rest.get(offset..).unwrap_or(""));
        self.put(start);
        if grows && !self.ended { false } else { self.marker(start, marker) }
    }

    /// Looks for what needs no marker: fences, and calls by their mere shape.
    fn line_start(&mut self, start: usize) -> bool {
        self.put(start);
        let view = self.view();
        match view.has(start, "```") {
            Err(_) => false,
            Ok(true) if self.prose.in_fence() => self.close_fence(start),
            Ok(false) if self.prose.in_fence() => {
                self.prose.looked_at(start);
                true
            }
            Ok(_) => {
                let first = view.rest(start).chars().next();
                if first.is_some_and(|c| c.is_alphanumeric() || "{[_`".contains(c)) {
                    self.try_from(start, start, None, &markers().bare, 0)
                } else {
                    self.prose.looked_at(start);
                    true
                }
            }
        }
    }

    fn close_fence(&mut self, start: usize) -> bool {
        let rest = self.view().rest(start);
        let length = rest.len() - rest.trim_start_matches('`').len();
        if length == rest.len() && !self.ended {
            return false;
        }
        if self.prose.close_fence() {
            self.at = start + length;
        } else {
            self.put(start + length);
        }
        true
    }

    /// Opens a fence that holds no call of a fenced format.
    fn open_fence(&mut self, start: usize) -> bool {
        let rest = self.view().rest(start);
        let Some(line) = rest.find('\n').map(|at| at + 1).or(self.ended.then_some(rest.len()))
        else {
            return false;
        };
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let opening = rest.get(..line).unwrap_or("").to_owned();
        if self.prose.open_fence(ticks, opening) {
            self.at = start + line;
        } else {
            self.put(start + line);
        }
        true
    }

    fn marker(&mut self, start: usize, marker: &'static Marker) -> bool {
        let end = start + marker.text.len();
        if marker.text == "`" {
            return self.ticks(start);
        }
        if marker.text == "\n" || self.prose.in_code() || self.prose.in_span() {
            self.put(end);
            return true;
        }
        if self.reasoning_marker(start, end, marker) {
            return true;
        }
        let blank = self.prose.line_is_blank();
        let anchored = |choice: &Choice| {
            choice.anchor == Anchor::Anywhere || blank && self.reasoning.is_none()
        };
        if marker.choices.iter().any(anchored) {
            return self.try_from(start, end, Some(marker), &marker.choices, 0);
        }
        self.leave(end, marker);
        true
    }

    /// Counts a run of backticks.
    fn ticks(&mut self, start: usize) -> bool {
        let rest = self.view().rest(start);
        let run = rest.len() - rest.trim_start_matches('`').len();
        if run == rest.len() && !self.ended {
            return false;
        }
        if self.reasoning.is_none() {
            self.prose.ticks(run);
        }
        self.put(start + run);
        true
    }

    /// Takes a marker that opens or closes reasoning.
    fn reasoning_marker(&mut self, start: usize, end: usize, marker: &'static Marker) -> bool {
        if let Some(thinking) = &self.reasoning {
            if thinking.form.close.contains(&marker.text) {
                self.close_reasoning(start);
                self.at = end;
                return true;
            }
            if *thinking.form == reasoning::MESSAGE
                && marker.text.starts_with("<|")
                && !marker.choices.is_empty()
            {
                self.close_reasoning(start);
            }
            return false;
        }
        if let Some(form) = marker.opens {
            self.reasoning = Some(Thinking { form, held: None });
            self.reasoned = true;
        } else if marker.closes {
            if !self.reasoned && !self.called {
                self.events.push(Event::TextWasReasoning);
                self.prose = Prose::default();
            }
            self.reasoned = true;
        } else {
            return false;
        }
        self.at = end;
        true
    }

    fn close_reasoning(&mut self, end: usize) {
        let held = self.reasoning.take().and_then(|thinking| thinking.held);
        if let Some(held) = held {
            let text = self.view().slice(held.start..end).to_owned();
            self.events.push(Event::Part(Part::Reasoning(text)));
        }
        self.prose.boundary();
    }

    /// Settles a marker that opened nothing: dropped where it cannot be content, else text.
    fn leave(&mut self, end: usize, marker: &Marker) {
        let answers = ANSWERS.iter().find(|pair| pair.0 == marker.text);
        let opens_answer = answers.is_some() && self.prose.is_blank();
        let closes_answer = self.answer == Some(marker.text);
        if let Some(pair) = answers.filter(|_| opens_answer) {
            self.answer = Some(pair.1);
        }
        let stray = marker.closer && self.prose.is_after_call();
        let prose = self.reasoning.is_none();
        if marker.noise || prose && (stray || opens_answer || closes_answer) {
            self.at = end;
            self.prose.dropped();
        } else {
            self.put(end);
        }
    }

    /// Tries the next choice that the options allow.
    fn try_from(
        &mut self,
        start: usize,
        payload: usize,
        marker: Option<&'static Marker>,
        choices: &'static [Choice],
        from: usize,
    ) -> bool {
        let allowed = |choice: &Choice| {
            let here = choice.anchor == Anchor::Anywhere || self.prose.line_is_blank();
            here && self.options.only.is_none_or(|only| choice.serves(only))
        };
        let next = choices.iter().enumerate().skip(from).find(|(_, choice)| allowed(choice));
        let Some((index, choice)) = next else {
            return self.give_up(start, payload, marker);
        };
        let reader = choice.grammar.reader(marker.map_or("", |marker| marker.text), payload);
        self.mode = Mode::Attempt(Attempt {
            start,
            since: start,
            payload,
            marker,
            choices,
            choice,
            tried: index + 1,
            reader,
            found: false,
        });
        true
    }

    /// No reader took what follows the marker, or stands at the start of the line.
    fn give_up(&mut self, start: usize, end: usize, marker: Option<&'static Marker>) -> bool {
        if let Some(marker) = marker {
            self.leave(end, marker);
            return true;
        }
        if self.view().rest(start).starts_with("```") {
            return self.open_fence(start);
        }
        self.prose.looked_at(start);
        true
    }

    /// Does what the reader has come to.
    fn go_on(&mut self, step: Read<Step>) -> bool {
        let Mode::Attempt(mut attempt) = std::mem::replace(&mut self.mode, Mode::Prose) else {
            return true;
        };
        match step {
            Ok(Step::Found { calls, text, end }) => {
                self.found(&attempt, calls, text, end);
                attempt.found = true;
                attempt.since = end;
                self.mode = Mode::Attempt(attempt);
                true
            }
            Ok(Step::End { end }) => self.close(&attempt, end),
            Ok(Step::Message { kind, body }) => self.message(&attempt, kind, body),
            Err(Stop::More) => {
                self.mode = Mode::Attempt(attempt);
                false
            }
            Err(Stop::Reject) if attempt.found => self.close(&attempt, attempt.since),
            Err(Stop::Reject) => {
                let Attempt { start, payload, marker, choices, tried, .. } = attempt;
                self.try_from(start, payload, marker, choices, tried)
            }
            Err(Stop::Broken { code, detail, end }) => {
                self.at = attempt.since;
                if self.reasoning.is_some() {
                    self.put(end);
                    return true;
                }
                let refusal = Err((code, detail));
                self.found(&attempt, vec![refusal], None, end);
                self.at = end;
                self.prose.wrote(Line::Written);
                true
            }
        }
    }

    /// Ends an attempt. The closer of what turned out to be no call is text.
    fn close(&mut self, attempt: &Attempt, end: usize) -> bool {
        self.at = attempt.since;
        if self.prose.is_after_call() {
            self.at = end;
        } else {
            self.put(end);
        }
        self.prose.boundary();
        true
    }

    fn message(&mut self, attempt: &Attempt, kind: MessageKind, body: usize) -> bool {
        if self.reasoning.is_some() {
            self.close_reasoning(attempt.start);
        }
        self.at = body;
        self.prose.boundary();
        match kind {
            MessageKind::Text => {}
            MessageKind::Reasoning => {
                self.reasoning = Some(Thinking { form: &reasoning::MESSAGE, held: None });
                self.reasoned = true;
            }
            MessageKind::Invention => self.mode = Mode::Discard,
        }
        true
    }

    /// Reports what a reader found between the last report and `end`.
    fn found(
        &mut self,
        attempt: &Attempt,
        calls: Vec<Result<Draft, Refusal>>,
        text: Option<String>,
        end: usize,
    ) {
        let span = attempt.since..end;
        let raw = self.view().slice(span.clone()).to_owned();
        let mut parts: Vec<Part> = text.map(Part::Text).into_iter().collect();
        for call in calls {
            parts.push(match call {
                Ok(draft) => {
                    self.called = true;
                    self.prose.called();
                    Part::Call(self.call(attempt.choice, draft, span.clone(), raw.clone()))
                }
                Err((code, message)) => {
                    Part::Problem(Problem { code, message, span: span.clone(), raw: raw.clone() })
                }
            });
        }
        let events = parts.into_iter().map(Event::Part);
        match &mut self.reasoning {
            Some(thinking) => {
                let held = Held { start: attempt.start, events: Vec::new() };
                thinking.held.get_or_insert(held).events.extend(events);
            }
            None => self.events.extend(events),
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
        let input = serde_json::Value::Object(input);
        let format = choice.format(self.options.hint.or(self.options.only));
        let problem =
            |(code, message)| Problem { code, message, span: span.clone(), raw: String::new() };
        let violations = self.catalog.violations(&name, &input).into_iter().map(problem).collect();
        let names = choice.formats().map(|format| format.name);
        let ties = names.filter(|name| *name != format.name).collect();
        let (family, format) = (format.name, format.form);
        TextCall { name, input, id, family, ties, format, span, raw, repairs, violations }
    }

    /// Hands on text up to a place.
    fn put(&mut self, upto: usize) {
        let text = self.view().slice(self.at..upto).to_owned();
        self.at = upto;
        if text.is_empty() {
            return;
        }
        let Some(thinking) = &mut self.reasoning else {
            let fence = self.prose.write(&text);
            let fence = fence.map(|fence| Event::Part(Part::Text(fence)));
            self.events.extend(fence);
            self.events.push(Event::Part(Part::Text(text)));
            return;
        };
        match &mut thinking.held {
            Some(held) => held.events.push(Event::Part(Part::Text(text))),
            None => self.events.push(Event::Part(Part::Reasoning(text))),
        }
    }
}

impl Choice {
    fn formats(&self) -> impl Iterator<Item = &'static Format> {
        std::iter::once(self.format).chain(self.ties.iter().copied())
    }

    /// Whether one of the formats that share this grammar is the given one.
    fn serves(&self, format: &Format) -> bool {
        self.formats().any(|known| known.name == format.name)
    }

    /// The format to name: the hinted one if it is among those that tie.
    fn format(&self, hint: Option<&'static Format>) -> &'static Format {
        hint.filter(|hint| self.serves(hint)).unwrap_or(self.format)
    }
}

/// Takes a whole text apart.
pub fn parse(text: &str, catalog: &Catalog, options: Options) -> Parsed {
    let mut parser = Parser::new(catalog, options);
    let mut parsed = Parsed::default();
    parser.push(text).into_iter().for_each(|event| parsed.absorb(event));
    parser.finish().into_iter().for_each(|event| parsed.absorb(event));
    parsed
}
