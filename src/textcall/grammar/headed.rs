//! The grammar of calls with a head: it names the tool, and the arguments follow in braces.
//!
//! Token sections, messages and lines are of this kind.

use std::cmp::Reverse;

use serde_json::Value;

use super::{Block, CallGrammar, MessageKind, Next, ReadStep, broken, head, head_window, is_name};
use crate::textcall::coerce::{AllowedTypes, coerce, settle};
use crate::textcall::literal;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, CallDraft, Refusal, Trust};
use crate::textcall::scan::Flavour;
use crate::textcall::view::{ReadResult, ReadStop, View};

/// `SECTION (CALL head SEPARATOR {…} CLOSE)* SECTION_END`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Headed {
    /// The tokens that start a call; any other opener starts a section.
    pub(crate) call: &'static [&'static str],
    /// How the name, and the id if there is one, stand in the head.
    pub(crate) head: Head,
    /// What ends the head; a `{` mostly does.
    pub(crate) separators: &'static [&'static str],
    /// The token around strings, and the scanner's settings for it, if the arguments are not JSON.
    pub(crate) delimiter: Option<&'static str>,
    /// What ends a call; models forget it.
    pub(crate) close: &'static [&'static str],
    /// What ends a section; models forget it.
    pub(crate) section_close: &'static [&'static str],
    /// Whether the name must be one that was offered.
    pub(crate) trust: Trust,
}

/// What may stand around a name on a line of its own.
const DECORATION: [char; 4] = ['`', '*', '"', '\''];

