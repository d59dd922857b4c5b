//! Parameters in tags: a tag per call, a tag per parameter, values typed by the schema.
//!
//! Nothing in a value is escaped, so what ends one is told by what follows: an end tag that is not
//! followed by more of the call, or that belongs to an example inside the value, is part of it.

use std::borrow::Cow;

use serde_json::Value;

use super::{Block, CallGrammar, Next, broken, elements, head, is_name, skip_any};
use crate::textcall::coerce::{AllowedTypes, coerce};
use crate::textcall::parsed::{ProblemCode, Repair};
use crate::textcall::payload::{self, CallDraft};
use crate::textcall::scan::Flavour;
use crate::textcall::steps::charge;
use crate::textcall::view::{ReadResult, ReadStop, View};

/// `SECTION (<call name="N"> (<parameter name="K">V</parameter>)* </call>)* SECTION_END`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tags {
    /// How the tags say their names.
    pub(crate) style: TagStyle,
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
    /// Tokens that may stand between tags and mean nothing.
    pub(crate) gap: &'static [&'static str],
    /// What ends a section; models forget it.
    pub(crate) section_close: &'static [&'static str],
}

/// How tags say the names of tools and of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagStyle {
    /// `<call name="N"><parameter name="K">V</parameter>`, in attributes that are called so. Without
    /// names, `<call=N><parameter=K>V</parameter>`, where one newline on each side of V is padding.
    Attributes(&'static str, &'static str),
    /// `<call>N<arg_key>K</arg_key><arg_value>V</arg_value>`, perhaps with a tag behind N.
    Pairs(Option<&'static str>),
    /// `<call name="N"><K>V</K>`, where values nest as elements; the name may be one as well.
    Elements,
}

impl Tags {
    /// `<invoke name="N"><parameter name="K">V</parameter></invoke>`
    pub(crate) const INVOKE: Self = Self {
        style: TagStyle::Attributes("name", "name"),
        call: "<invoke",
        call_close: "</invoke>",
        parameter: "<parameter",
        parameter_close: "</parameter>",
        tag_end: ">",
        gap: &[],
        section_close: &[],
    };

    /// `<function=N><parameter=K>V</parameter></function>`
    pub(crate) const FUNCTION: Self = Self {
        style: TagStyle::Attributes("", ""),
        call: "<function=",
        call_close: "</function>",
        parameter: "<parameter=",
        ..Self::INVOKE
    };

    /// `<tool_call>N<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>`
    pub(crate) const PAIRS: Self = Self {
        style: TagStyle::Pairs(None),
        call: "<tool_call>",
        call_close: "</tool_call>",
        parameter: "<arg_key>",
        parameter_close: "</arg_value>",
        // Newlines between the tags are sometimes written out.
        gap: &["\\n"],
        ..Self::INVOKE
    };

    /// `<invoke name="N"><K>V</K></invoke>`
    pub(crate) const ELEMENTS: Self =
        Self { style: TagStyle::Elements, parameter: "<", ..Self::INVOKE };
}

/// The head of a parameter.
struct Parameter {
    key: String,
    /// Whether the markup itself says that the value is text.
    text: Option<bool>,
    /// Where the value starts, if there is one, and what ends it.
    start: usize,
    close: Option<String>,
}

const CDATA: &str = "<![CDATA[";

impl CallGrammar for Tags {
    fn next(&self, view: &View<'_>, block: &mut Block) -> ReadResult<Next> {
        if block.call.name.is_empty() {
            return self.head(view, block);
        }
        let at = view.skip_tokens(block.at, self.gap)?;
        if let Some(end) = skip_any(view, at, &[self.call_close])? {
            return self.end_call(view, block, end);
        }
        if view.peek(at)? == '{' && block.call.input.is_empty() {
            return Ok(Next::Value(Flavour::Json, at));
        }
        match self.parameter(view, block.at) {
            Ok(Parameter { start, close: Some(close), .. }) => Ok(Next::Until(close, start)),
            Ok(Parameter { start, close: None, .. }) => Ok(Next::Inside(start)),
            Err(ReadStop::Reject) if block.found || !block.call.input.is_empty() => {
                Err(misplaced_tag(at))
            }
            Err(stop) => Err(stop),
        }
    }

    fn ends(
        &self,
        view: &View<'_>,
        block: &mut Block,
        at: usize,
    ) -> ReadResult<Option<(usize, usize)>> {
        let after = at + block.token.len();
        if self.style == TagStyle::Elements {
            return Ok(Some((at, after)));
        }
        let next = view.skip_tokens(after, self.gap)?;
        let goes_on = skip_any(view, next, &[self.call_close, self.parameter])?.is_some()
            || skip_any(view, next, self.section_close)?.is_some();
        let text = view.slice(view.skip_space(block.start)..at);
        if text.starts_with(CDATA) {
            return Ok((goes_on && text.trim_end().ends_with("]]>")).then_some((at, after)));
        }
        if let Some(missed) = self.search(view, block, at) {
            return Ok(Some((missed, missed)));
        }
        Ok((goes_on && block.nested == 0).then_some((at, after)))
    }

