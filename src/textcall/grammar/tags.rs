//! XML parameters: a tag per call, a tag per parameter, values typed by the schema.

use serde_json::Value;

use super::{Awaited, Reader, Step, is_name};
use crate::ir::Object;
use crate::textcall::coerce::{Types, coerce};
use crate::textcall::literal;
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, Draft};
use crate::textcall::scan::{self, Scan};
use crate::textcall::view::{Read, Seek, Stop, View};

/// `SECTION (<call name="N"> (<parameter name="K">V</parameter>)* </call>)* SECTION_END`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tags {
    /// What a call's tag starts with; an opener that is not this starts a section.
    pub(crate) call: &'static str,
    /// A call's end tag. Without it a call is cut short.
    pub(crate) call_close: &'static str,
    /// What a parameter's tag starts with.
    pub(crate) parameter: &'static str,
    /// A parameter's end tag.
    pub(crate) parameter_close: &'static str,
    /// What ends a tag.
    pub(crate) tag_end: &'static str,
    /// The attributes that hold the name of the tool and of the parameter; empty for `<tag=NAME>`.
    pub(crate) names: (&'static str, &'static str),
    /// Tokens that may stand between the section's opener and a call.
    pub(crate) gap: &'static [&'static str],
    /// What ends a section; models forget it.
    pub(crate) section_close: &'static [&'static str],
    /// Which newlines round a value are not part of it.
    pub(crate) padding: Padding,
}

/// Which newlines round a value are not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Padding {
    /// All are.
    Data,
    /// One on each side is not.
    OneNewline,
}

impl Tags {
    /// `<invoke name="N"><parameter name="K">V</parameter></invoke>`
    pub(crate) const INVOKE: Self = Self {
        call: "<invoke",
        call_close: "</invoke>",
        parameter: "<parameter",
        parameter_close: "</parameter>",
        tag_end: ">",
        names: ("name", "name"),
        gap: &[],
        section_close: &[],
        padding: Padding::Data,
    };

    /// `<function=N><parameter=K>V</parameter></function>`
    pub(crate) const FUNCTION: Self = Self {
        call: "<function=",
        call_close: "</function>",
        parameter: "<parameter=",
        names: ("", ""),
        padding: Padding::OneNewline,
        ..Self::INVOKE
    };

    pub(crate) fn reader(&'static self, opener: &'static str, at: usize) -> Box<dyn Reader> {
        let stage = if opener == self.call { Stage::CallTag } else { Stage::Section };
        Box::new(Calls { config: self, at, stage, call: Pending::default(), any: false })
    }
}

#[derive(Debug)]
struct Calls {
    config: &'static Tags,
    at: usize,
    stage: Stage,
    call: Pending,
    any: bool,
}

#[derive(Debug)]
enum Stage {
    Section,
    CallTag,
    Inside,
    Json(Scan),
    Value(Parameter, Seek),
}

/// The call being read.
#[derive(Debug, Default)]
struct Pending {
    name: String,
    input: Object,
    repairs: Vec<Repair>,
}

/// The parameter being read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    key: String,
    /// Whether the markup itself says that the value is text.
    text: Option<bool>,
    start: usize,
    /// How many example calls are open inside the value.
    nested: usize,
}

/// The longest tag that is waited for.
const MAX_TAG: usize = 512;

const CDATA: &str = "<![CDATA[";

impl Reader for Calls {
    fn awaits(&self) -> Option<Awaited<'_>> {
        match &self.stage {
            Stage::Json(scan) => Some(Awaited::Bracket(scan)),
            Stage::Value(..) => Some(Awaited::Token(self.config.call_close)),
            _ => None,
        }
    }

    fn step(&mut self, view: &View<'_>) -> Read<Step> {
        loop {
            let found = match &mut self.stage {
                Stage::Section => self.section(view)?,
                Stage::CallTag => self.call_tag(view)?,
                Stage::Inside => self.inside(view)?,
                Stage::Json(scan) => {
                    let end = scan.run(view)?;
                    self.json_body(view, end)?;
                    None
                }
                Stage::Value(..) => {
                    self.value(view)?;
                    None
                }
            };
            if let Some(step) = found {
                return Ok(step);
            }
        }
    }
}

impl Calls {
    /// Expects a call or the end of the section.
    fn section(&mut self, view: &View<'_>) -> Read<Option<Step>> {
        let at = view.skip_tokens(self.at, self.config.gap)?;
        if view.has(at, self.config.call)? {
            self.at = at + self.config.call.len();
            self.stage = Stage::CallTag;
            return Ok(None);
        }
        if !self.any {
            return Err(view.short_at(at));
        }
        let end = view.any(at, self.config.section_close)?.map_or(self.at, |length| at + length);
        Ok(Some(Step::End { end }))
    }

