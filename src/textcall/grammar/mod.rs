//! Grammars: how a call is read after its marker.
//!
//! One file per grammar: a `const`-constructible config that formats fill in, which says what comes
//! next in a block of calls. The [`CallReader`] drives all of them: it can stop anywhere and resume
//! when more text has arrived. A head, which is short, is then read again; the search for the end of
//! a value keeps its place and never looks twice at an argument.

mod elements;
mod headed;
mod listed;
mod tags;

pub(crate) use headed::{Head, Headed};
pub(crate) use listed::{Fence, Listed, Notation, Starts};
pub(crate) use tags::{TagStyle, Tags};

use serde_json::Value;

use super::literal;
use super::parsed::ProblemCode;
use super::payload::{CallDraft, Refusal};
use super::scan::{Flavour, Scan};
use super::steps::charge;
use super::view::{MAX_WORD, ReadResult, ReadStop, View};
use crate::ir::Object;

/// How the calls of a block are written. Every grammar's config implements it.
pub(crate) trait CallGrammar: std::fmt::Debug + Sync {
    /// Finds what comes next. It is asked again from the same place when more text has come; of
    /// what it changes in the block, the list and the fence are put back then.
    fn next(&self, view: &View<'_>, block: &mut Block) -> ReadResult<Next>;

    /// Where the value ends and where the call goes on, if the token found at this place ends it.
    fn ends(&self, _: &View<'_>, _: &mut Block, at: usize) -> ReadResult<Option<(usize, usize)>> {
        Ok(Some((at, at)))
    }

    /// Reads a value that is complete, or was left out.
    fn decode(&self, view: &View<'_>, block: &mut Block, text: &str) -> ReadResult<Next>;
}

/// What comes next in a block.
pub(crate) enum Next {
    /// More of the call from this place on.
    Inside(usize),
    /// A bracketed value that starts at this place.
    Value(Flavour, usize),
    /// A value from this place up to a token.
    Until(String, usize),
    /// Something that takes no value.
    Step(ReadStep),
}

impl Next {
    fn end(end: usize) -> Self {
        Self::Step(ReadStep::End { end })
    }
}

/// What is known of the block being read.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The marker before it, if it has one.
    opener: &'static str,
    /// How far it has been read.
    at: usize,
    /// Whether there was a call.
    found: bool,
    /// Whether the calls stand in a list, and in a Markdown fence, that has not been closed.
    list: bool,
    fenced: bool,
    /// The call being read.
    call: CallDraft,
    /// Where the value being read starts, and where what announces it does.
    start: usize,
    head: usize,
    /// What ends the value, if that is a token.
    token: String,
    /// How many examples of calls stand open in it, as far as it has been searched for them.
    nested: usize,
    searched: usize,
}

/// Where the next call starts, or that the block ends.
type CallOrEnd = Result<usize, Next>;

impl Block {
    /// Looks for the next call, which a token announces, or for the end of the block. The tokens
    /// are those that mean nothing, those that start a call and those that end a section.
    fn find_next_call(
        &self,
        view: &View<'_>,
        from: usize,
        tokens: [&[&str]; 3],
    ) -> ReadResult<CallOrEnd> {
        let [gap, call, section_close] = tokens;
        let stem = self.opener.trim_end_matches(['>', ':']);
        let opens = |call: &&str| stem.ends_with(call.trim_end_matches('>'));
        if !self.found && (call.is_empty() || call.iter().any(opens)) {
            return Ok(Ok(from));
        }
        let at = view.skip_tokens(from, gap)?;
        match skip_any(view, at, call)? {
            Some(head) => Ok(Ok(head)),
            None if !self.found => Err(view.short_at(at)),
            None => Ok(Err(Next::end(skip_any(view, at, section_close)?.unwrap_or(from)))),
        }
    }