    fn decode(&self, view: &View<'_>, block: &mut Block, text: &str) -> ReadResult<Next> {
        if self.style == TagStyle::Elements {
            let namespace = block.token.strip_suffix(self.call_close).unwrap_or("");
            let plain = namespace.is_empty() && !block.found;
            let broken = if plain { ReadStop::Reject } else { misplaced_tag(block.at) };
            elements::read(view, &mut block.call, text, namespace).ok_or(broken)?;
            return Ok(block.finish_call(block.at));
        }
        if block.token.is_empty() && text.starts_with('{') {
            block.json_arguments(text)?;
            return Ok(Next::Inside(block.at));
        }
        let Parameter { key, text: declared, start, .. } = self.parameter(view, block.head)?;
        let root = view.catalog.schema(&block.call.name);
        let plain = self.plain(text);
        let value = match declared {
            Some(true) => Value::String(plain.into_owned()),
            Some(false) if let Ok(value) = serde_json::from_str(&plain) => value,
            _ => coerce(&plain, &AllowedTypes::of_parameter(root, &key)),
        };
        if start + text.len() == block.at {
            block.call.repairs.push(Repair::MissingParameterEnd);
        }
        block.call.input.insert(key, value);
        Ok(Next::Inside(block.at))
    }
}

impl Tags {
    /// Expects a call or the end of the section.
    fn head(&self, view: &View<'_>, block: &mut Block) -> ReadResult<Next> {
        let mut at = block.at;
        if block.opener.ends_with(':') && !block.found {
            at = skip_any(view, at - 1, &[">"])?.ok_or(ReadStop::Reject)?;
        }
        let at =
            match block.find_next_call(view, at, [self.gap, &[self.call], self.section_close])? {
                Ok(head) => head,
                Err(end) => return Ok(end),
            };
        let (inside, end) = self.call_tag(view, at)?;
        let name = match self.style {
            TagStyle::Attributes(name, _) => attribute(inside, name).unwrap_or_default(),
            TagStyle::Elements => attribute(inside, "name").unwrap_or_default(),
            TagStyle::Pairs(_) => inside.to_owned(),
        };
        let unnamed = self.style == TagStyle::Elements && inside.trim().is_empty();
        if !unnamed && !is_name(&name) {
            return Err(ReadStop::Reject);
        }
        let first = view.skip_tokens(end, self.gap)?;
        block.call = CallDraft { name, ..CallDraft::default() };
        if inside.trim_end().ends_with('/') && !matches!(self.style, TagStyle::Pairs(_)) {
            return Ok(block.finish_call(end));
        }
        if self.style == TagStyle::Elements {
            let namespace = view.slice(end..first).trim();
            return Ok(Next::Until(format!("{namespace}{}", self.call_close), end));
        }
        Ok(Next::Inside(end))
    }

