//! Paths into objects, such as `place.tags[0]`.

use serde_json::{Map, Value};

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
}

/// An index beyond this is a mistake, not an array.
const MAX_INDEX: usize = 1000;

/// Puts a value at a path such as `place.city` or `items[0].name`, making what is on the way.
/// Returns whether the text is a path.
pub(super) fn set(target: &mut Value, path: &str, value: Value) -> bool {
    let Some(steps) = steps(path) else { return false };
    let mut place = target;
    for step in steps {
        let next = match step {
            PathStep::Key(key) => {
                object(place).and_then(|map| map.entry(key).or_insert(Value::Null).into())
            }
            PathStep::Index(index) => element(place, index),
        };
        let Some(next) = next else { return false };
        place = next;
    }
    *place = value;
    true
}

/// The value at a path.
pub(super) fn get<'a>(target: &'a Value, path: &str) -> Option<&'a Value> {
    steps(path)?.into_iter().try_fold(target, |place, step| match step {
        PathStep::Key(key) => place.get(key),
        PathStep::Index(index) => place.get(index),
    })
}

/// Takes the value at a path away.
pub(super) fn remove(target: &mut Value, path: &str) -> Option<Value> {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    let place = match parent {
        "" => Some(target),
        _ => steps(parent)?.into_iter().try_fold(target, |place, step| match step {
            PathStep::Key(key) => place.get_mut(key),
            PathStep::Index(index) => place.get_mut(index),
        }),
    };
    place?.as_object_mut()?.shift_remove(key)
}

fn object(place: &mut Value) -> Option<&mut Map<String, Value>> {
    if place.is_null() {
        *place = Value::Object(Map::new());
    }
    place.as_object_mut()
}

fn element(place: &mut Value, index: usize) -> Option<&mut Value> {
    if place.is_null() {
        *place = Value::Array(Vec::new());
    }
    let items = place.as_array_mut()?;
    if items.len() <= index {
        items.resize(index + 1, Value::Null);
    }
    items.get_mut(index)
}

fn steps(path: &str) -> Option<Vec<PathStep<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() || !key.chars().all(is_key_char) {
            return None;
        }
        steps.push(PathStep::Key(key));
        let mut rest = indices;
        while !rest.is_empty() {
            let (index, more) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(PathStep::Index(index.parse().ok().filter(|index| *index <= MAX_INDEX)?));
            rest = more;
        }
    }
    Some(steps)
}

fn is_key_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@' | '/')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_paths_build_what_is_on_the_way() {
        let mut value = Value::Null;
        assert!(set(&mut value, "place.city", json!("Oslo")));
        assert!(set(&mut value, "items[1].n", json!(3)));
        assert!(set(&mut value, "grid[0][1]", json!(true)));
        assert_eq!(
            value,
            json!({"place": {"city": "Oslo"}, "items": [null, {"n": 3}], "grid": [[null, true]]})
        );
        assert_eq!(get(&value, "items[1].n"), Some(&json!(3)));
        assert_eq!(remove(&mut value, "place.city"), Some(json!("Oslo")));
        assert_eq!(value["place"], json!({}));
    }

    #[test]
    fn what_is_no_path_changes_nothing() {
        let mut value = json!({"a": 1});
        for path in ["", ".", "a b", "x[", "x[y]", "x[999999]", "a.b"] {
            assert!(!set(&mut value, path, json!(0)), "{path}");
        }
        assert_eq!(value["a"], 1);
    }
}
