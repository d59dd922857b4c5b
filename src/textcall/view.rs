//! A view of the text that has arrived so far, and questions about places in it.
//!
//! Places are offsets from the start of the whole text, so that readers can keep them while the
//! buffer moves on. Every question has three answers: yes, no, and "more text is needed".

use std::ops::Range;

use super::parsed::ProblemCode;
use super::steps::charge;
use crate::tools::Catalog;

/// How many bytes of white space, and of tokens that mean nothing, may stand between the parts of a
/// call. A reader goes through them again whenever more text comes and from every marker among them.
const MAX_GAP: usize = 1024;

/// How long the word after a Markdown fence, and the suffix of a tag, may be.
pub(crate) const MAX_WORD: usize = 64;

/// Why a reader cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadStop {
    /// More text is needed to decide.
    More,
    /// Not a call of this format.
    Reject,
    /// An attempt at a call that cannot be one; the text from `end` on is not part of it.
    Broken { code: ProblemCode, detail: String, end: usize },
}

/// The result of reading a text that may still grow.
pub(crate) type ReadResult<T> = Result<T, ReadStop>;

/// The end of the text that has not been reported yet.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    text: &'a str,
    base: usize,
    /// Whether no more text will come.
    pub(crate) is_final: bool,
    pub(crate) catalog: &'a Catalog,
}

impl<'a> View<'a> {
    pub(crate) fn new(text: &'a str, base: usize, is_final: bool, catalog: &'a Catalog) -> Self {
        Self { text, base, is_final, catalog }
    }

    /// Everything from a place on.
    pub(crate) fn rest(&self, at: usize) -> &'a str {
        self.text.get(at.saturating_sub(self.base)..).unwrap_or("")
    }

    /// The text from a place on, but no more of it than this.
    pub(crate) fn window(&self, at: usize, limit: usize) -> &'a str {
        let rest = self.rest(at);
        let limit = (0..=limit.min(rest.len())).rev().find(|&end| rest.is_char_boundary(end));
        limit.and_then(|limit| rest.get(..limit)).unwrap_or(rest)
    }

    /// The text between two places.
    pub(crate) fn slice(&self, span: Range<usize>) -> &'a str {
        self.rest(span.start).get(..span.end.saturating_sub(span.start)).unwrap_or("")
    }

    /// The bytes from a place on, which may lie inside a character.
    pub(crate) fn bytes(&self, at: usize) -> &'a [u8] {
        self.text.as_bytes().get(at.saturating_sub(self.base)..).unwrap_or_default()
    }

    /// The place after the last byte so far.
    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// Why a reader that reached the end must stop.
    pub(crate) fn short(&self) -> ReadStop {
        if !self.is_final {
            return ReadStop::More;
        }
        let detail = "the text ends before the call does; send the whole call again".to_owned();
        ReadStop::Broken { code: ProblemCode::Truncated, detail, end: self.end() }
    }

    /// The next place that is not white space. Calls do not hold more of it than [`MAX_GAP`].
    pub(crate) fn skip_space(&self, at: usize) -> usize {
        let window = self.window(at, MAX_GAP);
        let length = window.len() - window.trim_start().len();
        charge(length);
        at + length
    }

    /// Why a reader that does not find what it expects here must stop.
    pub(crate) fn short_at(&self, at: usize) -> ReadStop {
        if at == self.end() { self.short() } else { ReadStop::Reject }
    }

    /// The next place that is neither white space nor one of these tokens.
    pub(crate) fn skip_tokens(&self, from: usize, tokens: &[&str]) -> ReadResult<usize> {
        let mut at = self.skip_space(from);
        while at - from < MAX_GAP
            && let Some(length) = self.any(at, tokens)?
        {
            at = self.skip_space(at + length);
        }
        Ok(at)
    }

    /// The place after a token that may stand here behind white space.
    pub(crate) fn skip_any(&self, from: usize, tokens: &[&str]) -> ReadResult<usize> {
        let at = self.skip_space(from);
        Ok(self.any(at, tokens)?.map_or(from, |length| at + length))
    }

    /// The character at a place; without one, a reader is short of text.
    pub(crate) fn peek(&self, at: usize) -> ReadResult<char> {
        self.rest(at).chars().next().ok_or_else(|| self.short())
    }

    /// The character at a place, or none at the end of the whole text.
    pub(crate) fn peek_or_end(&self, at: usize) -> ReadResult<Option<char>> {
        match self.rest(at).chars().next() {
            None if !self.is_final => Err(ReadStop::More),
            next => Ok(next),
        }
    }

    /// Whether a token stands at a place.
    pub(crate) fn has(&self, at: usize, token: &str) -> ReadResult<bool> {
        let rest = self.rest(at);
        charge(1);
        if rest.starts_with(token) {
            return Ok(true);
        }
        if !self.is_final && token.starts_with(rest) { Err(ReadStop::More) } else { Ok(false) }
    }

    /// The length of whichever token stands at a place; list longer ones first.
    pub(crate) fn any(&self, at: usize, tokens: &[&str]) -> ReadResult<Option<usize>> {
        for token in tokens {
            if self.has(at, token)? {
                return Ok(Some(token.len()));
            }
        }
        Ok(None)
    }

    /// The word after a Markdown fence that stands here, and the place after it.
    pub(crate) fn fence(&self, at: usize) -> ReadResult<Option<(&'a str, usize)>> {
        if !self.has(at, "```")? {
            return Ok(None);
        }
        let info = self.window(at + 3, MAX_WORD);
        charge(info.len());
        match info.find(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            Some(end) => Ok(Some((info.get(..end).unwrap_or(""), at + 3 + end))),
            None if info.len() == self.rest(at + 3).len() => Err(self.short()),
            None => Ok(None),
        }
    }

    /// The next place where a token starts; without one, the place from which to search on.
    pub(crate) fn find(&self, from: usize, token: &str) -> Result<usize, usize> {
        let (bytes, token) = (self.bytes(from), token.as_bytes());
        let is_there = |at: &usize| bytes.get(*at..).is_some_and(|rest| rest.starts_with(token));
        let first = token.first().copied().unwrap_or_default();
        let found = memchr::memchr_iter(first, bytes).find(is_there);
        charge(found.unwrap_or(bytes.len()));
        found.map(|at| from + at).ok_or(from.max((self.end() + 1).saturating_sub(token.len())))
    }
}
