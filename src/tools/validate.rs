//! Validation of arguments against the tool's schema, with errors that a model can act on.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::{ErrorCode, ToolFailure};

/// More complaints than this help nobody.
const MAX_COMPLAINTS: usize = 5;
/// Longer values are shown by their beginning.
const MAX_SHOWN: usize = 80;

/// As many compiled schemas are kept for the next trial that offers the same tool.
const MAX_COMPILED: usize = 256;

/// Compiled schemas by their text. Compiling costs more than a whole exchange, and every trial of a
/// probe offers the same tools.
static COMPILED: LazyLock<Mutex<HashMap<String, ArgumentSchema>>> = LazyLock::new(Mutex::default);

/// The compiled schema of one tool's arguments. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ArgumentSchema(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    schema: Value,
    validator: Validator,
}

/// A value that is not a JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSchema(String);

impl ArgumentSchema {
    /// Compiles a tool's `input_schema`, unless it was compiled before.
    pub(crate) fn new(schema: &Value) -> Result<Self, BadSchema> {
        let text = schema.to_string();
        let compiled = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled().get(&text) {
            return Ok(known.clone());
        }
        let validator =
            jsonschema::validator_for(schema).map_err(|error| BadSchema(error.to_string()))?;
        let new = Self(Arc::new(Compiled { schema: schema.clone(), validator }));
        let mut all = compiled();
        if all.len() >= MAX_COMPILED {
            all.clear();
        }
        all.insert(text, new.clone());
        Ok(new)
    }

    /// Accepts the arguments, or says for each fault where it is, what was expected and what came.
    pub(crate) fn check(&self, input: &Value) -> Result<(), ToolFailure> {
        let complaints = self.complaints(input);
        if complaints.is_empty() {
            return Ok(());
        }
        Err(ToolFailure::correctable(ErrorCode::SchemaValidationFailed, complaints.join("; ")))
    }

    /// The faults, each as `input.place.city: expected string, got 7`.
    pub(crate) fn complaints(&self, input: &Value) -> Vec<String> {
        self.0
            .validator
            .iter_errors(input)
            .take(MAX_COMPLAINTS)
            .map(|error| self.complaint(&error))
            .collect()
    }

    fn complaint(&self, error: &ValidationError<'_>) -> String {
        let path = readable_path(error.instance_path().as_str());
        let got = shorten(error.instance());
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let property = property.as_str().unwrap_or_default();
                format!("{path}.{property}: expected a value because it is required, got none")
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                format!("{path}: expected no further properties, got {}", unexpected.join(", "))
            }
            ValidationErrorKind::Enum { options } => {
                format!("{path}: expected one of {}, got {got}", join_values(options))
            }
            ValidationErrorKind::Constant { expected_value } => {
                format!("{path}: expected {expected_value}, got {got}")
            }
            ValidationErrorKind::Pattern { pattern } => {
                format!("{path}: expected text that matches {pattern}, got {got}")
            }
            ValidationErrorKind::Type { .. } => {
                let word = self.keyword_value(error).map_or_else(String::new, join_values);
                format!("{path}: expected {word}, got {got}")
            }
            _ => match self.keyword_value(error) {
                Some(value) => {
                    let keyword = error.kind().keyword();
                    format!("{path}: expected {keyword} {}, got {got}", shorten(value))
                }
                None => format!("{path}: {error}"),
            },
        }
    }

    /// What the schema says under the keyword that was broken; nothing behind a `$ref`.
    fn keyword_value(&self, error: &ValidationError<'_>) -> Option<&Value> {
        self.0.schema.pointer(error.schema_path().as_str())
    }
}

/// `/items/0/name` as `input.items[0].name`.
fn readable_path(pointer: &str) -> String {
    let segments = pointer.split('/').skip(1).map(|segment| match segment.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!(".{}", segment.replace("~1", "/").replace("~0", "~")),
    });
    std::iter::once("input".to_owned()).chain(segments).collect()
}

