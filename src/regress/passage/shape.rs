//! The shape of a reply's body: which of its fields hold something, whatever they mean.
//!
//! What the comparison of meanings does not read (a role, the type of a call, a service tier) is read by
//! somebody's client. So where both ends speak one dialect, no field may get lost on the way.

use std::collections::BTreeSet;

use serde_json::Value;

/// The paths of a body's fields that hold something, with `*` for the places of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct BodyShape(BTreeSet<String>);

impl BodyShape {
    /// The shape of a body: one JSON text, or those of a stream, one a line.
    pub(crate) fn of(body: &str) -> Self {
        let mut shape = Self::default();
        if let Ok(whole) = serde_json::from_str(body) {
            shape.add(&whole, "");
            return shape;
        }
        for value in body.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            shape.add(&value, "");
        }
        shape
    }

    fn add(&mut self, value: &Value, path: &str) {
        let below = |key: &str| match path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        match value {
            Value::Null => {}
            Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| self.add(value, &below(key)));
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(item, &below("*"))),
            Value::String(text) if text.is_empty() => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.0.insert(path.to_owned());
            }
        }
    }

    /// What this one has and another has not.
    pub(super) fn lost_in<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        self.0.difference(&other.0).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(one: &str, other: &str) -> Vec<String> {
        let (one, other) = (BodyShape::of(one), BodyShape::of(other));
        one.lost_in(&other).map(str::to_owned).collect()
    }

    #[test]
    fn a_field_that_holds_something_is_missed_wherever_it_stands() {
        let whole =
            r#"{"choices": [{"message": {"role": "assistant", "calls": [{"type": "f"}]}}]}"#;
        let bare = r#"{"choices": [{"message": {"calls": [{"type": "f"}]}}], "more": 1}"#;
        assert_eq!(lost(whole, bare), ["choices.*.message.role"]);
        assert_eq!(lost(whole, whole), [""; 0]);
    }

    #[test]
    fn what_holds_nothing_is_not_missed_and_order_and_number_do_not_count() {
        let whole = r#"{"a": null, "b": "", "c": [], "d": {}, "e": [{"f": 1}, {"g": false}]}"#;
        assert_eq!(lost(whole, r#"{"e": [{"g": true, "f": 0}]}"#), [""; 0]);
        assert_eq!(lost(whole, r#"{"e": [{"f": 1}]}"#), ["e.*.g"]);
    }

    #[test]
    fn the_pieces_of_a_stream_count_together() {
        let stream =
            "{\"delta\": {\"role\": \"assistant\"}}\n{\"delta\": {\"text\": \"a\"}}\n[DONE]";
        let joined = "{\"delta\": {\"text\": \"a\", \"role\": \"assistant\"}}\n[DONE]";
        assert_eq!(lost(stream, joined), [""; 0]);
        assert_eq!(lost(stream, "{\"delta\": {\"text\": \"a\"}}\n[DONE]"), ["delta.role"]);
    }
}