    /// What stands inside a call's tag, or alone behind it, and the place after it.
    fn call_tag<'a>(&self, view: &View<'a>, from: usize) -> ReadResult<(&'a str, usize)> {
        let TagStyle::Pairs(separator) = self.style else { return self.tag(view, from) };
        let start = view.skip_space(from);
        let end = |rest: &str| rest.find(['<', '\n', '\\', '{', ' ', '\r']);
        let name = head(view, start, end, |rest| rest.is_empty() || is_name(rest))?;
        let mut end = start + name.len();
        if let Some(separator) = separator {
            let at = view.skip_tokens(end, self.gap)?;
            end = skip_any(view, at, &[separator])?.ok_or(ReadStop::Reject)?;
        }
        Ok((name, end))
    }

    /// What stands inside a tag, and the place after it.
    fn tag<'a>(&self, view: &View<'a>, at: usize) -> ReadResult<(&'a str, usize)> {
        let inside = head(view, at, |rest| rest.find(self.tag_end), |_| true)?;
        let end = at + inside.len() + self.tag_end.len();
        if inside.contains('<') { Err(ReadStop::Reject) } else { Ok((inside, end)) }
    }

    /// Reads the head of a parameter that stands behind a gap.
    fn parameter(&self, view: &View<'_>, from: usize) -> ReadResult<Parameter> {
        let at = view.skip_tokens(from, self.gap)?;
        let tag = skip_any(view, at, &[self.parameter])?.ok_or(ReadStop::Reject)?;
        let TagStyle::Attributes(_, name) = self.style else { return self.pair(view, tag) };
        let (inside, start) = self.tag(view, tag)?;
        let key = attribute(inside, name).ok_or(ReadStop::Reject)?;
        let closed = !name.is_empty() && inside.trim_end().ends_with('/');
        let close = (!closed).then(|| self.parameter_close.to_owned());
        Ok(Parameter { key, text: declared_text(inside), start, close })
    }

    /// Reads a key, and the tag of its value unless that was left out.
    fn pair(&self, view: &View<'_>, from: usize) -> ReadResult<Parameter> {
        let key = head(view, from, |rest| rest.find("</arg_key"), |_| true)?;
        let closed = skip_any(view, from + key.len(), &["</arg_key>"])?.ok_or(ReadStop::Reject)?;
        let at = view.skip_tokens(closed, self.gap)?;
        let start = skip_any(view, at, &["<arg_value>"])?;
        let close = start.map(|start| view.slice(at..start).replacen('<', "</", 1));
        let key = key.trim().to_owned();
        Ok(Parameter { key, text: None, start: start.unwrap_or(closed), close })
    }

    /// Searches a value up to a place for examples of calls, and for the tag of another parameter
    /// on a line of its own, which says that the end tag before it is missing.
    fn search(&self, view: &View<'_>, block: &mut Block, upto: usize) -> Option<usize> {
        let from = std::mem::replace(&mut block.searched, upto);
        let declared = view.catalog.parameters(&block.call.name);
        let text = view.slice(from..upto);
        charge(text.len());
        for (offset, _) in text.match_indices('<') {
            let (at, tag) = (from + offset, text.get(offset..).unwrap_or(""));
            if tag.starts_with(self.call_close) {
                block.nested = block.nested.saturating_sub(1);
            } else if tag.starts_with(self.call) {
                block.nested += usize::from(self.is_example(view, at).unwrap_or(false));
            } else if block.nested == 0
                && tag.starts_with(self.parameter)
                && view.slice(block.start..at).ends_with('\n')
                && let Ok(parameter) = self.parameter(view, at)
                && declared.contains(&parameter.key.as_str())
            {
                return Some(at);
            }
        }
        None
    }

    /// Whether the tag at this place starts a call, and is not merely mentioned.
    fn is_example(&self, view: &View<'_>, at: usize) -> ReadResult<bool> {
        let (_, end) = self.call_tag(view, at + self.call.len())?;
        let next = view.skip_tokens(end, self.gap)?;
        Ok(view.any(next, &[self.parameter, self.call_close])?.is_some())
    }

    /// The text of a value without its padding or its CDATA sections.
    fn plain<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let cdata = text.trim().strip_prefix(CDATA).and_then(|text| text.strip_suffix("]]>"));
        if let Some(inner) = cdata {
            return Cow::Owned(inner.replace("]]><![CDATA[", ""));
        }
        let inner = text.strip_prefix('\n').or_else(|| text.strip_prefix("\r\n"));
        let Some(inner) = inner.filter(|_| self.style == TagStyle::Attributes("", "")) else {
            return Cow::Borrowed(text);
        };
        let unpadded = inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n'));
        Cow::Borrowed(unpadded.unwrap_or(inner))
    }

    /// Ends a call. A name alone is one only if it was offered, or something else vouches for it.
    fn end_call(&self, view: &View<'_>, block: &mut Block, end: usize) -> ReadResult<Next> {
        let call = &mut block.call;
        let known = view.catalog.is_empty() || view.catalog.offers(&call.name);
        if self.style == TagStyle::Pairs(None) && call.input.is_empty() && !known {
            return Err(ReadStop::Reject);
        }
        let declared = view.catalog.parameters(&call.name);
        unwrap_sole(call, &declared);
        Ok(block.finish_call(end))
    }
}

fn misplaced_tag(end: usize) -> ReadStop {
    broken(ProblemCode::InvalidStructure, "a call holds something other than parameters", end)
}

/// The value of an attribute, or all there is where the tag has no attributes.
fn attribute(inside: &str, name: &str) -> Option<String> {
    let inside = inside.trim_end().trim_end_matches('/').trim();
    if name.is_empty() {
        return Some(inside.trim_matches(['"', '\'']).to_owned());
    }
    let mut found = inside.match_indices(name);
    let value = found.find_map(|(at, name)| {
        let (before, rest) = inside.split_at_checked(at)?;
        let own_word = before.is_empty() || before.ends_with(char::is_whitespace);
        rest.strip_prefix(name)?.trim_start().strip_prefix('=').filter(|_| own_word)
    });
    let value = value?.trim_start();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value.split(quote).nth(1),
        _ => value.split_whitespace().next(),
    };
    Some(value?.replace("&quot;", "\"").replace("&amp;", "&"))
}

/// What `string="true"` and `type="string"` say of a value.
fn declared_text(inside: &str) -> Option<bool> {
    match attribute(inside, "string").as_deref() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => attribute(inside, "type").map(|kind| kind == "string"),
    }
}

/// Takes the arguments out of a lone parameter that holds all of them.
fn unwrap_sole(call: &mut CallDraft, declared: &[&str]) {
    let lone = call.input.iter().next().filter(|_| call.input.len() == 1);
    if let Some((key, inner)) = lone
        && ["arguments", "input"].contains(&key.as_str())
        && !declared.contains(&key.as_str())
        && let Ok((arguments, _)) = payload::arguments(Some(inner))
    {
        call.input = arguments;
    }
}