    /// Reads JSON arguments that are complete, or left out.
    fn json_arguments(&mut self, text: &str) -> ReadResult<()> {
        let text = if text.is_empty() { "{}" } else { text };
        let (value, repairs) = json_value(text, self.at)?;
        self.call.input = if let Value::Object(input) = value { input } else { Object::new() };
        self.call.repairs.extend(repairs);
        Ok(())
    }

    /// Reports the call being read, which is complete.
    fn finish_call(&mut self, end: usize) -> Next {
        let calls = vec![Ok(std::mem::take(&mut self.call))];
        Next::Step(ReadStep::Found { calls, text: None, end })
    }
}

/// Reads the calls behind one opener.
#[derive(Debug)]
pub(crate) struct CallReader {
    rules: &'static dyn CallGrammar,
    block: Block,
    search: Option<Search>,
}

/// The search for the end of a value.
#[derive(Debug)]
enum Search {
    Bracket(Scan),
    /// From this place on.
    Token(usize),
}

impl CallReader {
    /// A reader for what stands after `opener`, which ends at `at`.
    pub(crate) fn new(rules: &'static dyn CallGrammar, opener: &'static str, at: usize) -> Self {
        Self { rules, block: Block { opener, at, ..Block::default() }, search: None }
    }

    /// How far the calls have been read, and the values in them.
    pub(crate) fn place(&self) -> usize {
        self.block.at
    }

    /// The byte without which the call being read cannot go on.
    pub(crate) fn awaits(&self, view: &View<'_>) -> Option<u8> {
        let token = self.block.token.as_bytes();
        match self.search.as_ref()? {
            Search::Bracket(scan) => scan.awaits(view),
            // Whether a token that is there ends the value, what follows tells.
            Search::Token(from) if view.bytes(*from).starts_with(token) => None,
            Search::Token(_) => token.last().copied(),
        }
    }

    /// Whether it can go on, now that `fresh` bytes have arrived, that byte among them.
    pub(crate) fn may_go_on(&self, view: &View<'_>, fresh: usize) -> bool {
        match &self.search {
            Some(Search::Bracket(scan)) => scan.may_go_on(view, fresh),
            Some(Search::Token(_)) => {
                let (token, text) = (self.block.token.as_bytes(), view.bytes(0));
                // From behind and byte by byte: nearly always it is over after one or two.
                let is_there = |end: usize| {
                    let text = text.get(..end).unwrap_or_default();
                    let mut pairs = text.iter().rev().zip(token.iter().rev());
                    pairs.all(|(a, b)| a == b) && text.len() >= token.len()
                };
                (text.len().saturating_sub(fresh)..=text.len()).any(is_there)
            }
            None => true,
        }
    }

    /// Reads as far as the text allows. A reader that found a call is asked again.
    pub(crate) fn step(&mut self, view: &View<'_>) -> ReadResult<ReadStep> {
        loop {
            let next = if self.search.is_some() { self.value(view) } else { self.next(view) };
            match next? {
                Next::Inside(at) => self.block.at = at,
                Next::Value(flavour, start) => {
                    self.search = Some(Search::Bracket(Scan::new(flavour, start)));
                    self.expect(start, String::new());
                }
                Next::Until(token, start) => {
                    self.search = Some(Search::Token(start));
                    self.expect(start, token);
                }
                Next::Step(step) => {
                    if let ReadStep::Found { end, .. } = &step {
                        self.block.at = *end;
                        self.block.found = true;
                    }
                    return Ok(step);
                }
            }
        }
    }

    fn next(&mut self, view: &View<'_>) -> ReadResult<Next> {
        let Block { list, fenced, .. } = self.block;
        let next = self.rules.next(view, &mut self.block);
        next.inspect_err(|_| (self.block.list, self.block.fenced) = (list, fenced))
    }

    fn expect(&mut self, start: usize, token: String) {
        let block = &mut self.block;
        (block.head, block.start, block.token) = (block.at, start, token);
        (block.nested, block.searched) = (0, start);
    }

