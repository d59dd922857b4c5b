//! Raw request bodies: reading fields, whatever was sent in their place.

use serde_json::Value;

/// The text under a key; empty when it is missing or not a string.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list under a key; empty when it is missing or not an array.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Whether there is something other than null under a key.
pub(super) fn has(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(|inner| !inner.is_null())
}

/// The first of several spellings of a key that is there.
pub(super) fn either<'a>(value: &'a Value, keys: [&str; 2]) -> Option<&'a Value> {
    keys.iter().find_map(|key| value.get(*key))
}

/// What kind of JSON a value is, with its article, as validators put it.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Whether a text has between 1 and `most` characters, all of them letters, digits or `extra`.
pub(super) fn is_name(text: &str, most: usize, extra: &str) -> bool {
    (1..=most).contains(&text.chars().count())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || extra.contains(c))
}

/// The first text that occurs twice, and the place of its second occurrence.
pub(super) fn repeated<'a>(texts: impl Iterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let mut seen = std::collections::HashSet::new();
    texts.enumerate().find(|(_, text)| !text.is_empty() && !seen.insert(*text))
}
