//! Elements named after the parameters, which nest where the values do.

use serde_json::Value;

use super::{Reader, Step, is_name};
use crate::ir::Object;
use crate::textcall::coerce::{Types, coerce};
use crate::textcall::parsed::ProblemCode;
use crate::textcall::payload::Draft;
use crate::textcall::scan::MAX_DEPTH;
use crate::textcall::view::{Read, Seek, Stop, View};

/// `<invoke name="N"><K>V</K></invoke>`, or `<invoke>` with the name and parameters inside.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::textcall) struct Elements {
    /// What stands before every tag; a server may have stripped it.
    pub(in crate::textcall) namespace: &'static str,
    /// What ends a section, without the namespace and with it.
    pub(in crate::textcall) section_close: &'static [&'static str],
}

impl Elements {
    pub(in crate::textcall) fn reader(
        &'static self,
        opener: &'static str,
        at: usize,
    ) -> Box<dyn Reader> {
        let plain = opener.strip_prefix(self.namespace);
        let namespace = if plain.is_some() { self.namespace } else { "" };
        let stage = if opener.ends_with("<invoke") { Stage::Tag } else { Stage::Section };
        let close = format!("{namespace}</invoke>");
        Box::new(Calls { config: self, namespace, close, at, stage, name: None, any: false })
    }
}

#[derive(Debug)]
struct Calls {
    config: &'static Elements,
    namespace: &'static str,
    close: String,
    at: usize,
    stage: Stage,
    name: Option<String>,
    any: bool,
}

#[derive(Debug)]
enum Stage {
    Section,
    Tag,
    Body(Seek),
}

impl Reader for Calls {
    fn awaits(&self) -> Option<u8> {
        match self.stage {
            Stage::Body(_) => Some(b'>'),
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
                Stage::Tag => self.tag(view)?,
                Stage::Body(seek) => {
                    let end = seek.token(view, &self.close)?;
                    return self.called(view, end);
                }
            }
        }
    }
}

impl Calls {
    /// Skips white space and, if it is there, the namespace.
    fn next_tag(&self, view: &View<'_>) -> Read<usize> {
        let at = view.skip_space(self.at);
        let named = !self.namespace.is_empty() && view.has(at, self.namespace)?;
        Ok(if named { at + self.namespace.len() } else { at })
    }

    fn section(&mut self, view: &View<'_>) -> Read<Option<usize>> {
        let at = self.next_tag(view)?;
        if view.has(at, "<invoke")? {
            self.at = at + "<invoke".len();
            self.stage = Stage::Tag;
            return Ok(None);
        }
        if !self.any {
            return Err(if at == view.end() { view.short() } else { Stop::Reject });
        }
        let close = view.any(at, self.config.section_close)?;
        Ok(Some(close.map_or(self.at, |length| at + length)))
    }

    fn tag(&mut self, view: &View<'_>) -> Read<()> {
        const MAX_TAG: usize = 256;
        let rest = view.rest(self.at);
        let Some(length) = rest.find('>') else {
            return Err(if rest.len() > MAX_TAG { Stop::Reject } else { view.short() });
        };
        let inside = rest.get(..length).unwrap_or("").trim();
        let name = inside.strip_prefix("name=").map(|name| name.trim_matches(['"', '\'']));
        if !(inside.is_empty() || name.is_some_and(is_name)) {
            return Err(Stop::Reject);
        }
        self.name = name.map(str::to_owned);
        self.at += length + 1;
        self.stage = Stage::Body(Seek::new(self.at));
        Ok(())
    }

