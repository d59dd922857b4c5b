//! Elements named after the parameters, which nest where the values do.

use serde_json::Value;

use super::{Block, Family, Next, Reader, Step, Who, is_name};
use crate::ir::Object;
use crate::textcall::coerce::{Types, coerce};
use crate::textcall::parsed::ProblemCode;
use crate::textcall::payload::Draft;
use crate::textcall::scan::MAX_DEPTH;
use crate::textcall::view::{Read, Stop, View};

/// `<invoke name="N"><K>V</K></invoke>`, or `<invoke>` with the name and parameters inside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    /// What stands before every tag; a server may have stripped it.
    pub(crate) namespace: &'static str,
    /// What ends a section, without the namespace and with it.
    pub(crate) section_close: &'static [&'static str],
}

impl Elements {
    pub(crate) fn reader(&'static self, opener: &'static str, at: usize) -> Box<dyn Reader> {
        let plain = opener.strip_prefix(self.namespace);
        let namespace = if plain.is_some() { self.namespace } else { "" };
        let inside = opener.ends_with("<invoke");
        Block::reader(Calls { config: self, namespace, inside, any: false }, at)
    }
}

#[derive(Debug, Clone)]
struct Calls {
    config: &'static Elements,
    namespace: &'static str,
    /// Whether the opener was a call's tag.
    inside: bool,
    any: bool,
}

impl Family for Calls {
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next> {
        const MAX_TAG: usize = 256;
        let mut at = from;
        if !self.inside || self.any {
            let tag = view.skip_space(from);
            let named = !self.namespace.is_empty() && view.has(tag, self.namespace)?;
            let tag = if named { tag + self.namespace.len() } else { tag };
            if !view.has(tag, "<invoke")? {
                let close = view.any(tag, self.config.section_close)?;
                let end = close.map_or(from, |length| tag + length);
                return if self.any { Ok(Next::end(end)) } else { Err(view.short_at(tag)) };
            }
            at = tag + "<invoke".len();
        }
        let rest = view.rest(at);
        let Some(length) = rest.find('>') else {
            return Err(if rest.len() > MAX_TAG { Stop::Reject } else { view.short() });
        };
        let inside = rest.get(..length).unwrap_or("").trim();
        let name = inside.strip_prefix("name=").map(|name| name.trim_matches(['"', '\'']));
        if !(inside.is_empty() || name.is_some_and(is_name)) {
            return Err(Stop::Reject);
        }
        let who = Who { name: name.unwrap_or_default().to_owned(), id: None };
        Ok(Next::Until(format!("{}</invoke>", self.namespace), who, at + length + 1))
    }

    fn decode(&mut self, view: &View<'_>, who: Who, body: &str, end: usize) -> Read<Step> {
        let broken = || {
            let detail = "a call's elements do not match up".to_owned();
            Stop::Broken { code: ProblemCode::InvalidStructure, detail, end }
        };
        let mut name = who.name.as_str();
        if !self.any && !name.is_empty() && body.contains("<parameter name=") {
            return Err(Stop::Reject);
        }
        let mut members = children(body, self.namespace).ok_or_else(broken)?;
        if name.is_empty() {
            let (inner, parameters) = old_layout(&members).ok_or_else(broken)?;
            members = children(parameters, self.namespace).ok_or_else(broken)?;
            name = inner;
        }
        let root = view.catalog.schema(name);
        let input = Tree { namespace: self.namespace, root }.object(&members, root, 0);
        self.any = true;
        let name = name.to_owned();
        Ok(Step::call(Draft { name, id: None, input, repairs: Vec::new() }, end))
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
