//! Token sections: a head says who is called, JSON arguments follow.

use std::cmp::Reverse;

use super::{Block, Family, Next, Reader, Step, Who, is_name, json_value};
use crate::ir::Object;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, Draft, Trust};
use crate::textcall::scan;
use crate::textcall::view::{Read, Stop, View};

/// `SECTION (CALL head SEPARATOR {…} CLOSE)* SECTION_END`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Headed {
    /// The tokens that start a call; an opener that is none of them starts a section.
    pub(crate) call: &'static [&'static str],
    /// How the name, and the id if there is one, stand in the head.
    pub(crate) head: Head,
    /// What ends the head; a `{` always does.
    pub(crate) separators: &'static [&'static str],
    /// What ends a call; models forget it.
    pub(crate) close: &'static [&'static str],
    /// What ends a section; models forget it.
    pub(crate) section_close: &'static [&'static str],
    /// Whether the name must be one that was offered.
    pub(crate) trust: Trust,
}

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
    /// The word `function`, a token, the name.
    Typed(&'static str),
    /// The name, which the JSON repeats beside the arguments.
    Repeated,
    /// `PREFIX NAME` without a marker.
    Prefixed(&'static str),
}

impl Headed {
    /// A marked call with nothing else said.
    pub(crate) const MARKED: Self = Self {
        call: &[],
        head: Head::Name,
        separators: &[],
        close: &[],
        section_close: &[],
        trust: Trust::Marked,
    };

    pub(crate) fn reader(&'static self, opener: &'static str, at: usize) -> Box<dyn Reader> {
        let announced = self.call.contains(&opener);
        Block::reader(Section { config: self, announced, fenced: false, any: false }, at)
    }
}

#[derive(Debug, Clone)]
struct Section {
    config: &'static Headed,
    /// Whether the opener announced a call, not a section.
    announced: bool,
    fenced: bool,
    any: bool,
}

/// The longest head that is waited for.
const MAX_HEAD: usize = 256;

impl Family for Section {
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next> {
        let mut at = from;
        if self.any {
            at = self.closed(view, at)?;
        }
        if self.any || !self.announced && !self.config.call.is_empty() {
            let call = view.skip_space(at);
            let Some(length) = view.any(call, self.config.call)? else {
                let end = view.past(at, self.config.section_close)?;
                return if self.any { Ok(Next::end(end)) } else { Err(view.short_at(call)) };
            };
            at = call + length;
        }
        let (who, at) = match self.config.head {
            Head::Prefixed(prefix) => self.offered_head(view, prefix, at)?,
            _ => self.free_head(view, at)?,
        };
        self.payload(view, who, at)
    }

    fn decode(&mut self, view: &View<'_>, who: Who, text: &str, end: usize) -> Read<Step> {
        let offered = self.config.trust == Trust::Offered;
        let (value, repairs) =
            json_value(text, end).map_err(|stop| if offered { Stop::Reject } else { stop })?;
        self.any = true;
        let input = value.as_object().cloned().unwrap_or_default();
        let call = named(Draft { name: who.name, id: who.id, input, repairs }, view);
        let call = call.and_then(|call| self.unrepeated(call));
        Ok(Step::Found { calls: vec![call], text: None, end })
    }
}

impl Section {
    /// A head without a marker: only an offered name will do.
    fn offered_head(&self, view: &View<'_>, prefix: &str, from: usize) -> Read<(Who, usize)> {
        if !view.has(from, prefix)? {
            return Err(Stop::Reject);
        }
        let start = from + prefix.len();
        let name = view.catalog.name_at(view, start)?.ok_or(Stop::Reject)?;
        let mut end = start + name.len();
        let mut who = Who { name: name.to_owned(), id: None };
        if view.peek_or_end(end)? == Some(':') {
            let digits = view.rest(end + 1);
            let count =
                digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if count == digits.len() {
                return Err(view.short());
            }
            end += 1 + count;
            who.id = Some(view.slice(from..end).to_owned());
        }
        Ok((who, end + view.any(end, self.config.separators)?.unwrap_or(0)))
    }

    /// A head that a marker announced.
    fn free_head(&self, view: &View<'_>, from: usize) -> Read<(Who, usize)> {
        let start = view.skip_space(from);
        let rest = view.rest(start);
        let find = |token: &&str| Some((rest.find(token)?, Reverse(token.len())));
        let ends = self.config.separators.iter().filter_map(find);
        let brace = rest.find('{').map(|at| (at, Reverse(0)));
        let Some((length, Reverse(separator))) = ends.chain(brace).min() else {
            let hopeless = rest.len() > MAX_HEAD || !self.may_be_head(rest);
            return Err(if hopeless { Stop::Reject } else { view.short() });
        };
        if length + separator == rest.len() {
            view.peek_or_end(start + length + separator)?;
        }
        let head = rest.get(..length).unwrap_or("");
        let who = self.who(head).filter(|who| is_name(&who.name));
        let announced =
            self.config.head == Head::Counted && separator > 0 && !head.contains(['<', '\n']);
        let who = who.or(announced.then(Who::default)).ok_or(Stop::Reject)?;
        Ok((who, start + length + separator))
    }

    /// Whether a head without an end may still become one.
    fn may_be_head(&self, text: &str) -> bool {
        let end = text.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(text.len());
        let tail = text.get(end..).unwrap_or("").trim_start();
        let plain = matches!(self.config.head, Head::Name | Head::Repeated);
        !plain
            || tail.is_empty()
            || self.config.separators.iter().any(|token| token.starts_with(tail))
    }

    fn who(&self, head: &str) -> Option<Who> {
        let named = |name: &str, id: Option<&str>| {
            let id = id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
            Some(Who { name: name.trim().to_owned(), id })
        };
        match self.config.head {
            Head::Name | Head::Repeated | Head::Prefixed(_) => named(head, None),
            Head::Counted => {
                let id = head.trim();
                let name = id.strip_prefix("functions.").unwrap_or(id);
                let counted = |(_, n): &(&str, &str)| n.bytes().all(|b| b.is_ascii_digit());
                let name = name.rsplit_once(':').filter(counted).map_or(name, |(name, _)| name);
                named(name, Some(id))
            }
            Head::IdThenName(token) => {
                let (id, name) = head.split_once(token)?;
                named(name, Some(id))
            }
            Head::NameThenId(token) => match head.split_once(token) {
                Some((name, id)) => named(name, Some(id)),
                None => named(head, None),
            },
            Head::Typed(token) => {
                named(head.trim().strip_prefix("function")?.strip_prefix(token)?, None)
            }
        }
    }

    /// Finds the arguments, or that there are none.
    fn payload(&mut self, view: &View<'_>, who: Who, from: usize) -> Read<Next> {
        let fence = view.fence(view.skip_space(from))?;
        self.fenced = fence.is_some();
        let at = view.skip_space(fence.map_or(from, |(_, inside)| inside));
        if view.peek(at)? == '{' {
            return Ok(Next::Value(&scan::JSON, who, at));
        }
        if view.any(at, self.config.close)?.is_some() {
            return self.decode(view, who, "{}", at).map(Next::Step);
        }
        Err(Stop::Reject)
    }

    /// Takes the arguments out of JSON that repeats the name.
    fn unrepeated(&self, mut call: Draft) -> Result<Draft, payload::Refusal> {
        let inner = if self.config.head == Head::Repeated { call.input.get("args") } else { None };
        if let Some(inner) = inner {
            call.input = payload::arguments(Some(inner))?.0;
        }
        Ok(call)
    }

    /// The place after what closes a call.
    fn closed(&self, view: &View<'_>, from: usize) -> Read<usize> {
        let at = view.skip_space(from);
        let inside = if self.fenced && view.has(at, "```")? { at + 3 } else { from };
        Ok(match view.any(view.skip_space(inside), self.config.close)? {
            Some(length) => view.skip_space(inside) + length,
            None => from,
        })
    }
}

/// Makes sure that a call has a name; a bare counter is replaced by the tool that fits.
fn named(mut call: Draft, view: &View<'_>) -> Result<Draft, payload::Refusal> {
    if !call.name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(call);
    }
    let counter = !call.name.is_empty();
    let fit = |input: &Object| view.catalog.infer(input).map(str::to_owned);
    let Some(name) = fit(&call.input).filter(|_| counter) else {
        return Err((ProblemCode::MissingName, "the call has no tool name".to_owned()));
    };
    call.name = name;
    call.repairs.push(Repair::InferredName);
    Ok(call)
}
