//! Restoring values: what a model wrote as text where its tool's schema has another type.

use serde_json::Value;

use crate::ir::Object;
use crate::textcall::{AllowedTypes, coerce};

/// The arguments with every text that the schema does not allow read as what it does allow. What
/// cannot be read so stays as it is, and is refused by the check against the schema.
pub(super) fn restore(value: &Value, schema: &Value) -> Value {
    Restorer { root: schema }.restore(value, schema, 0)
}

/// Deeper than this, values are left alone.
const MAX_DEPTH: usize = 32;

struct Restorer<'a> {
    root: &'a Value,
}

impl Restorer<'_> {
    fn restore(&self, value: &Value, schema: &Value, depth: usize) -> Value {
        let schema = self.resolve(schema);
        if depth > MAX_DEPTH {
            return value.clone();
        }
        match value {
            Value::String(text) => match self.read(text, schema) {
                Value::String(text) => Value::String(text),
                other => self.restore(&other, schema, depth + 1),
            },
            Value::Object(map) if schema.get("properties").is_none() => {
                match self.branch(map, schema) {
                    Some(branch) => self.restore(value, branch, depth + 1),
                    None => value.clone(),
                }
            }
            Value::Object(map) => map
                .iter()
                .map(|(key, inner)| {
                    let property = schema.get("properties").and_then(|all| all.get(key));
                    let inner = property.map_or_else(
                        || inner.clone(),
                        |property| self.restore(inner, property, depth + 1),
                    );
                    (key.clone(), inner)
                })
                .collect(),
            Value::Array(items) => {
                let of_items = schema.get("items").unwrap_or(&Value::Null);
                items.iter().map(|item| self.restore(item, of_items, depth + 1)).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn read(&self, text: &str, schema: &Value) -> Value {
        let types = AllowedTypes::of(Some(schema), Some(self.root));
        let word = match text.trim().to_ascii_lowercase().as_str() {
            "yes" => "true",
            "no" => "false",
            _ => text,
        };
        match coerce(word, &types) {
            Value::String(_) => Value::String(text.to_owned()),
            read => read,
        }
    }

    /// The alternative that declares every property of an object.
    fn branch<'s>(&'s self, map: &Object, schema: &'s Value) -> Option<&'s Value> {
        let list = |key| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        let branches = ["anyOf", "oneOf", "allOf"].into_iter().flat_map(list);
        branches.map(|branch| self.resolve(branch)).find(|branch| {
            let declared = branch.get("properties");
            declared.is_some_and(|all| map.keys().all(|key| all.get(key).is_some()))
        })
    }

    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let pointer = schema.get("$ref").and_then(|it| it.as_str()?.strip_prefix('#'));
        pointer.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema)
    }
}
