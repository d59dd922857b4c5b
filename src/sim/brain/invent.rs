//! Arguments for a schema when the prompt does not say which: what a model makes up.
//!
//! Not the walk over schemas that the probes use (`probe::suite::example`): this one plays the model that is
//! measured, and must not share a mistake with the probe that judges it.

use serde_json::{Map, Value, json};

use crate::tools::{Choices, text_matching, text_of_format};

/// References nested deeper than this are circular.
const MAX_DEPTH: usize = 12;

/// A value for the schema. `root` is the whole schema, for its references.
pub(super) fn value(schema: &Value, root: &Value) -> Value {
    invent(schema, root, 0)
}

/// The schema that a reference stands for, or the schema itself.
pub(super) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
    target.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// The types that a schema names, resolved through references and unions.
pub(super) fn types(schema: &Value, root: &Value) -> Vec<String> {
    let schema = resolve(schema, root);
    match schema.get("type") {
        Some(Value::String(word)) => vec![word.clone()],
        Some(Value::Array(words)) => {
            words.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => branches(schema).iter().flat_map(|branch| types(branch, root)).collect(),
    }
}

fn branches(schema: &Value) -> &[Value] {
    let union = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array());
    union.map(Vec::as_slice).unwrap_or_default()
}

fn invent(schema: &Value, root: &Value, depth: usize) -> Value {
    let schema = resolve(schema, root);
    let given = ["const", "default"].iter().find_map(|key| schema.get(*key));
    let listed = ["enum", "examples"].iter().find_map(|key| schema.get(*key)?.as_array()?.first());
    if let Some(value) = given.or(listed) {
        return value.clone();
    }
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    if let Some(branch) = branches(schema).first() {
        return merged_with(branch, schema, root, depth);
    }
    if let Some(all) = schema.get("allOf").and_then(Value::as_array) {
        let mut whole = Map::new();
        for part in all {
            if let Value::Object(map) = invent(part, root, depth + 1) {
                whole.extend(map);
            }
        }
        return Value::Object(whole);
    }
    typed(schema, root, depth)
}

/// A branch of a union, with the properties that stand beside the union.
fn merged_with(branch: &Value, schema: &Value, root: &Value, depth: usize) -> Value {
    let mut value = invent(branch, root, depth + 1);
    if let (Some(map), Some(_)) = (value.as_object_mut(), schema.get("properties")) {
        for (key, own) in object(schema, root, depth) {
            map.entry(key).or_insert(own);
        }
    }
    value
}

fn typed(schema: &Value, root: &Value, depth: usize) -> Value {
    let types = types(schema, root);
    let word = types.iter().find(|word| *word != "null").or(types.first()).map(String::as_str);
    match word {
        Some("string") => Value::String(text(schema)),
        Some("integer" | "number") => json!(number(schema)),
        Some("boolean") => Value::Bool(true),
        Some("null") => Value::Null,
        Some("array") => Value::Array(array(schema, root, depth)),
        _ if word == Some("object") || schema.get("properties").is_some() => {
            Value::Object(object(schema, root, depth))
        }
        _ => Value::String("example".to_owned()),
    }
}

fn object(schema: &Value, root: &Value, depth: usize) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required
        .filter_map(Value::as_str)
        .map(|key| {
            let property = schema.get("properties").and_then(|all| all.get(key));
            let value = property.map_or_else(|| json!("example"), |p| invent(p, root, depth + 1));
            (key.to_owned(), value)
        })
        .collect()
}

fn array(schema: &Value, root: &Value, depth: usize) -> Vec<Value> {
    let mut items: Vec<Value> = schema
        .get("prefixItems")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|item| invent(item, root, depth + 1))
        .collect();
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1);
    let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let wanted = usize::try_from(least.min(most).min(64)).unwrap_or(1);
    if let Some(item) = schema.get("items").filter(|item| item.is_object()) {
        let item = invent(item, root, depth + 1);
        while items.len() < wanted {
            items.push(item.clone());
        }
    }
    items
}

/// The smallest allowed number above zero, as a multiple where the schema asks for one.
fn number(schema: &Value) -> i64 {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let low =
        bound("minimum").map(f64::ceil).or(bound("exclusiveMinimum").map(|low| low.floor() + 1.0));
    let high = bound("maximum")
        .map(f64::floor)
        .or(bound("exclusiveMaximum").map(|high| high.ceil() - 1.0));
    let start = low.unwrap_or_else(|| high.map_or(1.0, |high| high.min(1.0)));
    let step = bound("multipleOf").filter(|step| *step >= 1.0).unwrap_or(1.0);
    let value = (start / step).ceil() * step;
    // Bounds beyond the range of an integer are saturated, which no tool schema in use needs.
    #[expect(clippy::cast_possible_truncation, reason = "a float-to-int cast saturates")]
    let whole = value as i64;
    whole
}

fn text(schema: &Value) -> String {
    let keyword = |key: &str| schema.get(key).and_then(Value::as_str);
    let made = keyword("pattern").and_then(|pattern| text_matching(pattern, &FirstOption));
    let known = || keyword("format").and_then(text_of_format).unwrap_or("example").to_owned();
    let base = made.unwrap_or_else(known);
    let length =
        |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let padded = base.chars().chain(std::iter::repeat('x'));
    let size = base.chars().count().max(length("minLength").unwrap_or(0).min(4096));
    padded.take(size.min(length("maxLength").unwrap_or(usize::MAX))).collect()
}

/// A model that nobody tells what to choose takes the first.
struct FirstOption;

impl Choices for FirstOption {
    fn child(&self, _: &str) -> Self {
        Self
    }

    fn pick<'a, T>(&self, options: &'a [T]) -> Option<&'a T> {
        options.first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_arguments_satisfy_their_schema() {
        let schemas = [
            json!({"type": "object", "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]},
                   "skip": {"type": "integer"}}, "required": ["city", "unit"]}),
            json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 5, "multipleOf": 4},
                   "m": {"type": "number", "exclusiveMaximum": -3}}, "required": ["n", "m"]}),
            json!({"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
                   "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
                   "long": {"type": "string", "minLength": 12, "maxLength": 12}}, "required": ["id", "code", "long"]}),
            json!({"type": "object", "properties": {"to": {"$ref": "#/$defs/p"}}, "required": ["to"],
                   "$defs": {"p": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}}),
            json!({"type": "object", "properties": {"k": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                   "l": {"type": ["null", "boolean"]}, "c": {"const": "v"}}, "required": ["k", "l", "c"]}),
            json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}, "minItems": 3}},
                   "required": ["a"], "additionalProperties": false}),
            json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                   {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}]}),
            json!({"type": "object", "properties": {}}),
        ];
        for schema in schemas {
            let made = value(&schema, &schema);
            assert!(jsonschema::is_valid(&schema, &made), "{schema} gave {made}");
        }
    }

    #[test]
    fn only_required_properties_are_made_up() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(value(&schema, &schema), json!({}));
    }

    #[test]
    fn a_circular_reference_ends() {
        let schema = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object",
            "properties": {"next": {"$ref": "#/$defs/n"}}, "required": ["next"]}}});
        assert!(value(&schema, &schema).is_object());
    }
}
