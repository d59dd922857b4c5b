//! Google's own schema notation, translated to JSON Schema.
//!
//! `parameters` is a subset of `OpenAPI` in protobuf's JSON: types in capitals, `nullable`, whole
//! numbers that may be strings, field names in either spelling.

use serde_json::{Value, json};

use crate::ir::Object;

/// Keywords that hold one schema, a list of them, a map of them, or a whole number.
const ONE: [&str; 2] = ["items", "additionalProperties"];
const LIST: [&str; 2] = ["anyOf", "prefixItems"];
const MAP: [&str; 2] = ["properties", "$defs"];
const COUNT: [&str; 6] =
    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// The schema of a tool that takes nothing.
pub(super) fn of_nothing() -> Value {
    json!({"type": "object", "properties": {}})
}

/// The JSON Schema that says what this `parameters` object says.
pub(super) fn to_json_schema(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let nullable = fields.get("nullable").is_some_and(|nullable| nullable == true);
    let mut translated: Object = fields
        .iter()
        .filter(|(key, _)| *key != "nullable")
        .map(|(key, value)| {
            let key = canonical(key);
            let value = keyword(key, value);
            (key.to_owned(), value)
        })
        .collect();
    if nullable {
        allow_null(&mut translated);
    }
    Value::Object(translated)
}

/// The JSON Schema spelling of a keyword.
fn canonical(key: &str) -> &str {
    match key {
        "any_of" => "anyOf",
        "prefix_items" => "prefixItems",
        "additional_properties" => "additionalProperties",
        "defs" => "$defs",
        "ref" => "$ref",
        "min_items" => "minItems",
        "max_items" => "maxItems",
        "min_length" => "minLength",
        "max_length" => "maxLength",
        "min_properties" => "minProperties",
        "max_properties" => "maxProperties",
        other => other,
    }
}

fn keyword(key: &str, value: &Value) -> Value {
    match value {
        Value::String(name) if key == "type" => json!(name.to_lowercase()),
        Value::String(count) if COUNT.contains(&key) => {
            count.parse::<u64>().map_or_else(|_| value.clone(), |count| json!(count))
        }
        Value::Object(_) if ONE.contains(&key) => to_json_schema(value),
        Value::Array(schemas) if LIST.contains(&key) => {
            schemas.iter().map(to_json_schema).collect()
        }
        Value::Object(schemas) if MAP.contains(&key) => {
            let entries =
                schemas.iter().map(|(name, schema)| (name.clone(), to_json_schema(schema)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

fn allow_null(schema: &mut Object) {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.clone(), "null"]);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn googles_notation_becomes_json_schema() {
        let google = json!({
            "type": "OBJECT",
            "properties": {
                "type": {"type": "STRING", "enum": ["a"], "nullable": true},
                "at": {"type": "ARRAY", "items": {"type": "INTEGER"}, "min_items": "1"},
                "or": {"any_of": [{"type": "NUMBER"}, {"type": "BOOLEAN"}]},
            },
            "required": ["type"],
        });
        assert_eq!(
            to_json_schema(&google),
            json!({
                "type": "object",
                "properties": {
                    "type": {"type": ["string", "null"], "enum": ["a", null]},
                    "at": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
                    "or": {"anyOf": [{"type": "number"}, {"type": "boolean"}]},
                },
                "required": ["type"],
            })
        );
    }
}