    fn call_tag(&mut self, view: &View<'_>) -> Read<Option<Step>> {
        let Some((inside, end)) = self.tag(view, self.at)? else { return Err(Stop::Reject) };
        let closed = inside.trim_end().ends_with('/');
        let name = attribute(inside, self.config.names.0).unwrap_or_default();
        if !is_name(&name) {
            return Err(Stop::Reject);
        }
        self.call = Pending { name, ..Pending::default() };
        self.at = end;
        self.stage = Stage::Inside;
        Ok(if closed { Some(self.called(view, end)) } else { None })
    }

    /// What stands inside a tag, and the place after it; none if no tag can stand here.
    fn tag<'a>(&self, view: &View<'a>, at: usize) -> Read<Option<(&'a str, usize)>> {
        let rest = view.rest(at);
        let Some(length) = rest.find(self.config.tag_end) else {
            return if rest.len() > MAX_TAG { Ok(None) } else { Err(view.short()) };
        };
        let inside = rest.get(..length).unwrap_or("");
        Ok((!inside.contains('<')).then_some((inside, at + length + self.config.tag_end.len())))
    }

    /// Expects a parameter, JSON arguments or the end of the call.
    fn inside(&mut self, view: &View<'_>) -> Read<Option<Step>> {
        let at = view.skip_space(self.at);
        if view.has(at, self.config.call_close)? {
            return Ok(Some(self.called(view, at + self.config.call_close.len())));
        }
        if view.has(at, self.config.parameter)? {
            let tag = self.tag(view, at + self.config.parameter.len())?;
            let (inside, start) = tag.ok_or_else(|| misplaced(at))?;
            let key = attribute(inside, self.config.names.1).ok_or_else(|| misplaced(at))?;
            let text = declared_text(inside);
            let parameter = Parameter { key, text, start, nested: 0 };
            if inside.trim_end().ends_with('/') && !self.config.names.1.is_empty() {
                self.finish_value(view, &parameter, start, start);
            } else {
                self.stage = Stage::Value(parameter, Seek::new(start));
            }
            return Ok(None);
        }
        if view.peek(at)? == '{' && self.call.input.is_empty() {
            self.at = at;
            self.stage = Stage::Json(Scan::new(&scan::JSON, at));
            return Ok(None);
        }
        Err(if self.any { misplaced(at) } else { Stop::Reject })
    }

    fn json_body(&mut self, view: &View<'_>, end: usize) -> Read<()> {
        let (value, repairs) = literal::json(view.slice(self.at..end)).map_err(|detail| {
            let detail = format!("invalid JSON: {detail}");
            Stop::Broken { code: ProblemCode::InvalidJson, detail, end }
        })?;
        self.call.input = value.as_object().cloned().unwrap_or_default();
        self.call.repairs.extend(repairs);
        self.at = end;
        self.stage = Stage::Inside;
        Ok(())
    }

    /// Looks for the end of a value. An end tag that is not followed by more of the call, or that
    /// belongs to an example inside the value, is part of the value.
    fn value(&mut self, view: &View<'_>) -> Read<()> {
        let Stage::Value(mut parameter, mut seek) =
            std::mem::replace(&mut self.stage, Stage::Inside)
        else {
            return Ok(());
        };
        let outcome = self.value_end(view, &mut parameter, &mut seek);
        match outcome {
            Ok((end, next)) => {
                self.finish_value(view, &parameter, end, next);
                Ok(())
            }
            Err(stop) => {
                self.stage = Stage::Value(parameter, seek);
                Err(stop)
            }
        }
    }

    fn value_end(
        &mut self,
        view: &View<'_>,
        parameter: &mut Parameter,
        seek: &mut Seek,
    ) -> Read<(usize, usize)> {
        let first = view.skip_space(parameter.start);
        if view.has(first, CDATA)? {
            return self.cdata_end(view, first, seek);
        }
        loop {
            let at = seek.byte(view, b'<')?;
            match self.tag_in_value(view, parameter, at) {
                Ok(Some(ends)) => return Ok(ends),
                Ok(None) => {}
                Err(stop) => {
                    seek.again(at);
                    return Err(stop);
                }
            }
        }
    }

    /// Where the value ends and where reading goes on, if a `<` at this place ends it.
    fn tag_in_value(
        &mut self,
        view: &View<'_>,
        parameter: &mut Parameter,
        at: usize,
    ) -> Read<Option<(usize, usize)>> {
        let config = self.config;
        if parameter.nested == 0 && view.has(at, config.parameter_close)? {
            let after = at + config.parameter_close.len();
            let next = view.skip_space(after);
            let goes_on = view.any(next, &[config.call_close, config.parameter])?.is_some()
                || view.any(next, config.section_close)?.is_some();
            return Ok(goes_on.then_some((at, after)));
        }
        if view.has(at, config.call_close)? {
            parameter.nested = parameter.nested.saturating_sub(1);
            return Ok(None);
        }
        if view.has(at, config.call)? {
            if let Some((_, end)) = self.tag(view, at + config.call.len())? {
                let inner = view.skip_space(end);
                let example = view.any(inner, &[config.parameter, config.call_close])?;
                parameter.nested += usize::from(example.is_some());
            }
            return Ok(None);
        }
        if parameter.nested == 0 && view.has(at, config.parameter)? {
            let tag = self.tag(view, at + config.parameter.len())?;
            let key = tag.and_then(|(inside, _)| attribute(inside, config.names.1));
            let declared = view.catalog.parameters(&self.call.name);
            let own_line = view.slice(parameter.start..at).ends_with('\n');
            if key.is_some_and(|key| declared.contains(&key.as_str())) && own_line {
                self.call.repairs.push(Repair::MissingParameterEnd);
                return Ok(Some((at, at)));
            }
        }
        Ok(None)
    }

    /// The end of a value in CDATA: its last section's end, then the end tag.
    fn cdata_end(&self, view: &View<'_>, first: usize, seek: &mut Seek) -> Read<(usize, usize)> {
        loop {
            let at = seek.token(view, "]]>")?;
            let after = view.skip_space(at + 3);
            match view.has(after, self.config.parameter_close) {
                Ok(true) if at > first => {
                    return Ok((at + 3, after + self.config.parameter_close.len()));
                }
                Ok(_) => {}
                Err(stop) => {
                    seek.again(at);
                    return Err(stop);
                }
            }
        }
    }

    fn finish_value(&mut self, view: &View<'_>, parameter: &Parameter, end: usize, next: usize) {
        let text = view.slice(parameter.start..end);
        let root = view.catalog.schema(&self.call.name);
        let types = Types::of_parameter(root, &parameter.key);
        let text = unwrap_cdata(text).unwrap_or_else(|| match self.config.padding {
            Padding::Data => text.to_owned(),
            Padding::OneNewline => unpadded(text).to_owned(),
        });
        let value = match parameter.text {
            Some(true) => Value::String(text),
            Some(false) => serde_json::from_str(&text).unwrap_or_else(|_| coerce(&text, types)),
            None => coerce(&text, types),
        };
        self.call.input.insert(parameter.key.clone(), value);
        self.at = next;
        self.stage = Stage::Inside;
    }

    fn called(&mut self, view: &View<'_>, end: usize) -> Step {
        let Pending { name, input, repairs } = std::mem::take(&mut self.call);
        let input = unwrap_sole(input, &view.catalog.parameters(&name));
        self.at = end;
        self.any = true;
        self.stage = Stage::Section;
        Step::call(Draft { name, id: None, input, repairs }, end)
    }
}

