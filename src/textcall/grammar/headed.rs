//! Token sections: a head says who is called, the arguments follow in braces.

use std::cmp::Reverse;

use super::{Block, Family, Next, Step, braced, head, is_name, notation};
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, Draft, Refusal, Trust};
use crate::textcall::scan::Flavour;
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
    /// What the arguments are written in.
    pub(crate) values: Values,
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
    /// A word that is always there, the name.
    Worded(&'static str),
    /// The name, which the JSON repeats beside the arguments.
    Repeated,
    /// `PREFIX NAME` without a marker.
    Prefixed(&'static str),
}

/// What arguments are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// JSON.
    Json,
    /// Bare keys and values, with a token of its own round strings.
    Delimited(&'static Flavour, &'static str),
}

impl Headed {
    /// A marked call with nothing else said.
    pub(crate) const MARKED: Self = Self {
        call: &[],
        head: Head::Name,
        separators: &[],
        values: Values::Json,
        close: &[],
        section_close: &[],
        trust: Trust::Marked,
    };

    /// `call:NAME{key:DELIMITERtextDELIMITER,n:3}`
    pub(crate) const fn notation(
        flavour: &'static Flavour,
        delimiter: &'static str,
        close: &'static [&'static str],
    ) -> Self {
        let values = Values::Delimited(flavour, delimiter);
        Self { head: Head::Worded("call:"), values, close, ..Self::MARKED }
    }

    /// The same without its marker.
    pub(crate) const fn bare(self, prefix: &'static str) -> Self {
        Self { call: &[], head: Head::Prefixed(prefix), trust: Trust::Offered, ..self }
    }
}

impl Family for Headed {
    fn next(&self, view: &View<'_>, block: &mut Block) -> Read<Next> {
        let mut at = block.at;
        if block.marks.found {
            at = self.closed(view, block, at)?;
        }
        let announced = self.call.is_empty() || self.call.contains(&block.opener);
        if block.marks.found || !announced {
            match block.announced(view, at, &[], self.call, self.section_close)? {
                Ok(head) => at = head,
                Err(next) => return Ok(next),
            }
        }
        let (call, at) = match self.head {
            Head::Prefixed(prefix) => self.offered_head(view, prefix, at)?,
            _ => self.free_head(view, at)?,
        };
        block.call = call;
        self.payload(view, block, at)
    }

    fn decode(&self, view: &View<'_>, block: &mut Block, text: &str) -> Read<Option<Step>> {
        let read = match self.values {
            Values::Json => block.json_arguments(text),
            Values::Delimited(_, delimiter) => notation::arguments(view, block, text, delimiter),
        };
        read.map_err(|stop| if self.trust == Trust::Offered { Stop::Reject } else { stop })?;
        let call = named(std::mem::take(&mut block.call), view);
        let calls = vec![call.and_then(|call| self.unrepeated(call))];
        Ok(Some(Step::Found { calls, text: None, end: block.at }))
    }

    fn closers(&self) -> Vec<&'static str> {
        [self.close, self.section_close].concat()
    }
}

impl Headed {
    /// A head without a marker: only an offered name will do.
    fn offered_head(&self, view: &View<'_>, prefix: &str, from: usize) -> Read<(Draft, usize)> {
        if !view.has(from, prefix)? {
            return Err(Stop::Reject);
        }
        let start = from + prefix.len();
        let name = view.catalog.name_at(view, start)?.ok_or(Stop::Reject)?;
        let mut end = start + name.len();
        let mut call = Draft { name: name.to_owned(), ..Draft::default() };
        if view.peek_or_end(end)? == Some(':') {
            let not_a_digit = |rest: &str| rest.find(|c: char| !c.is_ascii_digit());
            end += 1 + head(view, end + 1, not_a_digit, |_| true)?.len();
            call.id = Some(view.slice(from..end).to_owned());
        }
        Ok((call, end + view.any(end, self.separators)?.unwrap_or(0)))
    }