    fn called(&mut self, view: &View<'_>, end: usize) -> Read<Step> {
        let body = view.slice(self.at..end);
        let broken = || {
            let detail = "a call's elements do not match up".to_owned();
            let end = end + self.close.len();
            Stop::Broken { code: ProblemCode::InvalidStructure, detail, end }
        };
        if !self.any && self.name.is_some() && body.contains("<parameter name=") {
            return Err(Stop::Reject);
        }
        let mut members = children(body, self.namespace).ok_or_else(broken)?;
        let name = if let Some(name) = &self.name {
            name.clone()
        } else {
            let (name, parameters) = old_layout(&members).ok_or_else(broken)?;
            members = children(parameters, self.namespace).ok_or_else(broken)?;
            name.to_owned()
        };
        let root = view.catalog.schema(&name);
        let tree = Tree { namespace: self.namespace, root };
        let input = tree.object(&members, root, 0);
        self.at = end + self.close.len();
        self.any = true;
        self.stage = Stage::Section;
        Ok(Step::call(Draft { name, id: None, input, repairs: Vec::new() }, self.at))
    }
}

type Member<'a> = (&'a str, &'a str);

/// `<tool_name>N</tool_name><parameters>…</parameters>`
fn old_layout<'a>(members: &[Member<'a>]) -> Option<(&'a str, &'a str)> {
    let find = |tag: &str| members.iter().find(|(name, _)| *name == tag).map(|(_, inner)| *inner);
    let name = find("tool_name")?.trim();
    is_name(name).then_some((name, find("parameters").unwrap_or("")))
}

/// Splits text into elements; none if it holds anything else.
fn children<'a>(text: &'a str, namespace: &str) -> Option<Vec<Member<'a>>> {
    let mut members = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        rest = rest.strip_prefix(namespace)?.strip_prefix('<')?;
        let (tag, inside) = rest.split_once('>')?;
        if !is_name(tag) {
            return None;
        }
        let length = matching(inside, tag, namespace)?;
        members.push((tag, inside.get(..length)?));
        let close = namespace.len() + tag.len() + "</>".len();
        rest = inside.get(length + close..)?.trim_start();
    }
    Some(members)
}

/// How long the inside of an element is, counting elements of the same name inside it.
fn matching(inside: &str, tag: &str, namespace: &str) -> Option<usize> {
    let (open, close) = (format!("{namespace}<{tag}>"), format!("{namespace}</{tag}>"));
    let (mut from, mut depth) = (0, 0_usize);
    loop {
        let end = from + inside.get(from..)?.find(&close)?;
        depth += inside.get(from..end)?.matches(&open).count();
        if depth == 0 {
            return Some(end);
        }
        depth -= 1;
        from = end + close.len();
    }
}

struct Tree<'a> {
    namespace: &'a str,
    root: Option<&'a Value>,
}

impl Tree<'_> {
    fn object(&self, members: &[Member<'_>], schema: Option<&Value>, depth: usize) -> Object {
        let property = |key: &str| schema.and_then(|schema| schema.get("properties")?.get(key));
        let value = |(key, inner): &Member<'_>| {
            ((*key).to_owned(), self.value(inner, property(key), depth + 1))
        };
        members.iter().map(value).collect()
    }

    fn value(&self, inner: &str, schema: Option<&Value>, depth: usize) -> Value {
        let types = Types::of(schema, self.root);
        let is_list = schema.is_some_and(|schema| {
            schema.get("items").is_some()
                || schema.get("type").and_then(Value::as_str) == Some("array")
        });
        if types.compound_only() && inner.trim().is_empty() {
            return if is_list { Value::Array(Vec::new()) } else { Value::Object(Object::new()) };
        }
        let nests = match self.namespace {
            "" => types.compound_only(),
            namespace => inner.contains(namespace),
        };
        let members =
            if nests && depth < MAX_DEPTH { children(inner, self.namespace) } else { None };
        match members {
            None => coerce(inner, types),
            Some(members) if is_list || members.iter().all(|(tag, _)| *tag == "item") => {
                let items = schema.and_then(|schema| schema.get("items"));
                members.iter().map(|(_, inner)| self.value(inner, items, depth + 1)).collect()
            }
            Some(members) => Value::Object(self.object(&members, schema, depth)),
        }
    }
}