    /// Reads a value once its end is there.
    fn value(&mut self, view: &View<'_>) -> ReadResult<Next> {
        let (text_end, end) = match &mut self.search {
            Some(Search::Bracket(scan)) => scan.run(view).map(|end| (end, end))?,
            Some(Search::Token(from)) => loop {
                let found = view.find(*from, &self.block.token);
                let (Ok(place) | Err(place)) = found;
                *from = place;
                let at = found.map_err(|_| view.short())?;
                if let Some(ends) = self.rules.ends(view, &mut self.block, at)? {
                    break ends;
                }
                *from = at + 1;
            },
            None => return Ok(Next::Inside(self.block.at)),
        };
        self.search = None;
        self.block.at = end;
        let text = view.slice(self.block.start..text_end);
        charge(text.len());
        self.rules.decode(view, &mut self.block, text)
    }
}

/// What a reader found.
#[derive(Debug, PartialEq)]
pub(crate) enum ReadStep {
    /// Calls, or reasons why one failed, that end at `end`.
    Found { calls: Vec<Result<CallDraft, Refusal>>, text: Option<String>, end: usize },
    /// Nothing more of this block: text goes on at `end`.
    End { end: usize },
    /// A message that is not a call, whose body starts at `body`.
    Message { kind: MessageKind, body: usize },
}

/// What a message is that is not a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// Visible text.
    Text,
    /// Reasoning, up to the end of the message.
    Reasoning,
    /// Invented by the model: neither text nor calls, to the very end.
    Invention,
}

/// How long a head may be, and the token that ends it.
const MAX_HEAD: usize = 512;
const MAX_TOKEN: usize = 64;

/// The part of the text that a head, and the token that ends it, must lie in.
fn head_window<'a>(view: &View<'a>, from: usize) -> &'a str {
    view.window(from, MAX_HEAD + MAX_TOKEN)
}

/// The text before what `end` finds. Until that has come, `hopeful` says whether it still may.
fn head<'a>(
    view: &View<'a>,
    from: usize,
    end: impl Fn(&str) -> Option<usize>,
    hopeful: impl Fn(&str) -> bool,
) -> ReadResult<&'a str> {
    let window = head_window(view, from);
    charge(window.len());
    match end(window) {
        Some(length) if length <= MAX_HEAD => Ok(window.get(..length).unwrap_or("")),
        None if window.len() == view.rest(from).len() && hopeful(window) => Err(view.short()),
        _ => Err(ReadStop::Reject),
    }
}

/// The place after whichever tag stands here; one that ends in `>` may carry a suffix such as `:7`.
fn skip_any(view: &View<'_>, at: usize, tags: &[&str]) -> ReadResult<Option<usize>> {
    if let Some(length) = view.any(at, tags)? {
        return Ok(Some(at + length));
    }
    let rest = view.rest(at);
    let mut stems = tags.iter().filter_map(|tag| tag.strip_suffix('>'));
    let suffix = stems.find_map(|stem| rest.strip_prefix(stem)?.strip_prefix(':'));
    let Some(suffix) = suffix else { return Ok(None) };
    let suffix_bytes = suffix.bytes().take(MAX_WORD).take_while(u8::is_ascii_alphanumeric);
    let end = at + rest.len() - suffix.len() + suffix_bytes.count();
    Ok((view.peek_or_end(end)? == Some('>')).then_some(end + 1))
}

fn broken(code: ProblemCode, detail: impl Into<String>, end: usize) -> ReadStop {
    ReadStop::Broken { code, detail: detail.into(), end }
}

/// Reads a complete JSON value.
fn json_value(text: &str, end: usize) -> ReadResult<literal::Repaired> {
    let broken = |detail| broken(ProblemCode::InvalidJson, format!("invalid JSON: {detail}"), end);
    literal::json(text).map_err(broken)
}

/// Whether a word can be a tool's name.
fn is_name(word: &str) -> bool {
    const MAX_NAME: usize = 128;
    let allowed = |c: char| c.is_alphanumeric() || "_-.:/$".contains(c);
    word.len() <= MAX_NAME
        && word.chars().all(allowed)
        && word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
}
