//! `extra_body`: fields that a user adds to every request body.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use crate::ir::Object;

/// Fields that are merged into every request body: a table, or the same as JSON text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExtraBody(pub Object);

/// A text that is no JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("extra body is not a JSON object: {0}")]
pub struct NotAnObject(String);

impl FromStr for ExtraBody {
    type Err = NotAnObject;

    fn from_str(text: &str) -> Result<Self, NotAnObject> {
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(other) => Err(NotAnObject(format!("it is {}", kind_of(&other)))),
            Err(error) => Err(NotAnObject(error.to_string())),
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl<'de> Deserialize<'de> for ExtraBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableOrText;

        impl<'de> Visitor<'de> for TableOrText {
            type Value = ExtraBody;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, or a string that holds a JSON object")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ExtraBody, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ExtraBody, A::Error> {
                let mut fields = Object::new();
                while let Some((key, value)) = map.next_entry()? {
                    fields.insert(key, value);
                }
                Ok(ExtraBody(fields))
            }
        }

        deserializer.deserialize_any(TableOrText)
    }
}

impl JsonSchema for ExtraBody {
    fn schema_name() -> Cow<'static, str> {
        "ExtraBody".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["object", "string"],
            "description": "Fields merged into every request body: a table, or JSON text",
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct Holder {
        extra_body: ExtraBody,
    }

    fn read(toml: &str) -> Result<Value, String> {
        let holder: Result<Holder, _> = toml::from_str(toml);
        holder.map(|h| Value::Object(h.extra_body.0)).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_table_and_json_text_say_the_same() {
        let expected =
            Ok(json!({"thinking": {"type": "disabled"}, "top_k": 3, "n": [1, 2.5, true]}));
        let table =
            r#"extra_body = { thinking = { type = "disabled" }, top_k = 3, n = [1, 2.5, true] }"#;
        let text =
            r#"extra_body = '{"thinking": {"type": "disabled"}, "top_k": 3, "n": [1, 2.5, true]}'"#;
        assert_eq!(read(table), expected);
        assert_eq!(read(text), expected);
    }

    #[test]
    fn json_text_can_say_null_which_toml_cannot() {
        assert_eq!(read(r#"extra_body = '{"stop": null}'"#), Ok(json!({"stop": null})));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let refused = |toml: &str| read(toml).unwrap_err();
        assert_eq!(
            refused("extra_body = '[1]'"),
            "extra body is not a JSON object: it is an array"
        );
        assert!(refused("extra_body = '{'").starts_with("extra body is not a JSON object: EOF"));
        assert!(refused("extra_body = 3").contains("a string that holds a JSON object"));
    }
}
