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

pub(in crate::textcall) use channels::Channels;
pub(in crate::textcall) use elements::Elements;
pub(in crate::textcall) use headed::{Head, Headed};
pub(in crate::textcall) use json::{Fence, JsonBlock, Starts};
pub(in crate::textcall) use notation::Notation;
pub(in crate::textcall) use pairs::Pairs;
pub(in crate::textcall) use python::{Brackets, Python};
pub(in crate::textcall) use react::React;
pub(in crate::textcall) use tags::Tags;

use super::payload::{Draft, Refusal};
use super::view::{Read, View};

/// Reads the calls behind one opener.
pub(in crate::textcall) trait Reader: std::fmt::Debug + Send {
    /// Goes on as far as the text allows. A reader that found a call is asked again.
    fn step(&mut self, view: &View<'_>) -> Read<Step>;

    /// The byte without which the argument being read cannot be complete.
    fn awaits(&self) -> Option<u8> {
        None
    }
}

/// What a reader has come to.
#[derive(Debug, PartialEq)]
pub(in crate::textcall) enum Step {
    /// Calls, or reasons why one is none, that end at `end`.
    Found { calls: Vec<Result<Draft, Refusal>>, text: Option<String>, end: usize },
    /// Nothing more of this block: text goes on at `end`.
    End { end: usize },
    /// Not a call but a message of another kind, whose body starts at `body`.
    Message { kind: MessageKind, body: usize },
}

/// What a message that is no call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::textcall) enum MessageKind {
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