/// How the name and the id stand in a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// The name alone.
    Name,
    /// `functions.NAME:3`, all of which is the id too.
    Counted,
    /// The id, a token, the name.
    IdThenName(&'static str),
    /// The name, a token, the id.
    NameThenId(&'static str),
    /// A word that is always there, the name.
    Worded(&'static str),
    /// The name, which the JSON repeats beside the arguments.
    Repeated,
    /// `PREFIX NAME` without a marker.
    Prefixed(&'static str),
    /// The name on a line, perhaps decorated. From this word on the model speaks for the host.
    Line(&'static str),
    /// A header that says whom a message is for: a tool, the user, or the model itself.
    Recipient,
}

impl Headed {
    /// A marked call with nothing else said.
    pub(crate) const MARKED: Self = Self {
        call: &[],
        head: Head::Name,
        separators: &[],
        delimiter: None,
        close: &[],
        section_close: &[],
        trust: Trust::Marked,
    };

    /// The same without its marker.
    pub(crate) const fn bare(self, prefix: &'static str) -> Self {
        Self { head: Head::Prefixed(prefix), trust: Trust::Offered, ..self }
    }
}

impl CallGrammar for Headed {
    fn next(&self, view: &View<'_>, block: &mut Block) -> ReadResult<Next> {
        let mut at = block.at;
        if block.found {
            at = self.skip_closers(view, block, at)?;
            if let Head::Line(host) = self.head {
                let (kind, body) = (MessageKind::Invention, view.skip_space(at));
                let invents = view.has(body, host)?.then_some(ReadStep::Message { kind, body });
                return Ok(invents.map_or(Next::end(at), Next::Step));
            }
        }
        let at = match block.find_next_call(view, at, [&[], self.call, self.section_close])? {
            Ok(head) => head,
            Err(end) => return Ok(end),
        };
        let (text, at) = match self.head {
            Head::Prefixed(prefix) => self.offered_head(view, prefix, at)?,
            _ => self.free_head(view, block.opener, at)?,
        };
        match self.read_head(text, block.opener, view).ok_or(ReadStop::Reject)? {
            Ok(call) => block.call = call,
            Err(kind) => return Ok(Next::Step(ReadStep::Message { kind, body: at })),
        }
        self.find_arguments(view, block, at)
    }

    fn decode(&self, view: &View<'_>, block: &mut Block, text: &str) -> ReadResult<Next> {
        let read = match self.delimiter {
            None => block.json_arguments(text),
            Some(delimiter) => {
                let root = view.catalog.schema(&block.call.name);
                let mut input = literal::bare(text, delimiter).unwrap_or_default();
                settle(&mut input, root, root);
                let detail = "the arguments are not key:value pairs in braces";
                let object = input.as_object().map(|input| block.call.input.clone_from(input));
                object.ok_or_else(|| broken(ProblemCode::InvalidStructure, detail, block.at))
            }
        };
        read.map_err(|stop| if self.trust == Trust::Offered { ReadStop::Reject } else { stop })?;
        if self.head == Head::Repeated
            && let Some(inner) = block.call.input.get("args")
            && let Ok((input, _)) = payload::arguments(Some(inner))
        {
            block.call.input = input;
        }
        let calls = vec![with_name(std::mem::take(&mut block.call), view)];
        Ok(Next::Step(ReadStep::Found { calls, text: None, end: block.at }))
    }
}

impl Headed {
    /// A head without a marker: only an offered name will do.
    fn offered_head<'a>(
        &self,
        view: &View<'a>,
        prefix: &str,
        from: usize,
    ) -> ReadResult<(&'a str, usize)> {
        if !view.has(from, prefix)? {
            return Err(ReadStop::Reject);
        }
        let start = from + prefix.len();
        let name = offered_name(view, start)?;
        let mut end = start + name.len();
        if view.peek_or_end(end)? == Some(':') {
            let not_a_digit = |rest: &str| rest.find(|c: char| !c.is_ascii_digit());
            end += 1 + head(view, end + 1, not_a_digit, |_| true)?.len();
        }
        Ok((view.slice(from..end), end + view.any(end, self.separators)?.unwrap_or(0)))
    }

    /// A head that a marker announced.
    fn free_head<'a>(
        &self,
        view: &View<'a>,
        opener: &str,
        from: usize,
    ) -> ReadResult<(&'a str, usize)> {
        let recipient = self.head == Head::Recipient;
        if recipient && self.separators.iter().any(|end| opener.ends_with(end)) {
            return Ok(("", from));
        }
        let start = if recipient { from } else { view.skip_space(from) };
        let first = |rest: &str| {
            let find = |token: &&str| Some((rest.find(token)?, Reverse(token.len())));
            let brace = rest.find('{').filter(|&at| match self.head {
                Head::Line(_) => false,
                Head::Recipient => {
                    format!("{opener}{}", rest.get(..at).unwrap_or("")).contains("to=")
                }
                _ => true,
            });
            let brace = brace.map(|at| (at, Reverse(0)));
            self.separators.iter().filter_map(find).chain(brace).min()
        };
        let hopeful = |rest: &str| self.may_be_head(rest, view);
        let text = head(view, start, |rest| Some(first(rest)?.0), hopeful)?;
        let separator = first(head_window(view, start)).map_or(0, |(_, Reverse(length))| length);
        let end = start + text.len() + separator;
        view.peek_or_end(end)?;
        Ok((text, end))
    }

    /// Whether a head without an end may still become one: most are a word and a separator.
    fn may_be_head(&self, text: &str, view: &View<'_>) -> bool {
        let line = matches!(self.head, Head::Line(_));
        let plain = |c: char| c.is_whitespace() || line && DECORATION.contains(&c);
        let name = match self.head {
            Head::Name | Head::Repeated | Head::Line(_) => text.trim_start_matches(plain),
            Head::Worded(word) if word.starts_with(text) => return true,
            Head::Worded(word) => text.strip_prefix(word).unwrap_or(text).trim_start(),
            Head::Recipient => return !view.is_final,
            _ => return true,
        };
        let end = name.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(name.len());
        let tail = name.get(end..).unwrap_or("").trim_start_matches(plain);
        tail.is_empty() || self.separators.iter().any(|token| token.starts_with(tail))
    }

    /// Which tool a head calls, or what its message is.
    fn read_head(
        &self,
        text: &str,
        opener: &str,
        view: &View<'_>,
    ) -> Option<Result<CallDraft, MessageKind>> {
        let head = text.trim();
        let (name, id) = match self.head {
            Head::Name | Head::Repeated => (head, ""),
            Head::Line(_) if head.contains('\n') || !text.contains('\n') => return None,
            Head::Line(_) => (head.trim_matches(DECORATION), ""),
            Head::Counted => (strip_counter(head, "functions.").0, head),
            Head::Prefixed(prefix) => strip_counter(head, prefix),
            Head::IdThenName(token) => head.split_once(token).map(|(id, name)| (name, id))?,
            Head::NameThenId(token) => head.split_once(token).unwrap_or((head, "")),
            Head::Worded(word) => (head.strip_prefix(word)?, ""),
            Head::Recipient => {
                let to = read_recipient(&format!("{opener}{text}"), view)?;
                return Some(to.map(|name| CallDraft { name, ..CallDraft::default() }));
            }
        };
        let id = Some(id.trim().to_owned()).filter(|id| !id.is_empty());
        let call = CallDraft { name: name.trim().to_owned(), id, ..CallDraft::default() };
        let nameless = self.head == Head::Counted && !head.contains(['<', '\n']);
        let call = Some(call).filter(|call| is_name(&call.name));
        call.or(nameless.then(CallDraft::default)).map(Ok)
    }

    /// Finds the arguments, if any.
    fn find_arguments(&self, view: &View<'_>, block: &mut Block, from: usize) -> ReadResult<Next> {
        let start = view.skip_space(from);
        let fence = view.fence(start)?.map(|(_, inside)| inside);
        let line = matches!(self.head, Head::Line(_));
        let tick = if line && fence.is_none() { view.any(start, &["`"])? } else { None };
        block.fenced = fence.or(tick).is_some();
        let at = view.skip_space(fence.unwrap_or(start + tick.unwrap_or(0)));
        if view.peek(at)? == '{' {
            return Ok(Next::Value(self.delimiter.map_or(Flavour::Json, Flavour::Delimited), at));
        }
        if line {
            return plain_input(view, block, from);
        }
        if view.any(at, self.close)?.is_some() {
            block.at = at;
            return self.decode(view, block, "");
        }
        if self.head != Head::Recipient {
            return Err(ReadStop::Reject);
        }
        if view.peek(at)? == '<' {
            // The message holds the call in tags, which another grammar reads.
            return Ok(Next::Step(ReadStep::Message { kind: MessageKind::Text, body: at }));
        }
        let detail = format!("the message to {} is not a JSON object", block.call.name);
        Err(broken(ProblemCode::InvalidJson, detail, at))
    }

    /// The place after what closes a call.
    fn skip_closers(&self, view: &View<'_>, block: &Block, from: usize) -> ReadResult<usize> {
        let fence: &[&str] = if block.fenced { &["```", "`"] } else { &[] };
        let inside = view.skip_any(from, fence)?;
        let end = view.skip_any(inside, self.close)?;
        Ok(if end > inside || self.close.is_empty() { end } else { from })
    }
}

/// The longest offered name that stands at a place.
fn offered_name<'a>(view: &View<'a>, at: usize) -> ReadResult<&'a str> {
    let mut longest = "";
    for name in view.catalog.names() {
        if name.len() > longest.len() && view.has(at, name)? {
            longest = name;
        }
    }
    if longest.is_empty() { Err(ReadStop::Reject) } else { Ok(longest) }
}

