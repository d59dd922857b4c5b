//! JSON in markers, JSON lists, fences and bare JSON: who is called stands in the JSON itself.

use super::{Block, Family, Next, Reader, Step, Who, json_value};
use crate::textcall::parsed::Repair;
use crate::textcall::payload::{self, Draft, Refusal, Trust};
use crate::textcall::scan;
use crate::textcall::view::{Read, Stop, View};

/// A JSON object or a list of them, each with a name and arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JsonBlock {
    /// What the payload must start with.
    pub(crate) starts: Starts,
    /// What a Markdown fence round the payload means.
    pub(crate) fence: Fence,
    /// Tokens that may stand between the opener and the payload.
    pub(crate) gap: &'static [&'static str],
    /// The closing markers; models forget them.
    pub(crate) close: &'static [&'static str],
    /// Whether a marker vouches for the call.
    pub(crate) trust: Trust,
    /// Names that mean "no call".
    pub(crate) pseudo: &'static [&'static str],
}

/// What a payload must start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Starts {
    /// `{`
    Object,
    /// `[`
    List,
    /// Either.
    Either,
}

/// What a Markdown fence round the payload means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// That this is not the format.
    Refused,
    /// A slip of the model.
    Slip,
    /// Part of the format, which may be left out.
    Usual,
    /// Part of the format.
    Native,
}

impl JsonBlock {
    /// Either shape, no closer, vouched for by its marker.
    pub(crate) const MARKED: Self = Self {
        starts: Starts::Either,
        fence: Fence::Slip,
        gap: &[],
        close: &[],
        trust: Trust::Marked,
        pseudo: &[],
    };

    /// Either shape, without a marker.
    pub(crate) const BARE: Self =
        Self { trust: Trust::Offered, fence: Fence::Refused, ..Self::MARKED };

    pub(crate) fn reader(&'static self, at: usize) -> Box<dyn Reader> {
        let payload = Payload { config: self, list: false, fenced: false, any: false };
        Block::reader(payload, at)
    }
}

/// The words after a fence that a call may be in.
const FENCES: [&str; 7] = ["", "json", "json5", "jsonc", "tool_call", "tool_use", "function_call"];

#[derive(Debug, Clone)]
struct Payload {
    config: &'static JsonBlock,
    list: bool,
    fenced: bool,
    any: bool,
}

impl Family for Payload {
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next> {
        if self.any {
            return self.after(view, from);
        }
        let at = self.start(view, from)?;
        self.element(view, at)
    }

    fn decode(&mut self, view: &View<'_>, _: Who, text: &str, end: usize) -> Read<Step> {
        let offered = self.config.trust == Trust::Offered;
        let (value, mut repairs) =
            json_value(text, end).map_err(|stop| if offered { Stop::Reject } else { stop })?;
        if offered && !payload::offered(&value, view.catalog) {
            return Err(Stop::Reject);
        }
        if self.fenced && self.config.fence == Fence::Slip {
            repairs.push(Repair::Fence);
        }
        let mut calls = payload::calls(&value);
        calls.retain(|call| !self.is_pseudo(call));
        calls.iter_mut().flatten().for_each(|call| call.repairs.extend(&repairs));
        self.any = true;
        let text = payload::message_text(&value).filter(|_| offered).map(str::to_owned);
        Ok(Step::Found { calls, text, end })
    }
}

impl Payload {
    /// Finds the place inside the list, or the object, that the payload is.
    fn start(&mut self, view: &View<'_>, from: usize) -> Read<usize> {
        let mut at = view.skip_tokens(from, self.config.gap)?;
        match (view.fence(at)?, self.config.fence) {
            (Some(_), Fence::Refused) | (None, Fence::Native) => return Err(Stop::Reject),
            (Some((word, _)), Fence::Native) if !FENCES.contains(&word) => {
                return Err(Stop::Reject);
            }
            (Some((_, inside)), _) => {
                self.fenced = true;
                at = view.skip_space(inside);
            }
            (None, _) => {}
        }
        match (view.peek(at)?, self.config.starts) {
            ('{', Starts::Object | Starts::Either) => Ok(at),
            ('[', Starts::List | Starts::Either) => {
                self.list = true;
                Ok(at + 1)
            }
            _ => Err(Stop::Reject),
        }
    }

    /// Makes sure that an object starts here, and one that can be a call.
    fn element(&self, view: &View<'_>, from: usize) -> Read<Next> {
        let at = view.skip_space(from);
        if view.peek(at)? != '{' {
            return Err(Stop::Reject);
        }
        let inside = view.skip_space(at + 1);
        let first = view.peek(inside)?;
        if !(first.is_alphabetic() || "\"'}_/".contains(first)) {
            return Err(Stop::Reject);
        }
        if self.config.trust == Trust::Offered && !self.any {
            let key = first_key(view, inside)?;
            if !payload::starts_call(key, view.catalog) {
                return Err(Stop::Reject);
            }
        }
        Ok(Next::Value(&scan::JSON, Who::default(), at))
    }

    fn is_pseudo(&self, call: &Result<Draft, Refusal>) -> bool {
        call.as_ref().is_ok_and(|call| self.config.pseudo.contains(&call.name.as_str()))
    }

    /// Looks for another element or for the end of the block.
    fn after(&mut self, view: &View<'_>, mut from: usize) -> Read<Next> {
        loop {
            let at = view.skip_space(from);
            let Some(next) = view.peek_or_end(at)? else { return Ok(Next::end(from)) };
            match next {
                ',' | ';' => {
                    let after = view.skip_space(at + 1);
                    match view.peek_or_end(after)? {
                        Some('{') => return self.element(view, after),
                        Some(']') if self.list => from = after,
                        _ => return Ok(Next::end(if self.list { at + 1 } else { from })),
                    }
                }
                '{' if !self.list => return self.element(view, at),
                ']' if self.list => {
                    self.list = false;
                    from = at + 1;
                }
                _ if self.fenced && view.has(at, "```")? => {
                    self.fenced = false;
                    from = at + 3;
                }
                _ => match self.stray(view, at, next)? {
                    Some(after) => from = after,
                    None => return Ok(Next::end(view.past(from, self.config.close)?)),
                },
            }
        }
    }

    /// The place after one bracket too many before the closing marker.
    fn stray(&self, view: &View<'_>, at: usize, bracket: char) -> Read<Option<usize>> {
        if view.any(at, self.config.close)?.is_some() || !matches!(bracket, '}' | ']') {
            return Ok(None);
        }
        let after = view.skip_space(at + 1);
        Ok(view.any(after, self.config.close)?.map(|_| after))
    }
}

/// The first key of an object, once all of it is there.
fn first_key<'a>(view: &View<'a>, at: usize) -> Read<&'a str> {
    const MAX_KEY: usize = 128;
    let rest = view.rest(at);
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or(Stop::Reject)?;
    let inside = rest.get(1..).unwrap_or("");
    match inside.find(quote) {
        Some(end) => Ok(inside.get(..end).unwrap_or("")),
        None if inside.len() > MAX_KEY => Err(Stop::Reject),
        None => Err(view.short()),
    }
}
