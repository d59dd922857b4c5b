//! Tool errors: what a model is told when its call fails.

use std::fmt;

use serde_json::{Value, json};

use crate::ir::{BrokenCall, CallId, ToolCall, ToolResult};

/// A code that a program or a model can act on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The arguments do not satisfy the tool's schema.
    SchemaValidationFailed,
    /// The arguments are not JSON.
    InvalidJson,
    /// No tool has this name.
    UnknownTool,
    /// A hook refused the call.
    Refused,
    /// The call was made, and its result was never recorded.
    ResultMissing,
    /// A code of the tool's own, like `ENOENT`.
    Tool(&'static str),
}

impl ErrorCode {
    /// The code as the model sees it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::SchemaValidationFailed => "SCHEMA_VALIDATION_FAILED",
            Self::InvalidJson => "INVALID_JSON",
            Self::UnknownTool => "UNKNOWN_TOOL",
            Self::Refused => "REFUSED",
            Self::ResultMissing => "RESULT_MISSING",
            Self::Tool(code) => code,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a corrected call has a chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// It does.
    Worthwhile,
    /// It does not.
    Pointless,
}

/// An error that a model can act on: what is wrong, where, and whether to try again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ToolFailure {
    /// The kind of error.
    pub code: ErrorCode,
    /// What is wrong and where, in words.
    pub message: String,
    /// Whether to try again.
    pub retry: Retry,
}

impl ToolFailure {
    /// A failure that a corrected call can get past.
    pub fn correctable(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry: Retry::Worthwhile }
    }

    /// A failure that no other call of this tool can get past.
    pub fn fatal(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry: Retry::Pointless }
    }

    /// The structured form that goes back to the model.
    pub fn content(&self) -> Value {
        json!({
            "is_error": true,
            "error_code": self.code.as_str(),
            "message": self.message,
            "retryable": self.retry == Retry::Worthwhile,
        })
    }

    /// The result of the call that failed in this way.
    pub fn result_of(&self, call: &ToolCall) -> ToolResult {
        self.result(call.id.clone(), &call.name)
    }

    /// The result of a call whose arguments could not be read. It is never run.
    pub fn result_of_broken(call: &BrokenCall) -> ToolResult {
        Self::unreadable(&call.problem).result(call.id.clone(), &call.name)
    }

    /// The answer to text that looks like a call and has neither an id nor a name that can be read.
    pub fn result_without_call(problem: &str) -> ToolResult {
        Self::unreadable(problem).result(CallId::new(""), "")
    }

    fn unreadable(problem: &str) -> Self {
        Self::correctable(ErrorCode::InvalidJson, problem)
    }

    fn result(&self, tool_call_id: CallId, name: &str) -> ToolResult {
        ToolResult {
            tool_call_id,
            name: name.to_owned(),
            content: self.content(),
            is_error: true,
            error_code: Some(self.code.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structured_form_has_the_four_fields_in_order() {
        let failure = ToolFailure::correctable(
            ErrorCode::SchemaValidationFailed,
            "input.path must be an absolute path",
        );
        assert_eq!(
            failure.content().to_string(),
            r#"{"is_error":true,"error_code":"SCHEMA_VALIDATION_FAILED","message":"input.path must be an absolute path","retryable":true}"#
        );
    }

    #[test]
    fn a_broken_call_is_answered_with_its_problem_and_its_id() {
        let result = ToolFailure::result_of_broken(&BrokenCall {
            id: CallId::new("call_1"),
            name: "probe_add".to_owned(),
            arguments: "{\"a\": 1".to_owned(),
            problem: "arguments end inside an object".to_owned(),
        });
        assert_eq!(result.tool_call_id.as_str(), "call_1");
        assert_eq!(result.error_code.as_deref(), Some("INVALID_JSON"));
        assert_eq!(result.content["message"], "arguments end inside an object");
    }
}
