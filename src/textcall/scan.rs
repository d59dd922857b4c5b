//! Where does a bracketed value end?
//!
//! A resumable scanner: brackets and strings only, so that a marker inside a string never ends
//! anything. It fails at the first byte that cannot stand outside a string, which is how a call
//! that lost its last bracket is told from one that still goes on.

use super::parsed::ProblemCode;
use super::view::{Read, Stop, View};

/// Which bytes mean what.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flavour {
    /// What opens and closes a string, besides `"` and `'` of the quoting flavours.
    delimiter: Option<&'static str>,
    /// Whether quotes make strings.
    quotes: bool,
    /// Whether `(`, `)` and `=` may stand outside strings, and three quotes make a string.
    python: bool,
    /// What may follow a closing quote, white space aside.
    follow: &'static str,
}

impl Flavour {
    /// What may follow a closing quote, white space aside.
    pub(crate) fn follow(&self) -> &'static str {
        self.follow
    }
}

/// JSON, single quotes and comments tolerated.
pub(crate) const JSON: Flavour =
    Flavour { delimiter: None, quotes: true, python: false, follow: ",:}]/" };

/// Python literals and calls.
pub(crate) const PYTHON: Flavour =
    Flavour { delimiter: None, quotes: true, python: true, follow: ",:}])#'\"" };

/// Bare keys and values, with a token of its own round strings.
pub(crate) const fn delimited(delimiter: &'static str) -> Flavour {
    Flavour { delimiter: Some(delimiter), quotes: false, python: false, follow: "" }
}

/// How deep values may nest; what hostile text has beyond is no call.
pub(crate) const MAX_DEPTH: usize = 120;

/// How much white space is looked through to find what follows a quote.
const MAX_LOOKAHEAD: usize = 64;

/// A scan under way.
#[derive(Debug)]
pub(crate) struct Scan {
    flavour: &'static Flavour,
    at: usize,
    open: Vec<u8>,
    inside: Inside,
    /// How much of the text there was at the last look.
    seen: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Value,
    Quotes(u8, usize),
    Delimiter(&'static str),
    LineComment,
    BlockComment,
}

impl Scan {
    /// A scan from an opening bracket.
    pub(crate) fn new(flavour: &'static Flavour, at: usize) -> Self {
        Self { flavour, at, open: Vec::new(), inside: Inside::Value, seen: 0 }
    }

    /// The byte without which nothing changes: in a string that has been read as far as it goes,
    /// its quote.
    pub(crate) fn awaits(&self) -> Option<u8> {
        match self.inside {
            Inside::Quotes(quote, _) if self.at == self.seen => Some(quote),
            _ => None,
        }
    }

    /// Whether a string may end in the bytes that have just come.
    pub(crate) fn may_end(&self, view: &View<'_>, fresh: usize) -> bool {
        let Inside::Quotes(quote, _) = self.inside else { return true };
        let text = view.rest(self.at).as_bytes();
        let is_escaped = |at: usize| {
            let before = text.get(..at).unwrap_or_default().iter().rev();
            before.take_while(|&&byte| byte == b'\\').count() % 2 == 1
        };
        let from = text.len().saturating_sub(fresh);
        let fresh = text.get(from..).unwrap_or_default();
        memchr::memchr_iter(quote, fresh).any(|at| !is_escaped(from + at))
    }

    /// The place after the closing bracket.
    pub(crate) fn run(&mut self, view: &View<'_>) -> Read<usize> {
        self.seen = view.end();
        loop {
            let step = match self.inside {
                Inside::Value => self.value(view)?,
                Inside::Quotes(quote, count) => self.quoted(view, quote, count)?,
                Inside::Delimiter(token) => self.until(view, token)?,
                Inside::LineComment => self.until(view, "\n")?,
                Inside::BlockComment => self.until(view, "*/")?,
            };
            if let Some(end) = step {
                return Ok(end);
            }
        }
    }

    /// Goes through bytes outside strings up to the end or into a string or comment.
    fn value(&mut self, view: &View<'_>) -> Read<Option<usize>> {
        let start = self.at;
        for (offset, &byte) in view.rest(start).as_bytes().iter().enumerate() {
            let here = start + offset;
            match byte {
                b'{' | b'[' => self.open.push(byte),
                b'(' if self.flavour.python => self.open.push(byte),
                b'}' | b']' | b')' => {
                    if !self.closes(byte) {
                        return Err(broken(view, here));
                    }
                    if self.open.is_empty() {
                        self.at = here + 1;
                        return Ok(Some(self.at));
                    }
                }
                b'"' | b'\'' if self.flavour.quotes => return self.enter_quotes(view, here, byte),
                b'<' if self.flavour.delimiter.is_some() => {
                    self.at = here;
                    let token = self.flavour.delimiter.unwrap_or_default();
                    if view.has(here, token)? {
                        self.at = here + token.len();
                        self.inside = Inside::Delimiter(token);
                        return Ok(None);
                    }
                }
                b'/' if self.flavour.quotes && !self.flavour.python => {
                    return self.enter_comment(view, here);
                }
                _ if self.plain(byte) => {}
                _ => return Err(broken(view, here)),
            }
            if self.open.len() > MAX_DEPTH {
                return Err(broken(view, here));
            }
        }
        self.at = view.end();
        Err(view.short())
    }

