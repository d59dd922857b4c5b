//! Request keys: two requests are the same if method, path, query and body are.
//!
//! Hosts and headers do not count. Bodies are compared as JSON, so the order of keys does not matter.

use serde_json::Value;

use super::super::call::SentRequest;
use crate::ir::Digest;

/// What two equal requests have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RequestKey(Digest);

impl RequestKey {
    /// The key of a request.
    pub(crate) fn of(request: &SentRequest) -> Self {
        let mut text = format!("{} {}\n", request.method, request.path());
        if let Some(value) = &request.body {
            canonical(value, &mut text);
        }
        Self(Digest::of(text))
    }
}

/// The value as text, keys in alphabetical order.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            for (key, value) in sorted {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_that_differ_have_texts_that_differ() {
        let text = |value: Value| {
            let mut out = String::new();
            canonical(&value, &mut out);
            out
        };
        let different = [
            json!([]),
            json!({}),
            json!([[]]),
            json!([{}]),
            json!([[], []]),
            json!({"a": [1, 2]}),
            json!({"a": [1], "b": 2}),
            json!({"a": {"b": 2}}),
            json!("1"),
            json!(1),
            json!(null),
        ];
        let mut texts: Vec<String> = different.map(text).to_vec();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 11, "{texts:?}");
        assert_eq!(text(json!({"a": 1, "b": 2})), text(json!({"b": 2, "a": 1})));
    }
}