    /// A head that a marker announced.
    fn free_head(&self, view: &View<'_>, from: usize) -> Read<(Draft, usize)> {
        let start = view.skip_space(from);
        let first = |rest: &str| {
            let find = |token: &&str| Some((rest.find(token)?, Reverse(token.len())));
            let brace = rest.find('{').map(|at| (at, Reverse(0)));
            self.separators.iter().filter_map(find).chain(brace).min()
        };
        let text = head(view, start, |rest| Some(first(rest)?.0), |rest| self.may_be_head(rest))?;
        let separator = first(view.rest(start)).map_or(0, |(_, Reverse(length))| length);
        let end = start + text.len() + separator;
        view.peek_or_end(end)?;
        let call = self.who(text).filter(|call| is_name(&call.name));
        let announced = self.head == Head::Counted && separator > 0 && !text.contains(['<', '\n']);
        Ok((call.or(announced.then(Draft::default)).ok_or(Stop::Reject)?, end))
    }

    /// Whether a head without an end may still become one.
    fn may_be_head(&self, text: &str) -> bool {
        let end = text.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(text.len());
        let tail = text.get(end..).unwrap_or("").trim_start();
        match self.head {
            Head::Name | Head::Repeated => {
                tail.is_empty() || self.separators.iter().any(|token| token.starts_with(tail))
            }
            Head::Worded(word) => {
                let name = text.strip_prefix(word).map(str::trim);
                word.starts_with(text) || name.is_some_and(|name| !name.contains(' '))
            }
            _ => true,
        }
    }

    fn who(&self, head: &str) -> Option<Draft> {
        let head = head.trim();
        let (name, id) = match self.head {
            Head::Name | Head::Repeated | Head::Prefixed(_) => (head, ""),
            Head::Counted => {
                let name = head.strip_prefix("functions.").unwrap_or(head);
                let counted = |(_, n): &(&str, &str)| n.bytes().all(|b| b.is_ascii_digit());
                (name.rsplit_once(':').filter(counted).map_or(name, |(name, _)| name), head)
            }
            Head::IdThenName(token) => head.split_once(token).map(|(id, name)| (name, id))?,
            Head::NameThenId(token) => head.split_once(token).unwrap_or((head, "")),
            Head::Worded(word) => (head.strip_prefix(word)?, ""),
        };
        let id = Some(id.trim().to_owned()).filter(|id| !id.is_empty());
        Some(Draft { name: name.trim().to_owned(), id, ..Draft::default() })
    }

    /// Finds the arguments, or that there are none.
    fn payload(&self, view: &View<'_>, block: &mut Block, from: usize) -> Read<Next> {
        let fence = view.fence(view.skip_space(from))?;
        block.marks.fenced = fence.is_some();
        let at = view.skip_space(fence.map_or(from, |(_, inside)| inside));
        match (braced(view, at, self.close)?, self.values) {
            (Some(Next::Value(_, at)), Values::Delimited(flavour, _)) => {
                Ok(Next::Value(flavour, at))
            }
            (next, _) => next.ok_or(Stop::Reject),
        }
    }

    /// The place after what closes a call.
    fn closed(&self, view: &View<'_>, block: &Block, from: usize) -> Read<usize> {
        let fence: &[&str] = if block.marks.fenced { &["```"] } else { &[] };
        let inside = view.past(from, fence)?;
        let end = view.past(inside, self.close)?;
        Ok(if end > inside { end } else { from })
    }

    /// Takes the arguments out of JSON that repeats the name.
    fn unrepeated(&self, mut call: Draft) -> Result<Draft, Refusal> {
        let inner = if self.head == Head::Repeated { call.input.get("args") } else { None };
        if let Some(inner) = inner {
            call.input = payload::arguments(Some(inner))?.0;
        }
        Ok(call)
    }
}

/// Makes sure that a call has a name; a bare counter is replaced by the tool that fits.
fn named(mut call: Draft, view: &View<'_>) -> Result<Draft, Refusal> {
    if call.name.bytes().all(|byte| byte.is_ascii_digit()) {
        let fit = view.catalog.infer(&call.input).filter(|_| !call.name.is_empty());
        let missing = || (ProblemCode::MissingName, "the call has no tool name".to_owned());
        call.name = fit.ok_or_else(missing)?.to_owned();
        call.repairs.push(Repair::InferredName);
    }
    Ok(call)
}
