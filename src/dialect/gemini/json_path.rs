//! JSON paths: where in the arguments a streamed piece belongs.
//!
//! The singular paths of RFC 9535: `$.place.city`, `$.items[0]`, `$['a key']`.

use serde_json::Value;

use crate::ir::Object;

/// Deeper arguments than serde would read back are not built.
const MAX_DEPTH: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    Index(usize),
}

/// A way from the arguments to one value in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonPath(Vec<PathStep>);

impl JsonPath {
    /// Reads a path; `None` when it is not a singular path.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, tail) = step(rest)?;
            steps.push(step);
            rest = tail;
        }
        (!steps.is_empty() && steps.len() <= MAX_DEPTH).then_some(Self(steps))
    }

    /// The value at this path, made on the way; `None` when the path contradicts what is there or
    /// leaves a gap in a list.
    pub(super) fn reach<'a>(&self, root: &'a mut Value) -> Option<&'a mut Value> {
        self.0.iter().try_fold(root, |at, step| match step {
            PathStep::Key(key) => {
                fill(at, || Value::Object(Object::new()));
                Some(at.as_object_mut()?.entry(key.clone()).or_insert(Value::Null))
            }
            PathStep::Index(index) => {
                fill(at, || Value::Array(Vec::new()));
                let items = at.as_array_mut()?;
                if *index == items.len() {
                    items.push(Value::Null);
                }
                items.get_mut(*index)
            }
        })
    }
}

fn fill(at: &mut Value, empty: impl FnOnce() -> Value) {
    if at.is_null() {
        *at = empty();
    }
}

fn step(text: &str) -> Option<(PathStep, &str)> {
    if let Some(name) = text.strip_prefix('.') {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (key, rest) = name.split_at_checked(end)?;
        return (!key.is_empty()).then(|| (PathStep::Key(key.to_owned()), rest));
    }
    let inner = text.strip_prefix('[')?;
    if let Some(quote) = inner.chars().next().filter(|letter| matches!(letter, '\'' | '"')) {
        let (key, rest) = read_quoted(inner.strip_prefix(quote)?, quote)?;
        return Some((PathStep::Key(key), rest.strip_prefix(']')?));
    }
    let (index, rest) = inner.split_once(']')?;
    Some((PathStep::Index(index.parse().ok()?), rest))
}

/// The text up to the closing quote, and what follows it.
fn read_quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => key.push(letters.next()?.1),
            _ if letter == quote => return Some((key, text.get(at + letter.len_utf8()..)?)),
            _ => key.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_put_where_their_paths_say() {
        let mut root = json!({});
        for (path, value) in [
            ("$.city", json!("Oslo")),
            ("$.place.at[0]", json!(1)),
            ("$.place.at[1]", json!(2)),
            ("$.rows[0].name", json!("a")),
            ("$['a.b']", json!(true)),
            ("$[\"it's\"]", json!(null)),
        ] {
            *JsonPath::parse(path).unwrap().reach(&mut root).unwrap() = value;
        }
        assert_eq!(
            root,
            json!({"city": "Oslo", "place": {"at": [1, 2]}, "rows": [{"name": "a"}],
                   "a.b": true, "it's": null})
        );
    }

    #[test]
    fn a_path_with_a_gap_or_a_contradiction_leads_nowhere() {
        let mut root = json!({"city": "Oslo", "at": [1]});
        for path in ["$.at[3]", "$.at[999999999]", "$.city.name", "$.city[0]"] {
            assert_eq!(JsonPath::parse(path).unwrap().reach(&mut root), None, "{path}");
        }
        let deep = format!("${}", "[0]".repeat(5000));
        for text in ["", "$", "city", "$.", "$..a", "$[*]", "$[-1]", "$['a", "$[0", &deep] {
            assert_eq!(JsonPath::parse(text), None, "{text}");
        }
    }
}
