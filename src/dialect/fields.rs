//! The fields of a request body, with the path of the one that is wrong.

use serde_json::Value;

use super::BadRequest;
use crate::ir::Object;

/// An object of a request body, and where it stands. A null field counts as absent.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    map: &'a Object,
    path: String,
}

impl<'a> Fields<'a> {
    /// The whole body.
    pub(super) fn of_body(body: &'a Value) -> Result<Self, BadRequest> {
        Self::of(body, "").map_err(|_| BadRequest::at("body", "expected an object"))
    }

    /// The object at this path.
    pub(super) fn of(value: &'a Value, path: impl Into<String>) -> Result<Self, BadRequest> {
        let path = path.into();
        match value {
            Value::Object(map) => Ok(Self { map, path }),
            _ => Err(BadRequest::at(path, "expected an object")),
        }
    }

    /// A field under its own name or, for a camel-case name, under the snake-case spelling that
    /// protobuf's JSON takes as well.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).or_else(|| self.map.get(&snake_case(key))).filter(|v| !v.is_null())
    }

    /// Where a field stands.
    pub(super) fn path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// What is wrong with a field.
    pub(super) fn bad(&self, key: &str, problem: impl Into<String>) -> BadRequest {
        BadRequest::at(self.path(key), problem)
    }

    pub(super) fn string(&self, key: &str) -> Result<Option<&'a str>, BadRequest> {
        self.read(key, "a string", Value::as_str)
    }

    pub(super) fn required_string(&self, key: &str) -> Result<&'a str, BadRequest> {
        self.string(key)?.ok_or_else(|| self.bad(key, "field required"))
    }

    pub(super) fn boolean(&self, key: &str) -> Result<Option<bool>, BadRequest> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub(super) fn count(&self, key: &str) -> Result<Option<u64>, BadRequest> {
        self.read(key, "a whole number", Value::as_u64)
    }

    /// An object field.
    pub(super) fn object(&self, key: &str) -> Result<Option<Self>, BadRequest> {
        self.get(key).map(|value| Self::of(value, self.path(key))).transpose()
    }

    /// The elements of a list, each with its path; none when the field is absent.
    pub(super) fn list(&self, key: &str) -> Result<Vec<(String, &'a Value)>, BadRequest> {
        let items = self.read(key, "a list", Value::as_array)?.map_or(&[][..], Vec::as_slice);
        let path = self.path(key);
        Ok(items.iter().enumerate().map(|(n, item)| (format!("{path}[{n}]"), item)).collect())
    }

    /// The fields under none of these names, in either spelling.
    pub(super) fn except(&self, known: &[&str]) -> Object {
        let is_known = |key: &str| known.iter().any(|name| *name == key || snake_case(name) == key);
        let others = self.map.iter().filter(|(key, _)| !is_known(key));
        others.map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, BadRequest> {
        let Some(value) = self.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.bad(key, format!("expected {expected}")))
    }
}

fn snake_case(camel: &str) -> String {
    let mut snake = String::with_capacity(camel.len() + 4);
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_found_in_either_spelling() {
        let body = json!({"maxOutputTokens": 1, "parameters_json_schema": {}, "n": null});
        let fields = Fields::of_body(&body).unwrap();
        assert_eq!(fields.count("maxOutputTokens"), Ok(Some(1)));
        assert!(fields.get("parametersJsonSchema").is_some());
        assert!(fields.get("n").is_none());
        assert!(fields.except(&["maxOutputTokens", "parametersJsonSchema", "n"]).is_empty());
    }

    #[test]
    fn a_wrong_field_is_named_with_its_path() {
        let body = json!({"messages": [{"role": 3}]});
        let list = Fields::of_body(&body).unwrap().list("messages").unwrap();
        let (path, item) = &list[0];
        let error = Fields::of(item, path.as_str()).unwrap().string("role").unwrap_err();
        assert_eq!(error.to_string(), "messages[0].role: expected a string");
    }
}
