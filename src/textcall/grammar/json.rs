//! JSON in markers, JSON lists, fences and bare JSON: who is called stands in the JSON itself.

use super::{Reader, Step};
use crate::textcall::literal;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, Draft, Refusal, Trust};
use crate::textcall::scan::{self, Scan};
use crate::textcall::view::{Read, Stop, View};

/// A JSON object or a list of them, each with a name and arguments.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::textcall) struct JsonBlock {
    /// What the payload must start with.
    pub(in crate::textcall) starts: Starts,
    /// What a Markdown fence round the payload means.
    pub(in crate::textcall) fence: Fence,
    /// Tokens that may stand between the opener and the payload.
    pub(in crate::textcall) gap: &'static [&'static str],
    /// The closing markers; models forget them.
    pub(in crate::textcall) close: &'static [&'static str],
    /// Whether a marker vouches for the call.
    pub(in crate::textcall) trust: Trust,
    /// Names that mean "no call".
    pub(in crate::textcall) pseudo: &'static [&'static str],
}

/// What a payload must start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::textcall) enum Starts {
    /// `{`
    Object,
    /// `[`
    List,
    /// Either.
    Either,
}

/// What a Markdown fence round the payload means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::textcall) enum Fence {
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
    pub(in crate::textcall) const MARKED: Self = Self {
        starts: Starts::Either,
        fence: Fence::Slip,
        gap: &[],
        close: &[],
        trust: Trust::Marked,
        pseudo: &[],
    };

    /// Either shape, without a marker.
    pub(in crate::textcall) const BARE: Self =
        Self { trust: Trust::Offered, fence: Fence::Refused, ..Self::MARKED };

    pub(in crate::textcall) fn reader(&'static self, at: usize) -> Box<dyn Reader> {
        Box::new(Block {
            config: self,
            at,
            stage: Stage::Start,
            list: false,
            fenced: false,
            any: false,
        })
    }
}

/// The words after a fence that a call may be in.
const FENCES: [&str; 7] = ["", "json", "json5", "jsonc", "tool_call", "tool_use", "function_call"];

#[derive(Debug)]
struct Block {
    config: &'static JsonBlock,
    at: usize,
    stage: Stage,
    list: bool,
    fenced: bool,
    any: bool,
}

#[derive(Debug)]
enum Stage {
    Start,
    Element,
    Scan(Scan),
    After,
}

impl Reader for Block {
    fn awaits(&self) -> Option<u8> {
        match self.stage {
            Stage::Scan(_) => Some(b'}'),
            _ => None,
        }
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        loop {
            match &mut self.stage {
                Stage::Start => self.start(view)?,
                Stage::Element => self.element(view)?,
                Stage::Scan(scan) => {
                    let end = scan.run(view)?;
                    if let Some(step) = self.scanned(view, end)? {
                        return Ok(step);
                    }
                }
                Stage::After => {
                    if let Some(end) = self.after(view)? {
                        return Ok(Step::End { end });
                    }
                }
            }
        }
    }
}

impl Block {
    /// Finds the bracket that the payload starts with.
    fn start(&mut self, view: &View<'_>) -> Read<()> {
        let mut at = view.skip_space(self.at);
        while let Some(length) = view.any(at, self.config.gap)? {
            at = view.skip_space(at + length);
        }
        let fence = view.fence(at)?;
        match (fence, self.config.fence) {
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
            ('{', Starts::Object | Starts::Either) => self.at = at,
            ('[', Starts::List | Starts::Either) => {
                self.list = true;
                self.at = at + 1;
            }
            _ => return Err(Stop::Reject),
        }
        self.stage = Stage::Element;
        Ok(())
    }

    /// Makes sure that an object starts here, and one that can be a call.
    fn element(&mut self, view: &View<'_>) -> Read<()> {
        let at = view.skip_space(self.at);
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
        self.at = at;
        self.stage = Stage::Scan(Scan::new(&scan::JSON, at));
        Ok(())
    }

    /// Reads the calls of one complete element.
    fn scanned(&mut self, view: &View<'_>, end: usize) -> Read<Option<Step>> {
        let decoded = literal::json(view.slice(self.at..end));
        let offered = self.config.trust == Trust::Offered;
        let (value, mut repairs) = match decoded {
            Ok(mended) => mended,
            Err(_) if offered => return Err(Stop::Reject),
            Err(detail) => {
                let code = ProblemCode::InvalidJson;
                return Err(Stop::Broken { code, detail: format!("invalid JSON: {detail}"), end });
            }
        };
        if offered && !payload::offered(&value, view.catalog) {
            return Err(Stop::Reject);
        }
        if self.fenced && self.config.fence == Fence::Slip {
            repairs.push(Repair::Fence);
        }
        let mut calls = payload::calls(&value);
        calls.retain(|call| !self.is_pseudo(call));
        calls.iter_mut().flatten().for_each(|call| call.repairs.extend(&repairs));
        self.at = end;
        self.any = true;
        self.stage = Stage::After;
        let text = payload::message_text(&value).filter(|_| offered).map(str::to_owned);
        Ok(Some(Step::Found { calls, text, end }))
    }

    fn is_pseudo(&self, call: &Result<Draft, Refusal>) -> bool {
        call.as_ref().is_ok_and(|call| self.config.pseudo.contains(&call.name.as_str()))
    }

    /// Looks for another element or for the end of the block.
    fn after(&mut self, view: &View<'_>) -> Read<Option<usize>> {
        let at = view.skip_space(self.at);
        match view.peek_or_end(at)? {
            None => return Ok(Some(self.at)),
            Some(',' | ';') => {
                let next = view.skip_space(at + 1);
                match view.peek_or_end(next)? {
                    Some('{') => self.go_on(Stage::Element, next),
                    Some(']') if self.list => self.go_on(Stage::After, next),
                    _ => return Ok(Some(if self.list { at + 1 } else { self.at })),
                }
                return Ok(None);
            }
            Some('{') if !self.list => {
                self.go_on(Stage::Element, at);
                return Ok(None);
            }
            Some(']') if self.list => {
                self.list = false;
                self.go_on(Stage::After, at + 1);
                return Ok(None);
            }
            _ => {}
        }
        if self.fenced && view.has(at, "```")? {
            self.fenced = false;
            self.go_on(Stage::After, at + 3);
            return Ok(None);
        }
        if let Some(length) = view.any(at, self.config.close)? {
            return Ok(Some(at + length));
        }
        if let Some('}' | ']') = view.peek_or_end(at)? {
            let next = view.skip_space(at + 1);
            if view.any(next, self.config.close)?.is_some() {
                self.go_on(Stage::After, next);
                return Ok(None);
            }
        }
        Ok(Some(self.at))
    }

    fn go_on(&mut self, stage: Stage, at: usize) {
        self.stage = stage;
        self.at = at;
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
