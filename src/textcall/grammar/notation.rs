//! What do `{key:value}` arguments with bare keys mean, whose strings stand in a token of their own?

use serde_json::Value;

use crate::ir::Object;
use crate::textcall::coerce::{Types, correct};
use crate::textcall::scan::MAX_DEPTH;

/// Reads arguments that the scanner found complete, by the schema of the tool.
pub(super) fn arguments(text: &str, delimiter: &str, root: Option<&Value>) -> Option<Object> {
    match (Text { rest: text, delimiter, root }).value(root, 0, "")? {
        Value::Object(input) => Some(input),
        _ => None,
    }
}

struct Text<'a> {
    rest: &'a str,
    delimiter: &'a str,
    root: Option<&'a Value>,
}

impl<'a> Text<'a> {
    fn take(&mut self, token: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn value(&mut self, schema: Option<&'a Value>, depth: usize, close: &str) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(text) = self.delimited() {
            return Some(Value::String(text));
        }
        if self.take("{") {
            return self.object(schema, depth + 1);
        }
        if self.take("[") {
            return self.list(schema, depth + 1);
        }
        Some(self.bare(schema, close))
    }

    fn object(&mut self, schema: Option<&'a Value>, depth: usize) -> Option<Value> {
        let mut object = Object::new();
        while !self.take("}") {
            let key = self.key()?;
            let property = schema.and_then(|schema| schema.get("properties")?.get(&key));
            object.insert(key, self.value(property, depth, "}")?);
            self.take(",");
        }
        Some(Value::Object(object))
    }

    fn list(&mut self, schema: Option<&'a Value>, depth: usize) -> Option<Value> {
        let items = schema.and_then(|schema| schema.get("items"));
        let mut list = Vec::new();
        while !self.take("]") {
            list.push(self.value(items, depth, "]")?);
            self.take(",");
        }
        Some(Value::Array(list))
    }

    fn key(&mut self) -> Option<String> {
        if let Some(key) = self.delimited() {
            return self.take(":").then_some(key);
        }
        let (key, after) = self.rest.split_once(':')?;
        self.rest = after;
        Some(key.trim().trim_matches(['"', '\'']).to_owned())
    }

    fn delimited(&mut self) -> Option<String> {
        let inside = self.rest.trim_start().strip_prefix(self.delimiter)?;
        let (text, after) = inside.split_once(self.delimiter)?;
        self.rest = after;
        Some(text.to_owned())
    }

    /// A value without delimiters: typed by its looks, corrected by the schema. In an object a
    /// comma is part of a bare text unless a key follows it.
    fn bare(&mut self, schema: Option<&'a Value>, close: &str) -> Value {
        let rest = self.rest;
        let ends = |&(at, c): &(usize, char)| {
            let separates = || close == "]" || key_follows(rest.get(at + 1..).unwrap_or(""));
            close.starts_with(c) || c == ',' && separates()
        };
        let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
        let (text, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.rest = after;
        let text = text.trim();
        match serde_json::from_str(text) {
            Ok(Value::String(quoted)) => Value::String(quoted),
            Ok(value) => correct(value, text, &Types::of(schema, self.root)),
            Err(_) => correct(Value::String(text.to_owned()), text, &Types::of(schema, self.root)),
        }
    }
}

fn key_follows(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    word.len() < text.len() && word.starts_with(':') || text.starts_with(['<', '"'])
}
