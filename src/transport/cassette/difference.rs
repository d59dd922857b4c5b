//! Differences between two JSON values, each with its place.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One place at which two values differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JsonDifference {
    /// The place, as `messages[1].content`; empty for the whole value.
    pub path: String,
    /// What stood there; `None` where there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// What stands there; `None` where there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

/// Every place at which two values differ, in the order of the old one. The order of keys does not
/// matter; an item that was added to a list or removed from it is one difference, however many items
/// follow it.
pub(crate) fn differences(old: &Value, new: &Value) -> Vec<JsonDifference> {
    let mut found = Vec::new();
    compare(String::new(), old, new, &mut found);
    found
}

/// How much text differs. The number of places is a poor measure: a renamed key differs in many, and
/// another conversation in a single long one.
pub(crate) fn difference_size(differences: &[JsonDifference]) -> usize {
    let written = |side: &Option<Value>| side.as_ref().map(Value::to_string).unwrap_or_default();
    let size = |it: &JsonDifference| 1 + count_changed_bytes(&written(&it.old), &written(&it.new));
    differences.iter().map(size).sum()
}

/// The bytes of two texts that are neither in their common start nor in their common end.
fn count_changed_bytes(old: &str, new: &str) -> usize {
    let start = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - start;
    let ends = old.bytes().rev().zip(new.bytes().rev()).take(most);
    let end = ends.take_while(|(old, new)| old == new).count();
    old.len() + new.len() - 2 * (start + end)
}

fn compare(path: String, old: &Value, new: &Value, found: &mut Vec<JsonDifference>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => compare_fields(&path, old, new, found),
        (Value::Array(old), Value::Array(new)) => compare_items(&path, old, new, found),
        _ if old == new => {}
        _ => found.push(JsonDifference { path, old: Some(old.clone()), new: Some(new.clone()) }),
    }
}

fn compare_fields(
    path: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    found: &mut Vec<JsonDifference>,
) {
    let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    for (key, value) in old {
        match new.get(key) {
            Some(other) => compare(at(key), value, other, found),
            None => {
                found.push(JsonDifference { path: at(key), old: Some(value.clone()), new: None });
            }
        }
    }
    for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
        found.push(JsonDifference { path: at(key), old: None, new: Some(value.clone()) });
    }
}

fn compare_items(path: &str, old: &[Value], new: &[Value], found: &mut Vec<JsonDifference>) {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = |items: &[Value]| items.get(start..).unwrap_or_default().to_vec();
    let (mut old, mut new) = (rest(old), rest(new));
    while old.len() != new.len() && !old.is_empty() && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    for index in start.. {
        let path = format!("{path}[{index}]");
        match (old.next(), new.next()) {
            (Some(old), Some(new)) => compare(path, &old, &new, found),
            (None, None) => break,
            (old, new) => found.push(JsonDifference { path, old, new }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(old: &Value, new: &Value) -> Vec<String> {
        let side = |value: &Option<Value>| value.as_ref().map_or("-".into(), Value::to_string);
        differences(old, new)
            .iter()
            .map(|it| format!("{} {} {}", it.path, side(&it.old), side(&it.new)))
            .collect()
    }

    #[test]
    fn a_key_written_otherwise_is_less_than_another_conversation() {
        let call = |key: &str| json!({"type": "tool_result", key: "toolu_01", "content": "42"});
        let recorded = json!({"messages": [call("id"), call("id")]});
        let other = json!({"messages": "Never mind all that, and tell me about the weather."});
        let now = json!({"messages": [call("ib"), call("ib")]});
        let (near, far) = (differences(&recorded, &now), differences(&other, &now));
        assert!(near.len() > far.len() && difference_size(&near) < difference_size(&far));
        assert_eq!(count_changed_bytes("aXb", "aYYb"), 3);
        assert_eq!(count_changed_bytes("aa", "aaa"), 1);
    }

    #[test]
    fn each_place_is_told_with_both_values() {
        let old = json!({"a": {"b": [1, {"c": "x"}]}, "gone": true, "same": null});
        let new = json!({"same": null, "a": {"b": [1, {"c": "y"}]}, "fresh": 1});
        let expected = [r#"a.b[1].c "x" "y""#, "gone true -", "fresh - 1"];
        assert_eq!(shown(&old, &new), expected);
        assert!(shown(&old, &old).is_empty());
    }

    #[test]
    fn an_item_more_or_less_is_one_difference() {
        assert_eq!(shown(&json!([1, 2, 3]), &json!([1, 9, 2, 3])), ["[1] - 9"]);
        assert_eq!(shown(&json!([1, 2, 3]), &json!([2, 3])), ["[0] 1 -"]);
        assert_eq!(shown(&json!([1]), &json!([1, 1])), ["[1] - 1"]);
        assert_eq!(shown(&json!([1, 2]), &json!([3, 2])), ["[0] 1 3"]);
    }

    #[test]
    fn a_value_of_another_kind_is_told_whole() {
        assert_eq!(shown(&json!({"a": "{}"}), &json!({"a": {}})), [r#"a "{}" {}"#]);
        assert_eq!(shown(&json!(1), &json!(2)), [" 1 2"]);
    }
}
