//! Is what stands where arguments should be a complete set of arguments?

use serde_json::Value;

use crate::ir::{BrokenCall, CallFormat, CallId, Defect, Defects, Object, Part, ToolCall};

/// How a dialect writes the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// As a string that holds JSON.
    Encoded,
    /// As JSON itself.
    Plain,
}

/// Argument text that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    /// The text as received.
    pub(super) text: String,
    /// Why it is not JSON, fit to be sent back to the model.
    pub(super) problem: String,
}

/// Reads the arguments of a call, and records how they stray from what the dialect says.
pub(super) fn read(
    value: Option<&Value>,
    written: Written,
    defects: &mut Defects,
) -> Result<Value, Broken> {
    match (value, written) {
        (None | Some(Value::Null), _) => {
            defects.record(Defect::ArgumentsAbsent);
            Ok(Value::Object(Object::new()))
        }
        (Some(Value::String(text)), Written::Encoded) => read_text(text, defects),
        (Some(Value::String(text)), Written::Plain) => {
            defects.record(Defect::ArgumentsString);
            read_text(text, defects)
        }
        (Some(value), Written::Encoded) => {
            defects.record(Defect::ArgumentsObject);
            Ok(checked(value.clone(), defects))
        }
        (Some(value), Written::Plain) => Ok(checked(value.clone(), defects)),
    }
}

/// Reads arguments that arrived as text, whole or joined from deltas.
pub(super) fn read_text(text: &str, defects: &mut Defects) -> Result<Value, Broken> {
    if text.trim().is_empty() {
        defects.record(Defect::ArgumentsEmpty);
        return Ok(Value::Object(Object::new()));
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => {
            defects.record(Defect::ArgumentsAbsent);
            Ok(Value::Object(Object::new()))
        }
        Ok(Value::String(inner)) => Ok(unwrapped(inner, defects)),
        Ok(value) => Ok(checked(value, defects)),
        Err(error) => {
            defects.record(Defect::ArgumentsInvalid);
            let problem = format!("the arguments are not valid JSON: {error}");
            Err(Broken { text: text.to_owned(), problem })
        }
    }
}

/// The call, or the attempt at one, that these arguments make.
pub(super) fn part(
    id: CallId,
    name: String,
    format: CallFormat,
    arguments: Result<Value, Broken>,
    raw: Value,
) -> Part {
    match arguments {
        Ok(input) => Part::Call(ToolCall { id, name, input, format, raw }),
        Err(Broken { text, problem }) => {
            Part::BrokenCall(BrokenCall { id, name, arguments: text, problem })
        }
    }
}

/// A string is an object only when it was encoded twice.
fn unwrapped(inner: String, defects: &mut Defects) -> Value {
    match serde_json::from_str(&inner) {
        Ok(object @ Value::Object(_)) => {
            defects.record(Defect::ArgumentsDoubleEncoded);
            object
        }
        _ => checked(Value::String(inner), defects),
    }
}

fn checked(value: Value, defects: &mut Defects) -> Value {
    if !value.is_object() {
        defects.record(Defect::ArgumentsNotObject);
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(value: Option<&Value>, written: Written) -> (Option<Value>, Vec<Defect>) {
        let mut defects = Defects::default();
        let read = read(value, written, &mut defects).ok();
        (read, defects.iter().collect())
    }

    #[test]
    fn strays_are_accepted_and_recorded() {
        use Written::{Encoded, Plain};
        let object = json!({"a": 1});
        let cases = [
            (Some(json!("{\"a\":1}")), Encoded, object.clone(), vec![]),
            (Some(object.clone()), Plain, object.clone(), vec![]),
            (Some(object.clone()), Encoded, object.clone(), vec![Defect::ArgumentsObject]),
            (Some(json!("{\"a\":1}")), Plain, object.clone(), vec![Defect::ArgumentsString]),
            (
                Some(json!("\"{\\\"a\\\":1}\"")),
                Encoded,
                object,
                vec![Defect::ArgumentsDoubleEncoded],
            ),
            (Some(json!("")), Encoded, json!({}), vec![Defect::ArgumentsEmpty]),
            (Some(json!("null")), Encoded, json!({}), vec![Defect::ArgumentsAbsent]),
            (None, Encoded, json!({}), vec![Defect::ArgumentsAbsent]),
            (Some(json!("[1]")), Encoded, json!([1]), vec![Defect::ArgumentsNotObject]),
            (Some(json!("\"x\"")), Encoded, json!("x"), vec![Defect::ArgumentsNotObject]),
        ];
        for (value, written, expected, defects) in cases {
            assert_eq!(outcome(value.as_ref(), written), (Some(expected), defects), "{value:?}");
        }
    }

    #[test]
    fn half_received_arguments_are_never_arguments() {
        for text in ["{\"city\": \"Os", "{\"a\":1}{\"b\":2}", "{\"a\":1,}", "{"] {
            let (read, defects) = outcome(Some(&json!(text)), Written::Encoded);
            assert_eq!((read, defects), (None, vec![Defect::ArgumentsInvalid]), "{text}");
        }
    }
}
