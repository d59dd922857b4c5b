//! Coercion of untyped arguments into JSON values, by the declared schema.
//!
//! The schema decides, never the looks of the value: `001` stays text where a string is declared.
//! What cannot be read as the declared type stays the text it is.

use serde_json::Value;

use super::literal;

/// The names of the types that a schema allows; none where it says nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AllowedTypes<'a>(Vec<&'a str>);

impl<'a> AllowedTypes<'a> {
    /// The types of a parameter's schema; `root` is where its references point into.
    pub(crate) fn of(schema: Option<&'a Value>, root: Option<&'a Value>) -> Self {
        let mut names = Vec::new();
        if let Some(schema) = schema {
            gather(&mut names, schema, root, 0);
        }
        Self(names)
    }

    /// The types of one of a tool's parameters.
    pub(crate) fn of_parameter(root: Option<&'a Value>, key: &str) -> Self {
        Self::of(root.and_then(|root| root.get("properties")?.get(key)), root)
    }

    fn allow(&self, value: &Value) -> bool {
        self.0.iter().any(|name| kind(name) == kind(type_name(value)))
    }

    /// Whether only an object or an array will do.
    pub(crate) fn compound_only(&self) -> bool {
        self.allow(&Value::Array(Vec::new())) && !self.allow(&Value::from(""))
    }
}

/// The types that a schema names, or else those of its values, and those of its branches.
fn gather<'a>(names: &mut Vec<&'a str>, schema: &'a Value, root: Option<&'a Value>, depth: usize) {
    const MAX_REFERENCES: usize = 8;
    let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    match schema.get("type") {
        Some(Value::String(name)) => names.push(name),
        Some(_) => names.extend(list("type").filter_map(Value::as_str)),
        None => {
            let nests = schema.get("properties").or(schema.get("items")).is_some();
            names.extend(nests.then_some("object"));
            for value in list("enum").chain(schema.get("const")) {
                names.push(type_name(value));
            }
        }
    }
    let pointer = schema.get("$ref").and_then(|pointer| pointer.as_str()?.strip_prefix('#'));
    let referred = pointer.and_then(|pointer| root?.pointer(pointer));
    let branches = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(list).chain(referred);
    for branch in branches.filter(|_| depth < MAX_REFERENCES) {
        gather(names, branch, root, depth + 1);
    }
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

/// The kind of a type: types of one kind are read alike, and unknown types as text.
fn kind(name: &str) -> &str {
    match name {
        "null" | "boolean" | "number" | "object" => name,
        "integer" => "number",
        "array" => "object",
        _ => "string",
    }
}

/// The value of an untyped argument. Without a schema entry it is a string.
pub(crate) fn coerce(text: &str, types: &AllowedTypes<'_>) -> Value {
    read_typed(text.trim(), types).unwrap_or_else(|| Value::from(text))
}

fn read_typed(word: &str, types: &AllowedTypes<'_>) -> Option<Value> {
    if word.eq_ignore_ascii_case("null") && types.allow(&Value::Null) {
        return Some(Value::Null);
    }
    if types.0.is_empty() || types.allow(&Value::from("")) {
        return None;
    }
    let number = |word: &str| literal::number(word).map(Value::Number);
    let readings = [number, boolean, literal::json_or_python];
    readings.iter().find_map(|read| read(word).filter(|value| types.allow(value)))
}

fn boolean(word: &str) -> Option<Value> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(Value::Bool(true)),
        "false" | "0" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Gives the bare values in a value their types: by their looks, corrected by the schema.
pub(crate) fn settle(value: &mut Value, schema: Option<&Value>, root: Option<&Value>) {
    match value {
        Value::Object(members) => members.iter_mut().for_each(|(key, member)| {
            settle(member, schema.and_then(|schema| schema.get("properties")?.get(key)), root);
        }),
        Value::Array(items) => items.iter_mut().for_each(|item| {
            settle(item, schema.and_then(|schema| schema.get("items")), root);
        }),
        Value::String(text) => {
            let Some(bare) = text.strip_prefix(literal::BARE) else { return };
            let types = AllowedTypes::of(schema, root);
            *value = match serde_json::from_str(bare) {
                Ok(looks @ Value::String(_)) => looks,
                Ok(looks) if types.0.is_empty() || looks.is_null() && types.allow(&looks) => looks,
                _ => coerce(bare, &types),
            };
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
