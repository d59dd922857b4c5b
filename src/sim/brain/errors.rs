//! Errors in results: whether a result reports one, and what it says.

use serde_json::Value;

use crate::ir::ToolResult;

/// An error as the model understands it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ErrorReport {
    /// What is wrong, in words.
    pub(super) message: String,
    /// Whether another try is worthwhile; yes unless the error says no.
    pub(super) retryable: bool,
}

/// The error that a result reports, by its flag, its structure or its words.
pub(super) fn report(result: &ToolResult) -> Option<ErrorReport> {
    let content = structured(&result.content);
    let flagged = result.is_error || content.get("is_error").and_then(Value::as_bool) == Some(true);
    let error = content.get("error").filter(|error| !error.is_null());
    if !flagged && error.is_none() {
        return None;
    }
    let told = ["message", "detail"].iter().find_map(|key| content.get(*key));
    let told = told.or_else(|| error.and_then(|error| error.get("message"))).or(error);
    let message = text(told.unwrap_or(&content));
    let retryable = content.get("retryable").and_then(Value::as_bool).unwrap_or(true);
    Some(ErrorReport { message, retryable })
}

/// The JSON that a text holds, after a mark such as `[ERROR:CODE]` if there is one.
fn structured(content: &Value) -> Value {
    let Some(text) = unwrap_text(content) else { return content.clone() };
    let start = text.find('{').unwrap_or(0);
    let parsed = text.get(start..).and_then(|json| serde_json::from_str(json).ok());
    parsed.filter(Value::is_object).unwrap_or_else(|| content.clone())
}

/// The text of a result, whatever a gateway wrapped it in: a list of parts, or an object around it.
fn unwrap_text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            parts.iter().map(|part| part.get("text")?.as_str()).collect::<Option<String>>()
        }
        Value::Object(fields) => {
            let only = fields.values().next().filter(|_| fields.len() == 1);
            let wraps = ["content", "output", "result"].iter().any(|key| fields.contains_key(*key));
            only.filter(|_| wraps)?.as_str().map(str::to_owned)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A value as text: strings as they are, all else as JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ir::CallId;

    fn said(content: Value, is_error: bool) -> Option<String> {
        let result = ToolResult {
            tool_call_id: CallId::new("1"),
            name: "t".to_owned(),
            content,
            is_error,
            error_code: None,
        };
        report(&result).map(|report| report.message)
    }

    #[test]
    fn errors_are_understood_in_every_dress() {
        let structured = json!({"is_error": true, "error_code": "X", "message": "bad path"});
        assert_eq!(said(structured.clone(), true).as_deref(), Some("bad path"));
        assert_eq!(said(structured.clone(), false).as_deref(), Some("bad path"));
        assert_eq!(said(json!(structured.to_string()), false).as_deref(), Some("bad path"));
        assert_eq!(
            said(json!(format!("[ERROR:X] {structured}")), true).as_deref(),
            Some("bad path")
        );
        let marked = format!("[ERROR:X] {structured}");
        let parts = json!([{"type": "input_text", "text": marked}]);
        assert_eq!(said(parts, false).as_deref(), Some("bad path"));
        assert_eq!(said(json!({"content": marked}), false).as_deref(), Some("bad path"));
        assert_eq!(said(json!({"error": "bad path"}), false).as_deref(), Some("bad path"));
        assert_eq!(
            said(json!({"error": {"message": "bad path"}}), false).as_deref(),
            Some("bad path")
        );
        assert_eq!(said(json!("bad path"), true).as_deref(), Some("bad path"));
    }

    #[test]
    fn a_good_result_is_no_error() {
        for content in [json!({"sum": 3}), json!("no error here"), json!({"error": null}), json!(7)]
        {
            assert_eq!(said(content, false), None);
        }
    }
}