    fn closes(&mut self, byte: u8) -> bool {
        let opened = self.open.pop();
        matches!((opened, byte), (Some(b'{'), b'}') | (Some(b'['), b']') | (Some(b'('), b')'))
    }

    /// Whether a byte may stand outside strings and brackets.
    fn plain(&self, byte: u8) -> bool {
        let json = byte.is_ascii_alphanumeric()
            || byte.is_ascii_whitespace()
            || matches!(byte, b',' | b':' | b'_' | b'-' | b'+' | b'.' | b'$')
            || byte >= 0x80;
        json || !self.flavour.quotes || self.flavour.python && matches!(byte, b'=' | b'*' | b'#')
    }

    fn enter_quotes(&mut self, view: &View<'_>, here: usize, quote: u8) -> Read<Option<usize>> {
        self.at = here;
        let triple = if quote == b'"' { "\"\"\"" } else { "'''" };
        let count = if self.flavour.python && view.has(here, triple)? { 3 } else { 1 };
        self.at = here + count;
        self.inside = Inside::Quotes(quote, count);
        Ok(None)
    }

    fn enter_comment(&mut self, view: &View<'_>, here: usize) -> Read<Option<usize>> {
        self.at = here;
        self.inside = match view.peek(here + 1)? {
            '/' => Inside::LineComment,
            '*' => Inside::BlockComment,
            _ => return Err(broken(view, here)),
        };
        self.at = here + 2;
        Ok(None)
    }

    /// Goes to the end of a quoted string.
    fn quoted(&mut self, view: &View<'_>, quote: u8, count: usize) -> Read<Option<usize>> {
        loop {
            let bytes = view.rest(self.at).as_bytes();
            let Some(offset) = memchr::memchr2(quote, b'\\', bytes) else {
                self.at = view.end();
                return Err(view.short());
            };
            self.at += offset;
            if bytes.get(offset) == Some(&b'\\') {
                let escaped = view.peek(self.at + 1)?;
                self.at += 1 + escaped.len_utf8();
            } else if let Some(end) = closing(view, self.at, quote, count, self.flavour.follow)? {
                self.at = end;
                self.inside = Inside::Value;
                return Ok(None);
            } else {
                self.at += 1;
            }
        }
    }

    /// Goes past the next occurrence of a token.
    fn until(&mut self, view: &View<'_>, token: &str) -> Read<Option<usize>> {
        let rest = view.rest(self.at);
        if let Some(offset) = rest.find(token) {
            self.at += offset + token.len();
            self.inside = Inside::Value;
            return Ok(None);
        }
        let keep = (1..token.len()).rev().find(|&n| rest.ends_with(token.get(..n).unwrap_or("-")));
        self.at = view.end() - keep.unwrap_or(0);
        Err(view.short())
    }
}

/// The place after a closing quote, or none if the quote is part of the string: a quote that is
/// followed by something no value can be followed by should have been escaped.
fn closing(
    view: &View<'_>,
    at: usize,
    quote: u8,
    count: usize,
    follow: &str,
) -> Read<Option<usize>> {
    if count == 3 {
        let triple = if quote == b'"' { "\"\"\"" } else { "'''" };
        return Ok(view.has(at, triple)?.then_some(at + 3));
    }
    let rest = view.rest(at + 1);
    match quote_closes(rest, follow) {
        Some(closes) => Ok(closes.then_some(at + 1)),
        None if view.is_final() => Ok(Some(at + 1)),
        None => Err(Stop::More),
    }
}

/// Whether a quote before `rest` ends its string; none if `rest` is too short to tell.
pub(crate) fn quote_closes(rest: &str, follow: &str) -> Option<bool> {
    let next = rest.bytes().take(MAX_LOOKAHEAD).find(|byte| !byte.is_ascii_whitespace());
    match next {
        Some(byte) => Some(follow.as_bytes().contains(&byte)),
        None if rest.len() >= MAX_LOOKAHEAD => Some(true),
        None => None,
    }
}

fn broken(view: &View<'_>, at: usize) -> Stop {
    let found = view.rest(at).chars().next().unwrap_or_default();
    let detail = format!("the value breaks off at byte {at}, where {found:?} stands");
    Stop::Broken { code: ProblemCode::InvalidJson, detail, end: at }
}
