//! Key/value pairs: the name, then alternating keys and values in tags of their own.

use super::{Awaited, Reader, Step, is_name};
use crate::ir::Object;
use crate::textcall::coerce::{Types, coerce};
use crate::textcall::literal;
use crate::textcall::parsed::ProblemCode;
use crate::textcall::payload::Draft;
use crate::textcall::scan::{self, Scan};
use crate::textcall::view::{Read, Seek, Stop, View};

/// `<tool_call>NAME (<arg_key>K</arg_key><arg_value>V</arg_value>)* </tool_call>`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// What stands between the name and the pairs, without its brackets.
    pub(crate) separator: Option<&'static str>,
}

impl Pairs {
    pub(crate) fn reader(&'static self, opener: &'static str, at: usize) -> Box<dyn Reader> {
        let wrapped = opener.starts_with("<tool_calls");
        let stage = match (opener.ends_with(':'), wrapped) {
            (true, _) => Stage::Suffix,
            (false, true) => Stage::Section,
            (false, false) => Stage::Name,
        };
        let call = Pending::default();
        Box::new(Block {
            config: self,
            at,
            stage,
            wrapped,
            suffix: String::new(),
            call,
            any: false,
        })
    }
}

#[derive(Debug)]
struct Block {
    config: &'static Pairs,
    at: usize,
    stage: Stage,
    wrapped: bool,
    /// What every tag carries before its `>`, such as `:7`.
    suffix: String,
    call: Pending,
    any: bool,
}

#[derive(Debug)]
enum Stage {
    Suffix,
    Section,
    Name,
    Inside,
    Value { key: String, start: usize, seek: Seek, ends: [String; 3] },
    Json(Scan),
}

#[derive(Debug, Default)]
struct Pending {
    name: String,
    input: Object,
    pairs: bool,
}

/// The longest name or key that is waited for.
const MAX_WORD: usize = 256;

impl Reader for Block {
    fn awaits(&self) -> Option<Awaited<'_>> {
        match &self.stage {
            Stage::Json(scan) => Some(Awaited::Bracket(scan)),
            Stage::Value { ends: [.., close], .. } => Some(Awaited::Token(close)),
            _ => None,
        }
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        loop {
            match &mut self.stage {
                Stage::Suffix => self.suffix(view)?,
                Stage::Section => {
                    if let Some(end) = self.section(view)? {
                        return Ok(Step::End { end });
                    }
                }
                Stage::Name => self.name(view)?,
                Stage::Inside => {
                    if let Some(end) = self.inside(view)? {
                        return Ok(self.called(end));
                    }
                }
                Stage::Value { .. } => self.value(view)?,
                Stage::Json(scan) => {
                    let end = scan.run(view)?;
                    self.json(view, end)?;
                }
            }
        }
    }
}

impl Block {
    fn tag(&self, name: &str) -> String {
        format!("<{name}{}>", self.suffix)
    }

    /// Reads what follows `:` in the opener.
    fn suffix(&mut self, view: &View<'_>) -> Read<()> {
        let rest = view.rest(self.at);
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
        if view.peek(self.at + word)? != '>' {
            return Err(Stop::Reject);
        }
        self.suffix = format!(":{}", rest.get(..word).unwrap_or(""));
        self.at += word + 1;
        self.stage = if self.wrapped { Stage::Section } else { Stage::Name };
        Ok(())
    }

    fn section(&mut self, view: &View<'_>) -> Read<Option<usize>> {
        let at = gap(view, self.at)?;
        let call = self.tag("tool_call");
        if self.wrapped && view.has(at, &call)? {
            self.at = at + call.len();
            self.stage = Stage::Name;
            return Ok(None);
        }
        if !self.any {
            return Err(view.short_at(at));
        }
        let close = self.tag("/tool_calls");
        let closes = self.wrapped && view.has(at, &close)?;
        Ok(Some(if closes { at + close.len() } else { self.at }))
    }

