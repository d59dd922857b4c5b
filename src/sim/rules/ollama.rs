//! Checks of Ollama.

use serde_json::Value;

use super::RequestFacts;
use super::complaint::Source::{Invented, Page, Seen};
use super::complaint::{Complaint, Violation};
use super::raw::{has, list};

const NO_MODEL: Complaint = Complaint::bad(Invented, "model is required");
const ARGUMENTS: Complaint = Complaint::bad(
    Seen("aliasrobotics/cai#76"),
    "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
);
const NO_THINKING: Complaint = Complaint::bad(
    Page("https://github.com/ollama/ollama/blob/main/server/routes.go"),
    "\"{model}\" does not support thinking",
);

/// Runs all checks; calls and results are not matched.
pub(super) fn run(body: &Value, facts: RequestFacts<'_>) -> Result<(), Violation> {
    if !has(body, "model") {
        return Err(NO_MODEL.about(&[]));
    }
    let calls = list(body, "messages").iter().flat_map(|message| list(message, "tool_calls"));
    let arguments =
        |call: &Value| call.pointer("/function/arguments").is_some_and(Value::is_string);
    if calls.into_iter().any(arguments) {
        return Err(ARGUMENTS.about(&[]));
    }
    let wanted =
        body.get("think").is_some_and(|think| !matches!(think, Value::Null | Value::Bool(false)));
    if wanted && !facts.can_think {
        return Err(NO_THINKING.about(&[("model", facts.model)]));
    }
    Ok(())
}