/// `PREFIX NAME:3`, taken apart: the name, and the whole for an id if it is counted.
fn strip_counter<'a>(head: &'a str, prefix: &str) -> (&'a str, &'a str) {
    let name = head.strip_prefix(prefix).unwrap_or(head);
    let counted = |(_, n): &(&str, &str)| n.bytes().all(|b| b.is_ascii_digit());
    name.rsplit_once(':').filter(counted).map_or((name, ""), |(name, _)| (name, head))
}

/// Which tool a header addresses, or what its message is: its recipient decides, then its channel.
fn read_recipient(header: &str, view: &View<'_>) -> Option<Result<String, MessageKind>> {
    if header.contains('\n') {
        return None;
    }
    let recipient = header.split_once("to=").map(|(_, to)| {
        let end = to.find(|c: char| c.is_whitespace() || c == '<' || c == '{');
        to.get(..end.unwrap_or(to.len())).unwrap_or(to)
    });
    let thinks = header.contains("analysis");
    let silent = if thinks { MessageKind::Reasoning } else { MessageKind::Text };
    match recipient {
        None => Some(Err(silent)),
        Some("self") => Some(Err(MessageKind::Reasoning)),
        Some("user" | "functions" | "all" | "assistant") => Some(Err(MessageKind::Text)),
        Some(name) => match name.strip_prefix("functions.") {
            Some(tool) => is_name(tool).then(|| Ok(tool.to_owned())),
            None if view.catalog.offers(name) => Some(Ok(name.to_owned())),
            None => Some(Err(silent)),
        },
    }
}

/// A line of text: the argument of a tool that takes one. It is complete when its line is.
fn plain_input(view: &View<'_>, block: &mut Block, from: usize) -> ReadResult<Next> {
    let line = head(view, from, |rest| rest.find('\n'), |_| true)?;
    let text = line.trim().trim_matches('`');
    let call = &mut block.call;
    let root = view.catalog.schema(&call.name).ok_or(ReadStop::Reject)?;
    match view.catalog.parameters(&call.name).as_slice() {
        [] => {}
        [key] if !text.is_empty() => {
            let quoted = serde_json::from_str(text).ok().filter(Value::is_string);
            let types = AllowedTypes::of_parameter(Some(root), key);
            let value = quoted.unwrap_or_else(|| coerce(text, &types));
            call.input.insert((*key).to_owned(), value);
        }
        _ => return Err(ReadStop::Reject),
    }
    Ok(block.finish_call(from + line.len()))
}

/// Makes sure that a call has a name; a bare counter is replaced by the tool that fits.
fn with_name(mut call: CallDraft, view: &View<'_>) -> Result<CallDraft, Refusal> {
    if call.name.bytes().all(|byte| byte.is_ascii_digit()) {
        let fit = view.catalog.taking(&call.input).filter(|_| !call.name.is_empty());
        let missing = || (ProblemCode::MissingName, "the call has no tool name".to_owned());
        call.name = fit.ok_or_else(missing)?.to_owned();
        call.repairs.push(Repair::InferredName);
    }
    Ok(call)
}
