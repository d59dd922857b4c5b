//! The scanner for the end of a bracketed value.
//!
//! It can stop anywhere and resume, and knows brackets and strings only, so that a marker inside a string never ends
//! anything. It fails at the first byte that cannot stand outside a string, which is how a call
//! that lost its last bracket is told from one that still goes on.

use super::parsed::ProblemCode;
use super::steps::charge;
use super::view::{ReadResult, ReadStop, View};

/// Which bytes mean what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// JSON, single quotes and comments tolerated.
    Json,
    /// Python literals and calls.
    Python,
    /// Bare keys and values, with a token of its own round strings.
    Delimited(&'static str),
}

/// What the scanner is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Value,
    /// A string up to these quotes, with escapes in it.
    Quotes(&'static str),
    /// A string without escapes, or a comment.
    Until(&'static str),
}

impl Flavour {
    /// What opens strings and comments, longer tokens first.
    fn insides(self) -> [(&'static str, Inside); 4] {
        let quotes = |token| (token, Inside::Quotes(token));
        match self {
            Self::Json => {
                let (line, block) = (Inside::Until("\n"), Inside::Until("*/"));
                [quotes("\""), quotes("'"), ("//", line), ("/*", block)]
            }
            Self::Python => [quotes("\"\"\""), quotes("'''"), quotes("\""), quotes("'")],
            Self::Delimited(token) => [(token, Inside::Until(token)); 4],
        }
    }

    /// Whether a byte may stand outside strings and brackets.
    fn is_plain(self, byte: u8) -> bool {
        let json = byte.is_ascii_alphanumeric()
            || byte.is_ascii_whitespace()
            || b",:_-+.$".contains(&byte)
            || byte >= 0x80;
        match self {
            Self::Json => json,
            Self::Python => json || b"=*#".contains(&byte),
            Self::Delimited(_) => !b"{[".contains(&byte),
        }
    }

    /// Whether a quote before `rest` ends its string; none if `rest` is too short to tell. A quote
    /// that is followed by something no value can be followed by should have been escaped.
    pub(crate) fn quote_closes(self, rest: &str) -> Option<bool> {
        const MAX_LOOKAHEAD: usize = 64;
        let follow = if self == Self::Python { ",:}])#'\"" } else { ",:}]/" };
        let next = rest.bytes().take(MAX_LOOKAHEAD).find(|byte| !byte.is_ascii_whitespace());
        match next {
            Some(byte) => Some(follow.as_bytes().contains(&byte)),
            None if rest.len() >= MAX_LOOKAHEAD => Some(true),
            None => None,
        }
    }
}

/// How deep values may nest. Deeper values are hostile text, not calls.
pub(crate) const MAX_DEPTH: usize = 120;

/// A scan under way.
#[derive(Debug)]
pub(crate) struct Scan {
    flavour: Flavour,
    at: usize,
    /// What would close the open brackets; in ASCII that of `{` and `[` is the next but one.
    open: Vec<u8>,
    inside: Inside,
}

impl Scan {
    /// A scan from an opening bracket.
    pub(crate) fn new(flavour: Flavour, at: usize) -> Self {
        Self { flavour, at, open: Vec::new(), inside: Inside::Value }
    }

    /// The byte without which nothing changes: in a string, one that may end it.
    pub(crate) fn awaits(&self, view: &View<'_>) -> Option<u8> {
        match self.inside {
            Inside::Quotes(close) if self.at == view.end() => close.bytes().next(),
            Inside::Until(close) => close.bytes().next_back(),
            Inside::Value | Inside::Quotes(_) => None,
        }
    }

    /// Whether that byte, which is among the last `fresh` ones, is more than an escaped quote.
    pub(crate) fn may_go_on(&self, view: &View<'_>, fresh: usize) -> bool {
        let Inside::Quotes(close) = self.inside else { return true };
        let (text, quote) = (view.bytes(self.at), close.bytes().next());
        let is_escaped = |at: usize| {
            let before = text.get(..at).unwrap_or_default().iter().rev();
            before.take_while(|byte| **byte == b'\\').count() % 2 == 1
        };
        let fresh = text.iter().enumerate().skip(text.len().saturating_sub(fresh));
        fresh.filter(|(_, byte)| Some(**byte) == quote).any(|(at, _)| !is_escaped(at))
    }

    /// The place after the closing bracket.
    pub(crate) fn run(&mut self, view: &View<'_>) -> ReadResult<usize> {
        loop {
            charge(1);
            match self.inside {
                Inside::Value => {
                    if let Some(end) = self.value(view)? {
                        return Ok(end);
                    }
                }
                Inside::Quotes(close) => self.quoted(view, close)?,
                Inside::Until(close) => {
                    let found = view.find(self.at, close);
                    let (Ok(at) | Err(at)) = found;
                    self.at = at;
                    self.at += found.map(|_| close.len()).map_err(|_| view.short())?;
                    self.inside = Inside::Value;
                }
            }
        }
    }

    /// Goes through bytes outside strings up to the end or into a string or comment.
    fn value(&mut self, view: &View<'_>) -> ReadResult<Option<usize>> {
        for (&byte, here) in view.bytes(self.at).iter().zip(self.at..) {
            charge(1);
            let deep = self.open.len() >= MAX_DEPTH;
            match byte {
                b'{' | b'[' if !deep => self.open.push(byte + 2),
                b'(' if !deep && self.flavour == Flavour::Python => self.open.push(b')'),
                b'}' | b']' | b')' => {
                    if self.open.pop() != Some(byte) {
                        return Err(broken_at(view, here));
                    }
                    if self.open.is_empty() {
                        return Ok(Some(here + 1));
                    }
                }
                b'"' | b'\'' | b'/' | b'<' if self.enters(view, here)? => return Ok(None),
                _ if self.flavour.is_plain(byte) => {}
                _ => return Err(broken_at(view, here)),
            }
        }
        self.at = view.end();
        Err(view.short())
    }

    /// Goes into a string or comment that starts at a place.
    fn enters(&mut self, view: &View<'_>, here: usize) -> ReadResult<bool> {
        self.at = here;
        for (token, inside) in self.flavour.insides() {
            if view.has(here, token)? {
                (self.at, self.inside) = (here + token.len(), inside);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes past the end of a quoted string.
    fn quoted(&mut self, view: &View<'_>, close: &str) -> ReadResult<()> {
        let quote = close.bytes().next().unwrap_or_default();
        while let Some(offset) = memchr::memchr2(quote, b'\\', view.bytes(self.at)) {
            charge(1 + offset);
            self.at += offset;
            if view.bytes(self.at).first() == Some(&b'\\') {
                view.bytes(self.at).get(1).ok_or_else(|| view.short())?;
                self.at += 2;
            } else if self.quote_closes(view, close)? {
                self.at += close.len();
                self.inside = Inside::Value;
                return Ok(());
            } else {
                self.at += 1;
            }
        }
        self.at = view.end();
        Err(view.short())
    }

    fn quote_closes(&self, view: &View<'_>, close: &str) -> ReadResult<bool> {
        if close.len() > 1 {
            return view.has(self.at, close);
        }
        match self.flavour.quote_closes(view.rest(self.at + 1)) {
            None if !view.is_final => Err(ReadStop::More),
            closes => Ok(closes.unwrap_or(true)),
        }
    }
}

fn broken_at(view: &View<'_>, at: usize) -> ReadStop {
    let found = view.rest(at).chars().next().unwrap_or_default();
    let detail = format!("the value breaks off at byte {at}, where {found:?} stands");
    ReadStop::Broken { code: ProblemCode::InvalidJson, detail, end: at }
}
