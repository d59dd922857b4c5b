//! What is a model told of a call that no tool answered?

use serde_json::json;

use crate::ir::{ToolCall, ToolResult, ToolSpec};

/// Results that say "this call was never answered", for every call that has none: a model that sees
/// its call hang in the air repeats it for ever.
pub fn missing_results(calls: &[ToolCall], results: &[ToolResult]) -> Vec<ToolResult> {
    let unanswered = |call: &&ToolCall| !results.iter().any(|r| r.tool_call_id == call.id);
    let text = "no result was recorded for this call; do not assume that it ran";
    calls.iter().filter(unanswered).map(|call| failure(call, "RESULT_MISSING", text)).collect()
}

/// The result of a call to a tool that was not offered: it names those that were.
pub fn unknown_tool(call: &ToolCall, tools: &[ToolSpec]) -> ToolResult {
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let text = format!("there is no tool '{}'; use one of: {}", call.name, names.join(", "));
    failure(call, "UNKNOWN_TOOL", &text)
}

fn failure(call: &ToolCall, code: &str, text: &str) -> ToolResult {
    ToolResult {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        content: json!(text),
        is_error: true,
        error_code: Some(code.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::super::samples::{call, tool};
    use super::*;

    #[test]
    fn a_call_without_a_result_gets_one_that_says_so() {
        let missing = missing_results(&[call()], &[]);
        assert_eq!(missing[0].error_code.as_deref(), Some("RESULT_MISSING"));
        assert!(missing_results(&[call()], &missing).is_empty());
        let text = Protocol::ToolUse.results(&missing);
        assert!(text.contains("\"tool_use_id\":\"c7\"") && text.contains("is_error"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_names_there_are() {
        let result = unknown_tool(&ToolCall { name: "tides".to_owned(), ..call() }, &[tool()]);
        assert_eq!(result.content, "there is no tool 'tides'; use one of: tide_table");
    }
}
