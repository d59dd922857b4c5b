//! XML elements whose children are members or items, read into a JSON value.

use serde_json::Value;

use super::is_name;
use crate::ir::Object;
use crate::textcall::coerce::{AllowedTypes, coerce};
use crate::textcall::payload::CallDraft;
use crate::textcall::scan::MAX_DEPTH;
use crate::textcall::steps::charge;
use crate::textcall::view::View;

/// Reads the elements of a call that has its name in its tag, or in an element beside the others.
pub(super) fn read(
    view: &View<'_>,
    call: &mut CallDraft,
    body: &str,
    namespace: &str,
) -> Option<()> {
    let mut members = children(body, namespace)?;
    if call.name.is_empty() {
        let find = |key: &str| members.iter().find(|(tag, _)| *tag == key).map(|(_, inner)| *inner);
        let name = find("tool_name").map(str::trim).filter(|name| is_name(name))?;
        name.clone_into(&mut call.name);
        members = children(find("parameters").unwrap_or(""), namespace)?;
    }
    let root = view.catalog.schema(&call.name);
    call.input = ElementReader { namespace, root }.object(&members, root, 0);
    Some(())
}

struct ElementReader<'a> {
    /// What stands before every tag.
    namespace: &'a str,
    root: Option<&'a Value>,
}

impl ElementReader<'_> {
    fn object(&self, members: &[Member<'_>], schema: Option<&Value>, depth: usize) -> Object {
        let property = |key: &str| schema.and_then(|schema| schema.get("properties")?.get(key));
        let value = |(key, inner): &Member<'_>| {
            ((*key).to_owned(), self.value(inner, property(key), depth + 1))
        };
        members.iter().map(value).collect()
    }

    fn value(&self, inner: &str, schema: Option<&Value>, depth: usize) -> Value {
        let types = AllowedTypes::of(schema, self.root);
        let items = schema.and_then(|schema| schema.get("items"));
        let list = schema.is_some_and(|schema| schema["type"] == "array") || items.is_some();
        let is_item = |(tag, _): &Member<'_>| *tag == "item";
        let marked = !self.namespace.is_empty() && inner.contains(self.namespace);
        let nests = marked || types.compound_only();
        let members =
            if nests && depth < MAX_DEPTH { children(inner, self.namespace) } else { None };
        match members {
            None => coerce(inner, &types),
            Some(members) if list || !members.is_empty() && members.iter().all(is_item) => {
                members.iter().map(|(_, inner)| self.value(inner, items, depth + 1)).collect()
            }
            Some(members) => Value::Object(self.object(&members, schema, depth)),
        }
    }
}

type Member<'a> = (&'a str, &'a str);

/// Splits text into elements; none if it holds anything else.
fn children<'a>(text: &'a str, namespace: &str) -> Option<Vec<Member<'a>>> {
    charge(text.len());
    let mut members = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        rest = rest.strip_prefix(namespace)?.strip_prefix('<')?;
        let (tag, inside) = rest.split_once('>')?;
        if !is_name(tag) {
            return None;
        }
        let (inner, after) = matching(inside, tag, namespace)?;
        members.push((tag, inner));
        rest = after.trim_start();
    }
    Some(members)
}

/// The inside of an element, counting elements of the same name inside it, and what follows it.
fn matching<'a>(inside: &'a str, tag: &str, namespace: &str) -> Option<(&'a str, &'a str)> {
    let (open, close) = (format!("{namespace}<{tag}>"), format!("{namespace}</{tag}>"));
    let (mut from, mut depth) = (0, 0_usize);
    loop {
        let end = from + inside.get(from..)?.find(&close)?;
        depth += inside.get(from..end)?.matches(&open).count();
        from = end + close.len();
        if depth == 0 {
            return Some((inside.get(..end)?, inside.get(from..)?));
        }
        depth -= 1;
    }
}
