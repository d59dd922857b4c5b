//! Calls: is this the call that was asked for, and if not, what came in its place?

use serde_json::Value;

use super::Wanted;
use crate::conversation::{Reading, excerpt};
use crate::ir::{Layer, ToolCall};
use crate::tools::{ArgumentSchema, Registry};

/// How a call compares with the one that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The tool and the values asked for.
    Exact,
    /// The tool asked for, with other values that its schema allows.
    Valid,
    /// The tool asked for, with arguments that its schema does not allow.
    Invalid(String),
    /// Another tool.
    OtherTool(String),
}

/// Compares a call with the one that was asked for.
fn fit(call: &ToolCall, wanted: &Wanted, schema: Option<&ArgumentSchema>) -> Fit {
    if call.name != wanted.tool {
        return Fit::OtherTool(call.name.clone());
    }
    let complaints = schema.map(|schema| schema.complaints(&call.input)).unwrap_or_default();
    if !complaints.is_empty() {
        return Fit::Invalid(complaints.join("; "));
    }
    if same(&call.input, &wanted.arguments) { Fit::Exact } else { Fit::Valid }
}

/// Equality with numbers by value: `5` and `5.0` are the same argument.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// The call that fits best what was asked for, by the schema of the tool that is on offer.
pub(crate) fn best_fit<'a>(
    reading: &'a Reading,
    wanted: &Wanted,
    tools: &Registry,
) -> Option<(&'a ToolCall, Fit)> {
    let spec = tools.specs().find(|spec| spec.name == wanted.tool);
    let schema = spec.and_then(|spec| ArgumentSchema::new(&spec.input_schema).ok());
    let rank = |fit: &Fit| match fit {
        Fit::Exact => 0,
        Fit::Valid => 1,
        Fit::Invalid(_) => 2,
        Fit::OtherTool(_) => 3,
    };
    reading
        .calls
        .iter()
        .map(|call| (call, fit(call, wanted, schema.as_ref())))
        .min_by_key(|(_, fit)| rank(fit))
}

/// In words, why there is no call in a reading.
pub(crate) fn describe_missing_call(reading: &Reading) -> String {
    match (reading.broken.first(), &reading.ending) {
        (Some(problem), _) => format!("a call that cannot be read: {}", excerpt(problem, 160)),
        (None, Some(ending)) => ending.clone(),
        (None, None) if reading.text.trim().is_empty() => {
            "an empty reply instead of a call".to_owned()
        }
        (None, None) => format!("prose instead of a call: {:?}", excerpt(&reading.text, 80)),
    }
}

/// In words, which layer kept a call.
pub(crate) fn layer_words(layer: Layer) -> &'static str {
    match layer {
        Layer::Structured => "structured",
        Layer::Content => "in the visible text: the model wrote it, the server left it there",
        Layer::Reasoning => "in the reasoning: the model wrote it, the server left it there",
    }
}

/// In words, what is wrong with calls that stand elsewhere than single ones do.
pub(crate) fn describe_displaced(layer: Option<Layer>) -> String {
    let layer = layer.unwrap_or(Layer::Structured);
    format!("unlike a single call, {}", layer_words(layer))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ir::{CallFormat, CallId};

    fn call(name: &str, input: Value) -> ToolCall {
        ToolCall::new(CallId::new("1"), name, input, CallFormat::OpenAi)
    }

    #[test]
    fn a_call_fits_by_tool_schema_and_values_in_that_order() {
        let wanted = Wanted { tool: "add".into(), arguments: json!({"a": 5}) };
        let schema = ArgumentSchema::new(
            &json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}),
        )
        .unwrap();
        let fit = |name: &str, input: Value| fit(&call(name, input), &wanted, Some(&schema));
        assert_eq!(fit("add", json!({"a": 5.0})), Fit::Exact);
        assert_eq!(fit("add", json!({"a": 6})), Fit::Valid);
        assert!(matches!(fit("add", json!({"a": "5"})), Fit::Invalid(_)));
        assert_eq!(fit("sub", json!({"a": 5})), Fit::OtherTool("sub".into()));
    }
}
