//! Places in a body, as `tools[0].function.strict`; `[*]` is any item of a list.

use serde_json::{Map, Value};

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    Item(usize),
    AnyItem,
}

fn steps(path: &str) -> Vec<PathStep> {
    let mut steps = Vec::new();
    for piece in path.split('.') {
        let mut parts = piece.split('[');
        steps.extend(
            parts.next().filter(|key| !key.is_empty()).map(|key| PathStep::Key(key.to_owned())),
        );
        for part in parts {
            let index = part.trim_end_matches(']');
            steps.push(index.parse().map_or(PathStep::AnyItem, PathStep::Item));
        }
    }
    steps
}

/// What stands at a place: all of it where a step is any item.
pub(super) fn find<'a>(body: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut found = vec![body];
    for step in steps(path) {
        found = found.into_iter().flat_map(|value| inside(value, &step)).collect();
    }
    found
}

fn inside<'a>(value: &'a Value, step: &PathStep) -> Vec<&'a Value> {
    match step {
        PathStep::Key(key) => {
            value.get(key).or_else(|| other_spelling(value, key)).into_iter().collect()
        }
        PathStep::Item(index) => value.get(*index).into_iter().collect(),
        PathStep::AnyItem => value.as_array().into_iter().flatten().collect(),
    }
}

/// The field whose name has the same letters: Google takes `generation_config` for `generationConfig`.
fn other_spelling<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    let letters = |name: &str| name.replace('_', "").to_lowercase();
    let fields = value.as_object()?;
    fields.iter().find(|(name, _)| letters(name) == letters(key)).map(|(_, value)| value)
}

/// Puts a value at a place; objects on the way are made where they are missing.
pub(super) fn put(body: &mut Value, path: &str, value: Value) {
    let mut at = body;
    for step in steps(path) {
        at = match step {
            PathStep::Key(key) => {
                if !at.is_object() {
                    *at = Value::Object(Map::new());
                }
                let Some(fields) = at.as_object_mut() else { return };
                fields.entry(key).or_insert(Value::Null)
            }
            PathStep::Item(index) => {
                let Some(items) = at.as_array_mut() else { return };
                if index == items.len() {
                    items.push(Value::Null);
                }
                let Some(item) = items.get_mut(index) else { return };
                item
            }
            PathStep::AnyItem => return,
        };
    }
    *at = value;
}

/// Whether a text stands anywhere in a body, in a string or as a key.
pub(super) fn holds(body: &Value, text: &str) -> bool {
    match body {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains(text) || holds(value, text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_put_where_it_is_found() {
        let mut body = json!({"tools": [{"function": {"name": "f"}}], "messages": []});
        put(&mut body, "tools[0].function.strict", json!(true));
        put(&mut body, "reasoning.effort", json!("low"));
        put(&mut body, "messages[0]", json!({"role": "user"}));
        assert_eq!(find(&body, "tools[*].function.strict"), [&json!(true)]);
        assert_eq!(find(&body, "reasoning.effort"), [&json!("low")]);
        assert_eq!(find(&body, "messages[0].role"), [&json!("user")]);
        assert!(find(&body, "tools[1].function.strict").is_empty());
        let google = json!({"generation_config": {"top_p": 0.5}});
        assert_eq!(find(&google, "generationConfig.topP"), [&json!(0.5)]);
    }

    #[test]
    fn a_text_is_found_wherever_it_stands() {
        let body = json!({"a": [{"b": "say n0nce"}], "x-n1nce": 1});
        assert!(holds(&body, "n0nce") && holds(&body, "n1nce") && !holds(&body, "n2nce"));
    }
}
