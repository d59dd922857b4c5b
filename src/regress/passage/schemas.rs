//! Schemas as far as they mean the same: whatever the order of their sets, and in every dialect.

use serde_json::Value;

/// A schema whose sets (`enum`, `required`) are in the order of the alphabet: it means the same.
pub(super) fn unordered(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            let inner = object.iter().map(|(key, value)| {
                let mut value = unordered(value);
                if let ("enum" | "required", Value::Array(items)) = (key.as_str(), &mut value) {
                    items.sort_by_key(ToString::to_string);
                }
                (key.clone(), value)
            });
            inner.collect()
        }
        Value::Array(items) => items.iter().map(unordered).collect(),
        other => other.clone(),
    }
}

/// A schema without what dialects cannot all say.
pub(super) fn translatable(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| {
                !["$schema", "additionalProperties", "title"].contains(&key.as_str())
            })
            .map(|(key, value)| (key.clone(), translatable(value)))
            .collect(),
        Value::Array(items) => items.iter().map(translatable).collect(),
        Value::String(text) => Value::String(text.to_lowercase()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_a_set_means_nothing() {
        let schema = json!({"properties": {"a": {"enum": ["x", "y"]}}, "required": ["a", "b"]});
        let other = json!({"properties": {"a": {"enum": ["y", "x"]}}, "required": ["b", "a"]});
        assert_eq!(unordered(&schema), unordered(&other));
        assert_ne!(unordered(&schema), unordered(&json!({"required": ["a"]})));
    }
}