fn misplaced(at: usize) -> Stop {
    let detail = "a call's tag holds something other than parameters".to_owned();
    Stop::Broken { code: ProblemCode::InvalidStructure, detail, end: at }
}

/// The value of an attribute, or all there is where the tag has no attributes.
fn attribute(inside: &str, name: &str) -> Option<String> {
    let inside = inside.trim_end().trim_end_matches('/').trim();
    if name.is_empty() {
        return Some(inside.trim_matches(['"', '\'']).to_owned());
    }
    let mut from = 0;
    loop {
        let found = from + inside.get(from..)?.find(name)?;
        let after = inside.get(found + name.len()..)?.trim_start();
        let own_word = inside.get(..found)?.chars().next_back().is_none_or(char::is_whitespace);
        if own_word && let Some(value) = after.strip_prefix('=') {
            return Some(unquoted(value.trim_start()));
        }
        from = found + name.len();
    }
}

fn unquoted(value: &str) -> String {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let text = match quote {
        Some(quote) => value.get(1..).and_then(|inside| inside.split(quote).next()),
        None => value.split_whitespace().next(),
    };
    text.unwrap_or("").replace("&quot;", "\"").replace("&amp;", "&")
}

/// What `string="true"` and `type="string"` say of a value.
fn declared_text(inside: &str) -> Option<bool> {
    match attribute(inside, "string").as_deref() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => attribute(inside, "type").map(|kind| kind == "string"),
    }
}

/// The value without one newline on each side; one that starts at once is not padded.
fn unpadded(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')) else {
        return text;
    };
    inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n')).unwrap_or(inner)
}

/// The text of one or more CDATA sections.
fn unwrap_cdata(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix(CDATA)?.strip_suffix("]]>")?;
    Some(inner.replace("]]><![CDATA[", ""))
}

/// Takes the arguments out of a lone parameter that holds all of them.
fn unwrap_sole(mut input: Object, declared: &[&str]) -> Object {
    let lone = |key: &&str| input.len() == 1 && !declared.contains(key);
    let Some(key) =
        ["arguments", "input"].into_iter().filter(lone).find(|key| input.contains_key(*key))
    else {
        return input;
    };
    match payload::arguments(input.get(key)) {
        Ok((inner, _)) => inner,
        Err(_) => std::mem::take(&mut input),
    }
}