    fn name(&mut self, view: &View<'_>) -> Read<()> {
        let rest = view.rest(self.at);
        let lead = rest.len() - rest.trim_start().len();
        let word = rest.trim_start();
        let end = word.find(['<', '\n', '\\', '{', ' ', '\r']);
        let Some(end) = end else {
            let hopeless = word.len() > MAX_WORD || !word.is_empty() && !is_name(word);
            return Err(if hopeless { Stop::Reject } else { view.short() });
        };
        let name = word.get(..end).unwrap_or("");
        if !is_name(name) {
            return Err(Stop::Reject);
        }
        let mut at = gap(view, self.at + lead + end)?;
        if let Some(separator) = self.config.separator {
            let token = self.tag(separator);
            if !view.has(at, &token)? {
                return Err(Stop::Reject);
            }
            at += token.len();
        }
        let goes_on =
            view.any(gap(view, at)?, &[&self.tag("arg_key"), &self.tag("/tool_call"), "{"])?;
        if goes_on.is_none() {
            return Err(view.short_at(at));
        }
        self.call = Pending { name: name.to_owned(), ..Pending::default() };
        self.at = at;
        self.stage = Stage::Inside;
        Ok(())
    }

    /// Expects a pair, JSON arguments or the end of the call.
    fn inside(&mut self, view: &View<'_>) -> Read<Option<usize>> {
        let at = gap(view, self.at)?;
        let (open, close, end) =
            (self.tag("arg_key"), self.tag("/arg_key"), self.tag("/tool_call"));
        if view.has(at, &end)? {
            let known = view.catalog.is_empty() || view.catalog.offers(&self.call.name);
            let vouched = known || self.call.pairs || self.config.separator.is_some();
            return if vouched { Ok(Some(at + end.len())) } else { Err(Stop::Reject) };
        }
        if view.has(at, &open)? {
            let rest = view.rest(at + open.len());
            let Some(length) = rest.find(&close) else {
                return Err(if rest.len() > MAX_WORD { misplaced(at) } else { view.short() });
            };
            let key = rest.get(..length).unwrap_or("").trim().to_owned();
            let after = gap(view, at + open.len() + length + close.len())?;
            let value = self.tag("arg_value");
            if view.has(after, &value)? {
                let start = after + value.len();
                let ends = ["/arg_value", "arg_key", "/tool_call"].map(|name| self.tag(name));
                self.stage = Stage::Value { key, start, seek: Seek::new(start), ends };
            }
            self.call.pairs = true;
            self.at = after;
            return Ok(None);
        }
        if view.peek(at)? == '{' && !self.call.pairs {
            self.at = at;
            self.stage = Stage::Json(Scan::new(&scan::JSON, at));
            return Ok(None);
        }
        Err(misplaced(at))
    }

    /// Looks for the end of a value: an end tag that is followed by more of the call.
    fn value(&mut self, view: &View<'_>) -> Read<()> {
        let Stage::Value { key, start, seek, ends } = &mut self.stage else { return Ok(()) };
        let [close, key_open, call_close] = ends;
        loop {
            let at = seek.token(view, close)?;
            let after = at + close.len();
            let goes_on = gap(view, after).and_then(|next| view.any(next, &[key_open, call_close]));
            match goes_on {
                Ok(None) => {}
                Ok(Some(_)) => {
                    let root = view.catalog.schema(&self.call.name);
                    let types = Types::of_parameter(root, key);
                    let value = coerce(view.slice(*start..at), types);
                    self.call.input.insert(std::mem::take(key), value);
                    self.at = after;
                    self.stage = Stage::Inside;
                    return Ok(());
                }
                Err(stop) => {
                    seek.again(at);
                    return Err(stop);
                }
            }
        }
    }

    fn json(&mut self, view: &View<'_>, end: usize) -> Read<()> {
        let (value, _) = literal::json(view.slice(self.at..end)).map_err(|_| misplaced(end))?;
        self.call.input = value.as_object().cloned().unwrap_or_default();
        self.call.pairs = true;
        self.at = end;
        self.stage = Stage::Inside;
        Ok(())
    }

    fn called(&mut self, end: usize) -> Step {
        let Pending { name, input, .. } = std::mem::take(&mut self.call);
        self.at = end;
        self.any = true;
        self.stage = Stage::Section;
        Step::call(Draft { name, id: None, input, repairs: Vec::new() }, end)
    }
}

/// Skips white space, and newlines that were written as `\n`.
fn gap(view: &View<'_>, mut at: usize) -> Read<usize> {
    loop {
        at = view.skip_space(at);
        if at == view.end() || !view.has(at, "\\n")? {
            return Ok(at);
        }
        at += 2;
    }
}

fn misplaced(at: usize) -> Stop {
    let detail = "a call holds something other than keys and values".to_owned();
    Stop::Broken { code: ProblemCode::InvalidStructure, detail, end: at }
}
