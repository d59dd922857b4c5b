//! Schema quirks: arguments that break the parts of JSON Schema a model cannot keep to.

use serde_json::{Map, Value, json};

use super::SchemaFeature;

/// The arguments with these features broken wherever the schema uses them.
pub(super) fn broken(input: &Value, schema: &Value, features: &[SchemaFeature]) -> Value {
    Breaker { root: schema, features }.broken(input, schema, Place::Root)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Inside,
}

struct Breaker<'a> {
    root: &'a Value,
    features: &'a [SchemaFeature],
}

impl Breaker<'_> {
    fn breaks(&self, feature: SchemaFeature) -> bool {
        self.features.contains(&feature)
    }

    fn broken(&self, value: &Value, schema: &Value, place: Place) -> Value {
        if let Some(target) = reference(schema, self.root) {
            if self.breaks(SchemaFeature::Ref) {
                return Value::String(value.to_string());
            }
            return self.broken(value, target, place);
        }
        let has = |keyword: &str| schema.get(keyword).is_some();
        if self.breaks(SchemaFeature::Union) && (has("anyOf") || has("oneOf")) {
            return json!({"value": value});
        }
        match value {
            Value::Object(map) => self.object(map, schema, place),
            Value::Array(_) if self.breaks(SchemaFeature::Array) => {
                Value::String(value.to_string())
            }
            Value::Array(items) => {
                let item = schema.get("items").unwrap_or(&Value::Null);
                items.iter().map(|value| self.broken(value, item, Place::Inside)).collect()
            }
            Value::String(text) => self.text(text, schema),
            Value::Number(_) => self.number(value, schema),
            Value::Bool(on) if self.breaks(SchemaFeature::Boolean) => {
                Value::from(if *on { "yes" } else { "no" })
            }
            Value::Null if self.breaks(SchemaFeature::Null) => Value::from("null"),
            Value::Bool(_) | Value::Null => value.clone(),
        }
    }

    fn object(&self, map: &Map<String, Value>, schema: &Value, place: Place) -> Value {
        if place == Place::Inside && self.breaks(SchemaFeature::NestedObject) {
            return Value::String(Value::Object(map.clone()).to_string());
        }
        let property = |key: &str| schema.get("properties")?.get(key);
        let mut out: Map<String, Value> = map
            .iter()
            .map(|(key, value)| {
                let inner = property(key).unwrap_or(&Value::Null);
                (key.clone(), self.broken(value, inner, Place::Inside))
            })
            .collect();
        let last_required = schema.get("required").and_then(|all| all.as_array()?.last()?.as_str());
        if let Some(key) = last_required.filter(|_| self.breaks(SchemaFeature::Required)) {
            out.shift_remove(key);
        }
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        if is_closed && self.breaks(SchemaFeature::AdditionalProperties) {
            out.insert("comment".to_owned(), json!("as requested"));
        }
        Value::Object(out)
    }

    fn text(&self, text: &str, schema: &Value) -> Value {
        if schema.get("enum").is_some() && self.breaks(SchemaFeature::Enum) {
            return Value::String(format!("{text}-ish"));
        }
        if schema.get("pattern").is_some() && self.breaks(SchemaFeature::Pattern) {
            return Value::String(format!("no. {text} "));
        }
        Value::from(text)
    }

    fn number(&self, value: &Value, schema: &Value) -> Value {
        let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
        if self.breaks(SchemaFeature::Bounds)
            && let Some(beyond) =
                bound("maximum").map(|max| max + 1.0).or(bound("minimum").map(|min| min - 1.0))
        {
            return whole(beyond);
        }
        let is_integer = schema.get("type").and_then(Value::as_str) == Some("integer");
        match value.as_f64() {
            Some(number) if is_integer && self.breaks(SchemaFeature::Integer) => {
                json!(number + 0.5)
            }
            _ => value.clone(),
        }
    }
}

/// The number as an integer where it is one, because bounds nearly always are.
fn whole(number: f64) -> Value {
    number.to_string().parse::<i64>().map_or_else(|_| json!(number), Value::from)
}

fn reference<'a>(schema: &'a Value, root: &'a Value) -> Option<&'a Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "tag": {"type": "string", "enum": ["a", "b"]}, "code": {"type": "string", "pattern": "^[A-Z]+$"},
            "n": {"type": "integer"}, "p": {"type": "integer", "maximum": 100}, "on": {"type": "boolean"},
            "none": {"type": ["string", "null"]}, "list": {"type": "array", "items": {"type": "integer"}},
            "to": {"$ref": "#/$defs/point"}, "any": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "place": {"type": "object", "properties": {"tag": {"type": "string", "enum": ["a"]}}}},
            "required": ["tag", "any"], "additionalProperties": false,
            "$defs": {"point": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}})
    }

    fn input() -> Value {
        json!({"tag": "a", "code": "AB", "n": 1, "p": 5, "on": true, "none": null, "list": [1],
               "to": {"x": 1}, "any": 3, "place": {"tag": "a"}})
    }

    #[test]
    fn each_feature_by_itself_makes_the_arguments_invalid() {
        use SchemaFeature as F;
        assert!(jsonschema::is_valid(&schema(), &input()));
        for feature in [
            F::Enum,
            F::Required,
            F::Integer,
            F::NestedObject,
            F::Array,
            F::Boolean,
            F::AdditionalProperties,
            F::Pattern,
            F::Bounds,
            F::Ref,
            F::Union,
        ] {
            let made = broken(&input(), &schema(), &[feature]);
            assert!(!jsonschema::is_valid(&schema(), &made), "{feature:?} gave {made}");
        }
    }

    #[test]
    fn nothing_else_changes() {
        let made = broken(&input(), &schema(), &[SchemaFeature::Enum]);
        let mut wanted = input();
        wanted["tag"] = json!("a-ish");
        wanted["place"]["tag"] = json!("a-ish");
        assert_eq!(made, wanted);
        assert_eq!(broken(&input(), &schema(), &[SchemaFeature::Null])["none"], "null");
    }

    #[test]
    fn a_schema_without_the_feature_is_kept_to() {
        let plain = json!({"type": "object", "properties": {"t": {"type": "string"}}});
        let input = json!({"t": "x"});
        assert_eq!(broken(&input, &plain, &[SchemaFeature::Enum, SchemaFeature::Integer]), input);
    }
}
