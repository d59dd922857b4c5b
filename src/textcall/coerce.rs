//! Which JSON value does an untyped argument stand for, by the declared schema?
//!
//! The schema decides, never the looks of the value: `001` stays text where a string is declared.
//! What cannot be read as the declared type stays the text it is.

use serde_json::Value;

use super::literal;

/// The kinds of value that a schema allows; none of them where it says nothing.
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
        Self(schema.map_or(0, |schema| kinds(schema, root, 0)))
    }

    /// The types of one of a tool's parameters.
    pub(crate) fn of_parameter(root: Option<&Value>, key: &str) -> Self {
        Self::of(root.and_then(|root| root.get("properties")?.get(key)), root)
    }

    fn allow(self, kind: u8) -> bool {
        self.0 & kind != 0
    }

    /// Whether only an object or an array will do.
    pub(crate) fn compound_only(self) -> bool {
        self.allow(COMPOUND) && !self.allow(STRING)
    }
}

/// The kinds that a schema names by its types, or else by its values, and those of its branches.
fn kinds(schema: &Value, root: Option<&Value>, depth: usize) -> u8 {
    const MAX_REFERENCES: usize = 8;
    if depth > MAX_REFERENCES {
        return 0;
    }
    let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let own = match schema.get("type") {
        Some(Value::String(name)) => named(name),
        Some(_) => list("type").filter_map(Value::as_str).fold(0, |all, name| all | named(name)),
        None => {
            let nests = schema.get("properties").or(schema.get("items")).is_some();
            let values = list("enum").chain(schema.get("const"));
            values.fold(if nests { COMPOUND } else { 0 }, |all, value| all | kind(value))
        }
    };
    let branches = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(list);
    let branches = branches.chain(referred(schema, root));
    branches.fold(own, |all, branch| all | kinds(branch, root, depth + 1))
}

/// The schema that a local `$ref` points to.
fn referred<'a>(schema: &'a Value, root: Option<&'a Value>) -> Option<&'a Value> {
    let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    root?.pointer(pointer)
}

fn named(name: &str) -> u8 {
    match name {
        "null" => NULL,
        "integer" | "number" => NUMBER,
        "boolean" => BOOLEAN,
        "object" | "array" => COMPOUND,
        _ => STRING,
    }
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => NULL,
        Value::Number(_) => NUMBER,
        Value::Bool(_) => BOOLEAN,
        Value::Object(_) | Value::Array(_) => COMPOUND,
        Value::String(_) => STRING,
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
    if types == Types::default() || types.allow(STRING) {
        return None;
    }
    let readings = [number, boolean, literal::json_or_python];
    readings.iter().find_map(|read| read(word).filter(|value| types.allow(kind(value))))
}

fn number(word: &str) -> Option<Value> {
    literal::number(word).map(Value::Number)
}

fn boolean(word: &str) -> Option<Value> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(Value::Bool(true)),
        "false" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Corrects a value that was typed by its looks: a bare `12` is text where text is declared.
pub(crate) fn correct(value: Value, bare: &str, types: Types) -> Value {
    let fits = types == Types::default() || types.allow(NULL) && value.is_null();
    if fits { value } else { coerce(bare, types) }
}
