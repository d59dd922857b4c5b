//! Argument quirks: values that are spelt wrong, whatever the schema says.

use serde_json::{Map, Value};

/// Every scalar of a value, changed.
fn scalars(value: Value, change: &dyn Fn(Value) -> Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(|item| scalars(item, change)).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, item)| (key, scalars(item, change)))
            .collect::<Map<_, _>>()
            .into(),
        scalar => change(scalar),
    }
}

/// `{"a": 1}` as `{"a": "1"}`.
pub(super) fn numbers_as_text(input: Value) -> Value {
    scalars(input, &|value| match value {
        Value::Number(number) => Value::String(number.to_string()),
        other => other,
    })
}

/// `{"a": [], "b": true}` as `{"a": "[]", "b": "true"}`.
pub(super) fn values_as_text(input: Value) -> Value {
    match input {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| match value {
                Value::String(text) => (key, Value::String(text)),
                other => (key, Value::String(other.to_string())),
            })
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

/// `{"a": "12"}` as `{"a": 12}`, and `"007"` as 7.
pub(super) fn text_as_values(input: Value) -> Value {
    scalars(input, &|value| match &value {
        Value::String(text) => {
            let parsed =
                serde_json::from_str(text).ok().filter(|parsed: &Value| !parsed.is_string());
            parsed.or_else(|| text.parse::<i64>().ok().map(Value::from)).unwrap_or(value)
        }
        _ => value,
    })
}

/// `a && b` as `a &amp;&amp; b`.
pub(super) fn entities(input: Value) -> Value {
    scalars(input, &|value| match value {
        Value::String(text) => Value::String(
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;"),
        ),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_misspelling_changes_what_it_says_and_nothing_else() {
        let input = json!({"n": 1, "t": "007", "b": true, "l": [2, "x"], "m": "a && b"});
        assert_eq!(
            numbers_as_text(input.clone()),
            json!({"n": "1", "t": "007", "b": true, "l": ["2", "x"], "m": "a && b"})
        );
        assert_eq!(
            values_as_text(input.clone()),
            json!({"n": "1", "t": "007", "b": "true", "l": "[2,\"x\"]", "m": "a && b"})
        );
        assert_eq!(
            text_as_values(input.clone()),
            json!({"n": 1, "t": 7, "b": true, "l": [2, "x"], "m": "a && b"})
        );
        assert_eq!(
            entities(input),
            json!({"n": 1, "t": "007", "b": true, "l": [2, "x"], "m": "a &amp;&amp; b"})
        );
    }
}
