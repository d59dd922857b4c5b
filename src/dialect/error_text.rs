//! The text of a failed result, where the dialect has no field for failure.
//!
//! `[ERROR:<code>] text`, or `[ERROR] text` when there is no code.

use serde_json::Value;

use crate::ir::ToolResult;

const OPENER: &str = "[ERROR";

/// What a result's text says once the mark is read off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultText<'a> {
    pub(super) is_error: bool,
    pub(super) error_code: Option<&'a str>,
    pub(super) text: &'a str,
}

/// The text of a result, marked when the tool failed.
pub(super) fn mark(result: &ToolResult) -> String {
    let text = plain(&result.content);
    match (result.is_error, &result.error_code) {
        (false, _) => text,
        (true, Some(code)) => format!("{OPENER}:{code}] {text}"),
        (true, None) => format!("{OPENER}] {text}"),
    }
}

/// The text of a result without any mark: strings as they are, all else as JSON.
pub(super) fn plain(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Reads the mark off a result's text.
pub(super) fn unmark(text: &str) -> ResultText<'_> {
    marked_parts(text).unwrap_or(ResultText { is_error: false, error_code: None, text })
}

fn marked_parts(text: &str) -> Option<ResultText<'_>> {
    let (mark, rest) = text.strip_prefix(OPENER)?.split_once(']')?;
    let error_code = match mark.strip_prefix(':') {
        Some(code) if !code.is_empty() && !code.contains(char::is_whitespace) => Some(code),
        None if mark.is_empty() => None,
        _ => return None,
    };
    Some(ResultText { is_error: true, error_code, text: rest.strip_prefix(' ').unwrap_or(rest) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ir::CallId;

    fn result(content: Value, is_error: bool, code: Option<&str>) -> ToolResult {
        ToolResult {
            tool_call_id: CallId::new("c"),
            name: "f".to_owned(),
            content,
            is_error,
            error_code: code.map(str::to_owned),
        }
    }

    #[test]
    fn a_mark_reads_back_as_it_was_written() {
        for (content, is_error, code, text) in [
            ("fine", false, None, "fine"),
            ("no such file", true, Some("ENOENT"), "[ERROR:ENOENT] no such file"),
            ("broke", true, None, "[ERROR] broke"),
            ("", true, Some("X"), "[ERROR:X] "),
        ] {
            let marked = mark(&result(json!(content), is_error, code));
            assert_eq!(marked, text);
            assert_eq!(unmark(&marked), ResultText { is_error, error_code: code, text: content });
        }
    }

    #[test]
    fn text_that_only_looks_like_a_mark_is_left_alone() {
        for text in ["[ERRORS] 3", "[ERROR:two words] x", "[ERROR:] x", "[ERROR", "see [ERROR:X] y"]
        {
            assert_eq!(unmark(text), ResultText { is_error: false, error_code: None, text });
        }
    }

    #[test]
    fn a_result_that_is_not_text_is_written_as_json() {
        assert_eq!(mark(&result(json!({"sum": 3}), false, None)), "{\"sum\":3}");
    }
}
