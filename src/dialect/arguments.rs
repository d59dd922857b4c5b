//! The arguments of a call: complete JSON, or a broken call.

use serde_json::Value;

use crate::ir::{BrokenCall, CallFormat, CallId, Defect, Defects, Object, Part, ToolCall};

/// How a dialect writes the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentEncoding {
    /// As a string that holds JSON.
    JsonString,
    /// As JSON itself.
    Json,
}

/// Argument text that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BrokenArguments {
    /// The text as received.
    pub(super) text: String,
    /// Why it is not JSON, fit to be sent back to the model.
    pub(super) problem: String,
}

/// Reads the arguments of a call, and records how they deviate from what the dialect says.
pub(super) fn read(
    value: Option<&Value>,
    encoding: ArgumentEncoding,
    defects: &mut Defects,
) -> Result<Value, BrokenArguments> {
    match (value, encoding) {
        (None | Some(Value::Null), _) => {
            defects.record(Defect::ArgumentsAbsent);
            Ok(Value::Object(Object::new()))
        }
        (Some(Value::String(text)), ArgumentEncoding::JsonString) => read_text(text, defects),
        (Some(Value::String(text)), ArgumentEncoding::Json) => {
            defects.record(Defect::ArgumentsString);
            read_text(text, defects)
        }
        (Some(value), ArgumentEncoding::JsonString) => {
            defects.record(Defect::ArgumentsObject);
            Ok(note_kind(value.clone(), defects))
        }
        (Some(value), ArgumentEncoding::Json) => Ok(note_kind(value.clone(), defects)),
    }
}

/// Reads arguments that arrived as text, whole or joined from deltas.
pub(super) fn read_text(text: &str, defects: &mut Defects) -> Result<Value, BrokenArguments> {
    if text.trim().is_empty() {
        defects.record(Defect::ArgumentsEmpty);
        return Ok(Value::Object(Object::new()));
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => {
            defects.record(Defect::ArgumentsAbsent);
            Ok(Value::Object(Object::new()))
        }
        Ok(Value::String(inner)) => Ok(unwrap_double_encoded(inner, defects)),
        Ok(value) => Ok(note_kind(value, defects)),
        Err(error) => {
            defects.record(Defect::ArgumentsInvalid);
            let problem = format!("the arguments are not valid JSON: {error}");
            Err(BrokenArguments { text: text.to_owned(), problem })
        }
    }
}

/// Reads arguments whose JSON itself was joined from deltas, which is not the JSON of a string that holds it.
pub(super) fn read_joined(text: &str, defects: &mut Defects) -> Result<Value, BrokenArguments> {
    match serde_json::from_str(text) {
        Ok(string @ Value::String(_)) => read(Some(&string), ArgumentEncoding::Json, defects),
        _ => read_text(text, defects),
    }
}

/// The call, or the attempt at one, that these arguments make.
pub(super) fn call_part(
    id: CallId,
    name: String,
    format: CallFormat,
    arguments: Result<Value, BrokenArguments>,
    raw: Value,
) -> Part {
    match arguments {
        Ok(input) => Part::Call(ToolCall { id, name, input, format, raw }),
        Err(BrokenArguments { text, problem }) => {
            Part::BrokenCall(BrokenCall { id, name, arguments: text, problem })
        }
    }
}

/// A string is an object only when it was encoded twice.
fn unwrap_double_encoded(inner: String, defects: &mut Defects) -> Value {
    match serde_json::from_str(&inner) {
        Ok(object @ Value::Object(_)) => {
            defects.record(Defect::ArgumentsDoubleEncoded);
            object
        }
        _ => note_kind(Value::String(inner), defects),
    }
}

fn note_kind(value: Value, defects: &mut Defects) -> Value {
    if !value.is_object() {
        defects.record(Defect::ArgumentsNotObject);
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(value: Option<&Value>, encoding: ArgumentEncoding) -> (Option<Value>, Vec<Defect>) {
        let mut defects = Defects::default();
        let read = read(value, encoding, &mut defects).ok();
        (read, defects.iter().collect())
    }

    #[test]
    fn deviations_are_accepted_and_recorded() {
        use ArgumentEncoding::{Json, JsonString};
        let object = json!({"a": 1});
        let cases = [
            (Some(json!("{\"a\":1}")), JsonString, object.clone(), vec![]),
            (Some(object.clone()), Json, object.clone(), vec![]),
            (Some(object.clone()), JsonString, object.clone(), vec![Defect::ArgumentsObject]),
            (Some(json!("{\"a\":1}")), Json, object.clone(), vec![Defect::ArgumentsString]),
            (
                Some(json!("\"{\\\"a\\\":1}\"")),
                JsonString,
                object,
                vec![Defect::ArgumentsDoubleEncoded],
            ),
            (Some(json!("")), JsonString, json!({}), vec![Defect::ArgumentsEmpty]),
            (Some(json!("null")), JsonString, json!({}), vec![Defect::ArgumentsAbsent]),
            (None, JsonString, json!({}), vec![Defect::ArgumentsAbsent]),
            (Some(json!("[1]")), JsonString, json!([1]), vec![Defect::ArgumentsNotObject]),
            (Some(json!("\"x\"")), JsonString, json!("x"), vec![Defect::ArgumentsNotObject]),
        ];
        for (value, encoding, expected, defects) in cases {
            assert_eq!(outcome(value.as_ref(), encoding), (Some(expected), defects), "{value:?}");
        }
    }

    #[test]
    fn a_string_where_an_object_belongs_has_one_name_whole_or_joined_from_deltas() {
        let string = json!("{\"a\":1}");
        let mut defects = Defects::default();
        let joined = read_joined(&string.to_string(), &mut defects).ok();
        let whole = outcome(Some(&string), ArgumentEncoding::Json);
        assert_eq!((joined, defects.iter().collect::<Vec<_>>()), whole);
        assert_eq!(whole.1, [Defect::ArgumentsString]);
    }

    #[test]
    fn half_received_arguments_are_never_arguments() {
        for text in ["{\"city\": \"Os", "{\"a\":1}{\"b\":2}", "{\"a\":1,}", "{"] {
            let (read, defects) = outcome(Some(&json!(text)), ArgumentEncoding::JsonString);
            assert_eq!((read, defects), (None, vec![Defect::ArgumentsInvalid]), "{text}");
        }
    }
}
