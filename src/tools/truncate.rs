//! Truncation of long tool output, with a note.

use serde_json::Value;

/// The output, with at most `limit` characters of its text and a note of how many are missing.
/// Output that is not text counts as its JSON, and becomes text when it is cut.
pub(super) fn truncate(output: Value, limit: usize) -> Value {
    let text = match &output {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let Some((cut, _)) = text.char_indices().nth(limit) else { return output };
    let (kept, omitted) = text.split_at(cut);
    let omitted = omitted.chars().count();
    Value::String(format!("{kept}[output truncated, {omitted} characters omitted]"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn output_within_the_limit_stays_as_it_is() {
        assert_eq!(truncate(json!("grün"), 4), json!("grün"));
        assert_eq!(truncate(json!({"a": 1}), 7), json!({"a": 1}));
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        assert_eq!(
            truncate(json!("日本語テスト"), 2),
            json!("日本[output truncated, 4 characters omitted]")
        );
    }

    #[test]
    fn structured_output_is_cut_as_its_json() {
        assert_eq!(
            truncate(json!({"a": [1, 2, 3]}), 6),
            json!("{\"a\":[[output truncated, 7 characters omitted]")
        );
    }
}