fn join_values(value: &Value) -> String {
    match value {
        Value::Array(options) => options.iter().map(bare).collect::<Vec<_>>().join(", "),
        other => bare(other),
    }
}

/// Type names read better without quotes; values keep them.
fn bare(value: &Value) -> String {
    match value {
        Value::String(word) if TYPE_NAMES.contains(&word.as_str()) => word.clone(),
        other => other.to_string(),
    }
}

const TYPE_NAMES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

fn shorten(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((cut, _)) => format!("{}…", text.split_at(cut).0),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> ArgumentSchema {
        ArgumentSchema::new(&json!({
            "type": "object",
            "properties": {
                "tag": {"type": "string", "enum": ["alpha", "beta"]},
                "count": {"type": "integer", "minimum": 1},
                "place": {"type": "object", "properties": {"city": {"type": "string"}},
                          "required": ["city"], "additionalProperties": false},
                "items": {"type": "array", "items": {"type": ["integer", "null"]}},
                "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "short": {"type": "string", "maxLength": 3}
            },
            "required": ["tag"]
        }))
        .unwrap()
    }

    #[test]
    fn valid_arguments_pass() {
        let input = json!({"tag": "beta", "count": 2, "place": {"city": "Oslo"}, "items": [null]});
        assert_eq!(schema().check(&input), Ok(()));
    }

    #[test]
    fn each_fault_names_its_path_what_was_expected_and_what_came() {
        let cases = [
            (json!({"tag": "gamma"}), r#"input.tag: expected one of "alpha", "beta", got "gamma""#),
            (json!({}), "input.tag: expected a value because it is required, got none"),
            (json!({"tag": "beta", "count": "3"}), r#"input.count: expected integer, got "3""#),
            (json!({"tag": "beta", "count": 0}), "input.count: expected minimum 1, got 0"),
            (
                json!({"tag": "beta", "place": {}}),
                "input.place.city: expected a value because it is required, got none",
            ),
            (
                json!({"tag": "beta", "place": {"city": "x", "zip": 1}}),
                "input.place: expected no further properties, got zip",
            ),
            (
                json!({"tag": "beta", "items": [1, "2"]}),
                r#"input.items[1]: expected integer, null, got "2""#,
            ),
            (
                json!({"tag": "beta", "code": "ab"}),
                r#"input.code: expected text that matches ^[A-Z]{3}$, got "ab""#,
            ),
            (
                json!({"tag": "beta", "short": "abcd"}),
                r#"input.short: expected maxLength 3, got "abcd""#,
            ),
            (json!("x"), r#"input: expected object, got "x""#),
        ];
        for (input, complaint) in cases {
            assert_eq!(schema().complaints(&input), [complaint], "{input}");
        }
    }

    #[test]
    fn several_faults_are_told_at_once() {
        let failure = schema().check(&json!({"tag": 1, "count": 0})).unwrap_err();
        assert_eq!(failure.code, ErrorCode::SchemaValidationFailed);
        assert!(
            failure.message.contains("input.tag:") && failure.message.contains("; input.count:")
        );
    }

    #[test]
    fn a_fault_behind_a_reference_is_still_told() {
        let schema = ArgumentSchema::new(&json!({
            "type": "object", "properties": {"to": {"$ref": "#/$defs/city"}},
            "$defs": {"city": {"type": "string", "minLength": 2}}
        }))
        .unwrap();
        let complaints = schema.complaints(&json!({"to": "x"}));
        assert!(complaints[0].starts_with("input.to: "), "{complaints:?}");
    }

    #[test]
    fn what_is_not_a_schema_is_refused() {
        assert!(ArgumentSchema::new(&json!({"type": "strnig"})).is_err());
    }

    #[test]
    fn a_long_value_is_shown_by_its_beginning() {
        let complaints = schema().complaints(&json!({"tag": "x".repeat(500)}));
        assert!(complaints[0].len() < 160, "{}", complaints[0]);
    }
}
