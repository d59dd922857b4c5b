//! `call:NAME{key:value}`: bare keys, strings in a token of their own, everything else bare.

use serde_json::Value;

use super::{Block, Family, Next, Reader, Step, Who, is_name};
use crate::ir::Object;
use crate::textcall::coerce::{Types, correct};
use crate::textcall::parsed::ProblemCode;
use crate::textcall::payload::{Draft, Trust};
use crate::textcall::scan::{Flavour, MAX_DEPTH};
use crate::textcall::view::{Read, Stop, View};

/// `OPENER call:NAME{key:DELIMITERtextDELIMITER,n:3} CLOSE`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Notation {
    /// The scanner's settings for this delimiter.
    pub(crate) flavour: &'static Flavour,
    /// What stands on each side of a string.
    pub(crate) delimiter: &'static str,
    /// What ends a call; models forget it.
    pub(crate) close: &'static [&'static str],
    /// Whether the name must be one that was offered.
    pub(crate) trust: Trust,
}

impl Notation {
    pub(crate) fn reader(&'static self, at: usize) -> Box<dyn Reader> {
        Block::reader(Call { config: self, called: false }, at)
    }
}

#[derive(Debug, Clone)]
struct Call {
    config: &'static Notation,
    called: bool,
}

const PREFIX: &str = "call:";

impl Family for Call {
    fn next(&mut self, view: &View<'_>, from: usize) -> Read<Next> {
        const MAX_NAME: usize = 160;
        if self.called {
            return Ok(Next::end(view.past(from, self.config.close)?));
        }
        let at = view.skip_space(from);
        if !view.has(at, PREFIX)? {
            return Err(view.short_at(at));
        }
        let rest = view.rest(at + PREFIX.len());
        let Some(length) = rest.find('{') else {
            let hopeless = rest.len() > MAX_NAME || rest.trim().contains(char::is_whitespace);
            return Err(if hopeless { Stop::Reject } else { view.short() });
        };
        let name = rest.get(..length).unwrap_or("").trim();
        let known = self.config.trust == Trust::Marked || view.catalog.offers(name);
        if !is_name(name) || !known {
            return Err(Stop::Reject);
        }
        let who = Who { name: name.to_owned(), id: None };
        Ok(Next::Value(self.config.flavour, who, at + PREFIX.len() + length))
    }

    fn decode(&mut self, view: &View<'_>, who: Who, text: &str, end: usize) -> Read<Step> {
        let root = view.catalog.schema(&who.name);
        let mut text = Text { rest: text, delimiter: self.config.delimiter, root };
        let Some(input) = text.object(root, 0) else {
            let detail = "the arguments are not key:value pairs in braces".to_owned();
            return Err(Stop::Broken { code: ProblemCode::InvalidStructure, detail, end });
        };
        self.called = true;
        Ok(Step::call(Draft { name: who.name, id: None, input, repairs: Vec::new() }, end))
    }
}

/// Reads arguments that the scanner found complete.
struct Text<'a> {
    rest: &'a str,
    delimiter: &'static str,
    root: Option<&'a Value>,
}

impl<'a> Text<'a> {
    fn take(&mut self, token: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn object(&mut self, schema: Option<&'a Value>, depth: usize) -> Option<Object> {
        let mut object = Object::new();
        if depth > MAX_DEPTH || !self.take("{") {
            return None;
        }
        loop {
            if self.take("}") {
                return Some(object);
            }
            let key = self.key()?;
            let property = schema.and_then(|schema| schema.get("properties")?.get(&key));
            let value = self.value(property, depth, "}")?;
            object.insert(key, value);
            self.take(",");
        }
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

    fn value(&mut self, schema: Option<&'a Value>, depth: usize, close: &str) -> Option<Value> {
        if let Some(text) = self.delimited() {
            return Some(Value::String(text));
        }
        match self.rest.trim_start().chars().next()? {
            '{' => self.object(schema, depth + 1).map(Value::Object),
            '[' => self.list(schema, depth + 1),
            _ => Some(self.bare(schema, close)),
        }
    }

    fn list(&mut self, schema: Option<&'a Value>, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        if depth > MAX_DEPTH || !self.take("[") {
            return None;
        }
        loop {
            if self.take("]") {
                return Some(Value::Array(items));
            }
            let inner = schema.and_then(|schema| schema.get("items"));
            items.push(self.value(inner, depth, "]")?);
            self.take(",");
        }
    }

    /// A value without delimiters: typed by its looks, corrected by the schema.
    fn bare(&mut self, schema: Option<&'a Value>, close: &str) -> Value {
        let length = self.bare_length(close);
        let (text, after) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = after;
        let text = text.trim();
        match serde_json::from_str(text) {
            Ok(Value::String(quoted)) => Value::String(quoted),
            Ok(value) => correct(value, text, Types::of(schema, self.root)),
            Err(_) => correct(Value::String(text.to_owned()), text, Types::of(schema, self.root)),
        }
    }

    /// In an object a comma is part of a bare text unless a key follows it.
    fn bare_length(&self, close: &str) -> usize {
        let ends = |(at, c): (usize, char)| {
            let after = self.rest.get(at + 1..).unwrap_or("");
            close.starts_with(c) || c == ',' && (close == "]" || key_follows(after))
        };
        let end = self.rest.char_indices().find(|&(at, c)| c.is_ascii() && ends((at, c)));
        end.map_or(self.rest.len(), |(at, _)| at)
    }
}

fn key_follows(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    word.len() < text.len() && word.starts_with(':')
        || text.starts_with('<')
        || text.starts_with('"')
}
