//! Which JSON value does an untyped argument stand for, by the declared schema?
//!
//! The schema decides, never the looks of the value: `001` stays text where a string is declared.
//! What cannot be read as the declared type stays the text it is.

use serde_json::Value;

use super::literal;

/// The types a schema allows.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

const NULL: u8 = 1;
const NUMBER: u8 = 2;
const BOOLEAN: u8 = 4;
const COMPOUND: u8 = 8;
const STRING: u8 = 16;

impl Types {
    /// The types of a parameter's schema; `root` is where its references point into.
    pub(crate) fn of(schema: Option<&Value>, root: Option<&Value>) -> Self {
        let mut types = Self::default();
        if let Some(schema) = schema {
            types.gather(schema, root, 0);
        }
        types
    }

    /// The types of one of a tool's parameters.
    pub(crate) fn of_parameter(root: Option<&Value>, key: &str) -> Self {
        Self::of(root.and_then(|root| root.get("properties")?.get(key)), root)
    }

    fn gather(&mut self, schema: &Value, root: Option<&Value>, depth: usize) {
        const MAX_REFERENCES: usize = 8;
        if depth > MAX_REFERENCES {
            return;
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.add(name),
            Some(Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).for_each(|name| self.add(name));
            }
            _ => {
                let allowed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
                allowed.chain(schema.get("const")).for_each(|value| self.add(type_name(value)));
                let nests = schema.get("properties").or(schema.get("items")).is_some();
                self.0 |= if nests { COMPOUND } else { 0 };
            }
        }
        let branches = ["anyOf", "oneOf", "allOf"];
        let branches = branches.iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
        branches.chain(referred(schema, root)).for_each(|s| self.gather(s, root, depth + 1));
    }

    fn add(&mut self, name: &str) {
        self.0 |= match name {
            "null" => NULL,
            "integer" | "number" => NUMBER,
            "boolean" => BOOLEAN,
            "object" | "array" => COMPOUND,
            _ => STRING,
        };
    }

    fn allow(self, kind: u8) -> bool {
        self.0 & kind != 0
    }

    /// Whether only an object or an array will do.
    pub(crate) fn compound_only(self) -> bool {
        self.allow(COMPOUND) && !self.allow(STRING)
    }
}

/// The schema that a local `$ref` points to.
fn referred<'a>(schema: &'a Value, root: Option<&'a Value>) -> Option<&'a Value> {
    let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    root?.pointer(pointer)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) | Value::Object(_) => "object",
    }
}

/// The value of an untyped argument. Without a schema entry it is a string.
pub(crate) fn coerce(text: &str, types: Types) -> Value {
    typed(text.trim(), types).unwrap_or_else(|| Value::String(text.to_owned()))
}

fn typed(word: &str, types: Types) -> Option<Value> {
    if types.allow(NULL) && word.eq_ignore_ascii_case("null") {
        return Some(Value::Null);
    }
    if types.allow(STRING) {
        return None;
    }
    if types.allow(NUMBER)
        && let Some(number) = number(word)
    {
        return Some(number);
    }
    if types.allow(BOOLEAN) {
        match word.to_ascii_lowercase().as_str() {
            "true" | "1" => return Some(Value::Bool(true)),
            "false" | "0" => return Some(Value::Bool(false)),
            _ => {}
        }
    }
    if types.allow(NULL) && word == "None" {
        return Some(Value::Null);
    }
    let compound = if types.allow(COMPOUND) { literal::json_or_python(word) } else { None };
    compound.filter(|value| value.is_object() || value.is_array())
}

/// A number, as an integer where it is one.
fn number(word: &str) -> Option<Value> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    literal::parse_number(negative, digits).map(Value::Number)
}

/// Corrects a value that was typed by its looks: a bare `12` is text where text is declared.
pub(crate) fn correct(value: Value, bare: &str, types: Types) -> Value {
    if types == Types::default() || types.allow(NULL) && value.is_null() {
        value
    } else {
        coerce(bare, types)
    }
}
