//! Token sections: a head says who is called, JSON arguments follow.

use std::cmp::Reverse;

use super::{Reader, Step, is_name};
use crate::ir::Object;
use crate::textcall::literal;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, Draft, Trust};
use crate::textcall::scan::{self, Scan};
use crate::textcall::view::{Read, Stop, View};

/// `SECTION (CALL head SEPARATOR {…} CLOSE)* SECTION_END`
#[derive(Debug, PartialEq, Eq)]
pub(in crate::textcall) struct Headed {
    /// The tokens that start a call; an opener that is none of them starts a section.
    pub(in crate::textcall) call: &'static [&'static str],
    /// How the name, and the id if there is one, stand in the head.
    pub(in crate::textcall) head: Head,
    /// What ends the head; a `{` always does.
    pub(in crate::textcall) separators: &'static [&'static str],
    /// What ends a call; models forget it.
    pub(in crate::textcall) close: &'static [&'static str],
    /// What ends a section; models forget it.
    pub(in crate::textcall) section_close: &'static [&'static str],
    /// Whether the name must be one that was offered.
    pub(in crate::textcall) trust: Trust,
}

/// How the name and the id stand in a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::textcall) enum Head {
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
    pub(in crate::textcall) const MARKED: Self = Self {
        call: &[],
        head: Head::Name,
        separators: &[],
        close: &[],
        section_close: &[],
        trust: Trust::Marked,
    };

    pub(in crate::textcall) fn reader(
        &'static self,
        opener: &'static str,
        at: usize,
    ) -> Box<dyn Reader> {
        let stage = if self.call.contains(&opener) { Stage::Head } else { Stage::Section };
        Box::new(Section {
            config: self,
            at,
            stage,
            who: Who::default(),
            fenced: false,
            any: false,
        })
    }
}

#[derive(Debug)]
struct Section {
    config: &'static Headed,
    at: usize,
    stage: Stage,
    who: Who,
    fenced: bool,
    any: bool,
}

#[derive(Debug)]
enum Stage {
    Section,
    Head,
    Payload,
    Scan(Scan),
    After,
}

#[derive(Debug, Default)]
struct Who {
    name: String,
    id: Option<String>,
}

/// The longest head that is waited for.
const MAX_HEAD: usize = 256;

impl Reader for Section {
    fn awaits(&self) -> Option<u8> {
        match self.stage {
            Stage::Scan(_) => Some(b'}'),
            _ => None,
        }
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        loop {
            match &mut self.stage {
                Stage::Section => {
                    if let Some(end) = self.section(view)? {
                        return Ok(Step::End { end });
                    }
                }
                Stage::Head => self.head(view)?,
                Stage::Payload => {
                    if let Some(step) = self.payload(view)? {
                        return Ok(step);
                    }
                }
                Stage::Scan(scan) => {
                    let end = scan.run(view)?;
                    let text = view.slice(self.at..end);
                    return self.called(view, text, end);
                }
                Stage::After => self.after(view)?,
            }
        }
    }
}

impl Section {
    /// Expects a call or the end of the section.
    fn section(&mut self, view: &View<'_>) -> Read<Option<usize>> {
        let at = view.skip_space(self.at);
        if self.config.call.is_empty() && !self.any {
            self.stage = Stage::Head;
            return Ok(None);
        }
        if let Some(length) = view.any(at, self.config.call)? {
            self.at = at + length;
            self.stage = Stage::Head;
            return Ok(None);
        }
        if !self.any {
            return Err(if at == view.end() { view.short() } else { Stop::Reject });
        }
        Ok(Some(match view.any(at, self.config.section_close)? {
            Some(length) => at + length,
            None => self.at,
        }))
    }

    fn head(&mut self, view: &View<'_>) -> Read<()> {
        let end = match self.config.head {
            Head::Prefixed(prefix) => self.offered_head(view, prefix)?,
            _ => self.free_head(view)?,
        };
        self.at = end;
        self.stage = Stage::Payload;
        Ok(())
    }

    /// A head without a marker: only an offered name will do.
    fn offered_head(&mut self, view: &View<'_>, prefix: &str) -> Read<usize> {
        if !view.has(self.at, prefix)? {
            return Err(Stop::Reject);
        }
        let start = self.at + prefix.len();
        let name = view.catalog.name_at(view, start)?.ok_or(Stop::Reject)?;
        let mut end = start + name.len();
        self.who = Who { name: name.to_owned(), id: None };
        if view.peek_or_end(end)? == Some(':') {
            let digits = view.rest(end + 1);
            let count =
                digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if count == digits.len() {
                return Err(view.short());
            }
            end += 1 + count;
            self.who.id = Some(view.slice(self.at..end).to_owned());
        }
        Ok(end + view.any(end, self.config.separators)?.unwrap_or(0))
    }

    /// A head that a marker announced.
    fn free_head(&mut self, view: &View<'_>) -> Read<usize> {
        let start = view.skip_space(self.at);
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
        self.who = who.or(announced.then(Who::default)).ok_or(Stop::Reject)?;
        Ok(start + length + separator)
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
    fn payload(&mut self, view: &View<'_>) -> Read<Option<Step>> {
        let mut at = view.skip_space(self.at);
        if let Some((_, inside)) = view.fence(at)? {
            self.fenced = true;
            at = view.skip_space(inside);
        }
        if view.peek(at)? == '{' {
            self.at = at;
            self.stage = Stage::Scan(Scan::new(&scan::JSON, at));
            return Ok(None);
        }
        if view.any(at, self.config.close)?.is_some() {
            return self.called(view, "{}", at).map(Some);
        }
        Err(Stop::Reject)
    }

    fn called(&mut self, view: &View<'_>, text: &str, end: usize) -> Read<Step> {
        let (input, repairs) = match literal::json(text) {
            Ok((value, repairs)) => (value.as_object().cloned().unwrap_or_default(), repairs),
            Err(_) if self.config.trust == Trust::Offered => return Err(Stop::Reject),
            Err(detail) => {
                let detail = format!("invalid JSON: {detail}");
                return Err(Stop::Broken { code: ProblemCode::InvalidJson, detail, end });
            }
        };
        self.at = end;
        self.any = true;
        self.stage = Stage::After;
        let who = std::mem::take(&mut self.who);
        let call = named(Draft { name: who.name, id: who.id, input, repairs }, view);
        let call = call.and_then(|call| self.unrepeated(call));
        Ok(Step::Found { calls: vec![call], text: None, end })
    }

    /// Takes the arguments out of JSON that repeats the name.
    fn unrepeated(&self, mut call: Draft) -> Result<Draft, payload::Refusal> {
        let inner = if self.config.head == Head::Repeated { call.input.get("args") } else { None };
        if let Some(inner) = inner {
            call.input = payload::arguments(Some(inner))?.0;
        }
        Ok(call)
    }

    /// Takes what closes the call.
    fn after(&mut self, view: &View<'_>) -> Read<()> {
        let mut at = view.skip_space(self.at);
        if self.fenced && view.has(at, "```")? {
            at = view.skip_space(at + 3);
        }
        if let Some(length) = view.any(at, self.config.close)? {
            self.at = at + length;
        }
        self.fenced = false;
        self.stage = Stage::Section;
        Ok(())
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
