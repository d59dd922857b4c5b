//! How is a call read once its marker has been seen?
//!
//! One file per grammar: a `const`-constructible config that formats fill in, and a reader that
//! can stop anywhere and go on when more text has come. A reader keeps its place in the text and
//! never looks twice at an argument.

mod channels;
mod elements;
mod headed;
mod json;
mod notation;
mod pairs;
mod python;
mod react;
mod tags;

pub(crate) use channels::Channels;
pub(crate) use elements::Elements;
pub(crate) use headed::{Head, Headed};
pub(crate) use json::{Fence, JsonBlock, Starts};
pub(crate) use notation::Notation;
pub(crate) use pairs::Pairs;
pub(crate) use python::{Brackets, Python};
pub(crate) use react::React;
pub(crate) use tags::Tags;

use super::literal;
use super::parsed::ProblemCode;
use super::payload::{Draft, Refusal};
use super::scan::{Flavour, Scan};
use super::view::{Read, Seek, Stop, View};

/// Reads the calls behind one opener.
pub(crate) trait Reader: std::fmt::Debug + Send {
    /// Goes on as far as the text allows. A reader that found a call is asked again.
    fn step(&mut self, view: &View<'_>) -> Read<Step>;

    /// That without which the call being read cannot be complete.
    fn awaits(&self) -> Option<Awaited<'_>>;
}

/// The calls of one block: each has a head, perhaps an empty one, and one value.
trait Family: std::fmt::Debug + Clone + Send {
    /// Finds the next call from the end of the last one. It starts anew when more text has come, so
    /// what it changes counts only when it succeeds.
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next>;

    /// Reads a value that is complete; what is behind it goes on at `end`.
    fn decode(&mut self, view: &View<'_>, who: Who, text: &str, end: usize) -> Read<Step>;
}

/// Who is called.
#[derive(Debug, Clone, Default)]
struct Who {
    name: String,
    id: Option<String>,
}

/// What comes next in a block.
enum Next {
    /// A bracketed value that starts at this place.
    Value(&'static Flavour, Who, usize),
    /// A value from this place up to a token.
    Until(String, Who, usize),
    /// Something that takes no scan.
    Step(Step),
}

impl Next {
    fn end(end: usize) -> Self {
        Self::Step(Step::End { end })
    }
}

/// Reads a [`Family`].
#[derive(Debug)]
struct Block<F> {
    family: F,
    at: usize,
    value: Option<(Who, usize, Search)>,
}

/// The search for the end of a value.
#[derive(Debug)]
enum Search {
    Bracket(Scan),
    Token(Seek, String),
}

impl<F: Family + 'static> Block<F> {
    fn reader(family: F, at: usize) -> Box<dyn Reader> {
        Box::new(Self { family, at, value: None })
    }
}

impl<F: Family> Reader for Block<F> {
    fn awaits(&self) -> Option<Awaited<'_>> {
        self.value.as_ref().map(|(_, _, search)| match search {
            Search::Bracket(scan) => Awaited::Bracket(scan),
            Search::Token(_, token) => Awaited::Token(token),
        })
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        let (who, start, search) = if let Some(value) = &mut self.value {
            value
        } else {
            let mut family = self.family.clone();
            let next = family.next(view, self.at)?;
            self.family = family;
            match next {
                Next::Value(flavour, who, at) => {
                    self.value.insert((who, at, Search::Bracket(Scan::new(flavour, at))))
                }
                Next::Until(token, who, at) => {
                    self.value.insert((who, at, Search::Token(Seek::new(at), token)))
                }
                Next::Step(step) => {
                    self.at = if let Step::Found { end, .. } = &step { *end } else { self.at };
                    return Ok(step);
                }
            }
        };
        let (text_end, end) = match search {
            Search::Bracket(scan) => scan.run(view).map(|end| (end, end))?,
            Search::Token(seek, token) => {
                seek.token(view, token).map(|at| (at, at + token.len()))?
            }
        };
        let (who, text) = (std::mem::take(who), view.slice(*start..text_end));
        self.at = end;
        self.value = None;
        self.family.decode(view, who, text, end)
    }
}

/// Reads a complete JSON value.
fn json_value(text: &str, end: usize) -> Read<literal::Mended> {
    literal::json(text).map_err(|detail| {
        let detail = format!("invalid JSON: {detail}");
        Stop::Broken { code: ProblemCode::InvalidJson, detail, end }
    })
}

/// What a long argument cannot end without.
pub(crate) enum Awaited<'a> {
    /// The end of a bracketed value.
    Bracket(&'a Scan),
    /// A token.
    Token(&'a str),
}

impl Awaited<'_> {
    pub(crate) fn last_byte(&self) -> u8 {
        match self {
            Self::Bracket(scan) => scan.last_byte(),
            Self::Token(token) => token.bytes().next_back().unwrap_or_default(),
        }
    }

    /// Whether it may be there, now that `fresh` bytes have come, the last byte among them.
    pub(crate) fn may_be_there(&self, view: &View<'_>, fresh: usize) -> bool {
        match self {
            Self::Bracket(scan) => scan.may_end(view),
            Self::Token(token) => {
                let (tail, last) = (view.tail(fresh + token.len()), self.last_byte());
                let mut ends = (0..tail.len()).filter(|&at| tail.get(at) == Some(&last));
                ends.any(|at| tail.get(..=at).is_some_and(|text| text.ends_with(token.as_bytes())))
            }
        }
    }
}

/// What a reader has come to.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// Calls, or reasons why one is none, that end at `end`.
    Found { calls: Vec<Result<Draft, Refusal>>, text: Option<String>, end: usize },
    /// Nothing more of this block: text goes on at `end`.
    End { end: usize },
    /// Not a call but a message of another kind, whose body starts at `body`.
    Message { kind: MessageKind, body: usize },
}

/// What a message that is no call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// Visible text.
    Text,
    /// Reasoning, up to the end of the message.
    Reasoning,
    /// Invented by the model: neither text nor calls, to the very end.
    Invention,
}

impl Step {
    /// One call.
    fn call(draft: Draft, end: usize) -> Self {
        Self::Found { calls: vec![Ok(draft)], text: None, end }
    }
}

/// Whether a word can be a tool's name.
fn is_name(word: &str) -> bool {
    const MAX_NAME: usize = 128;
    let allowed = |c: char| c.is_alphanumeric() || "_-.:/$".contains(c);
    word.len() <= MAX_NAME
        && word.chars().all(allowed)
        && word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
}
