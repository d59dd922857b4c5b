//! JSON in markers, JSON lists, fences and bare JSON: who is called stands in the JSON itself.

use super::{Block, Family, Next, Step, head, json_value};
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
}

/// The words after a fence that a call may be in.
const FENCES: [&str; 7] = ["", "json", "json5", "jsonc", "tool_call", "tool_use", "function_call"];

impl Family for JsonBlock {
    fn next(&self, view: &View<'_>, block: &mut Block) -> Read<Next> {
        if !block.marks.found {
            let at = self.start(view, block)?;
            return self.element(view, block, at);
        }
        match block.listed(view, self.close, |_, next| next == '{')? {
            Ok(at) => self.element(view, block, at),
            Err(next) => Ok(next),
        }
    }

    fn decode(&self, view: &View<'_>, block: &mut Block, text: &str) -> Read<Option<Step>> {
        let (offered, end) = (self.trust == Trust::Offered, block.at);
        let (value, mut repairs) =
            json_value(text, end).map_err(|stop| if offered { Stop::Reject } else { stop })?;
        if offered && !payload::offered(&value, view.catalog) {
            return Err(Stop::Reject);
        }
        if block.marks.fenced && self.fence == Fence::Slip {
            repairs.push(Repair::Fence);
        }
        let mut calls = payload::calls(&value);
        calls.retain(|call| !self.is_pseudo(call));
        calls.iter_mut().flatten().for_each(|call| call.repairs.extend(&repairs));
        let text = payload::message_text(&value).filter(|_| offered).map(str::to_owned);
        Ok(Some(Step::Found { calls, text, end }))
    }
}

impl JsonBlock {
    /// Finds the place inside the list, or the object, that the payload is.
    fn start(&self, view: &View<'_>, block: &mut Block) -> Read<usize> {
        let mut at = view.skip_tokens(block.at, self.gap)?;
        match (view.fence(at)?, self.fence) {
            (Some(_), Fence::Refused) | (None, Fence::Native) => return Err(Stop::Reject),
            (Some((word, _)), Fence::Native) if !FENCES.contains(&word) => {
                return Err(Stop::Reject);
            }
            (Some((_, inside)), _) => {
                block.marks.fenced = true;
                at = view.skip_space(inside);
            }
            (None, _) => {}
        }
        match (view.peek(at)?, self.starts) {
            ('{', Starts::Object | Starts::Either) => Ok(at),
            ('[', Starts::List | Starts::Either) => {
                block.marks.list = true;
                Ok(at + 1)
            }
            _ => Err(Stop::Reject),
        }
    }

    /// Makes sure that an object starts here, and one that can be a call.
    fn element(&self, view: &View<'_>, block: &Block, from: usize) -> Read<Next> {
        let at = view.skip_space(from);
        if view.peek(at)? != '{' {
            return Err(Stop::Reject);
        }
        let inside = view.skip_space(at + 1);
        let first = view.peek(inside)?;
        let quoted = matches!(first, '"' | '\'');
        if !(quoted || first.is_alphabetic() || "}_/".contains(first)) {
            return Err(Stop::Reject);
        }
        if self.trust == Trust::Offered && !block.marks.found {
            let key = head(view, inside + 1, |rest| rest.find(first), |_| quoted)?;
            if !quoted || !payload::starts_call(key, view.catalog) {
                return Err(Stop::Reject);
            }
        }
        Ok(Next::Value(&scan::JSON, at))
    }

    fn is_pseudo(&self, call: &Result<Draft, Refusal>) -> bool {
        call.as_ref().is_ok_and(|call| self.pseudo.contains(&call.name.as_str()))
    }
}
