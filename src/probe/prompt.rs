//! Prompts: how a model is asked for a call, in plain words.
//!
//! Values stand as `path = JSON value` lines under the tool's name in backticks, so that a person,
//! a model or a simulator can build the call from the prompt and the schema alone.

use std::fmt::Write;

use serde_json::Value;

/// A call to ask for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    /// The tool to be called.
    pub tool: String,
    /// The arguments it is to be called with; null leaves them to the model.
    pub arguments: Value,
}

/// The words that ask for these calls, one block each.
pub(crate) fn ask_for(calls: &[Wanted]) -> String {
    let blocks: Vec<String> = calls.iter().map(block).collect();
    match blocks.as_slice() {
        [only] => only.clone(),
        several => {
            format!("Make these calls at once, in the same reply.\n\n{}", several.join("\n\n"))
        }
    }
}

fn block(call: &Wanted) -> String {
    let mut lines = Vec::new();
    flatten("", &call.arguments, &mut lines);
    let mut text = format!("Call the tool `{}` once", call.tool);
    if call.arguments.is_null() {
        text.push_str(", with arguments of your own that its schema allows.");
        return text;
    }
    if lines.is_empty() {
        text.push_str(", without arguments.");
        return text;
    }
    text.push_str(", with:");
    for (path, value) in lines {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {path} = {value}");
    }
    text
}

/// The leaves of a value with their paths. Empty containers are leaves.
fn flatten(path: &str, value: &Value, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, inner) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                flatten(&path, inner, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, inner) in items.iter().enumerate() {
                flatten(&format!("{path}[{index}]"), inner, out);
            }
        }
        Value::Object(_) if path.is_empty() => {}
        leaf => out.push((path.to_owned(), leaf.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_call_is_one_block_of_paths_and_json_values() {
        let call = Wanted {
            tool: "probe_place".into(),
            arguments: json!({"place": {"city": "Oslo", "tags": ["a", 2]}, "note": "say \"hi\"", "none": null, "empty": []}),
        };
        insta::assert_snapshot!(ask_for(&[call]), @r#"
        Call the tool `probe_place` once, with:
        - place.city = "Oslo"
        - place.tags[0] = "a"
        - place.tags[1] = 2
        - note = "say \"hi\""
        - none = null
        - empty = []
        "#);
    }

    #[test]
    fn two_calls_are_two_blocks_and_no_arguments_are_said_so() {
        let calls = [
            Wanted { tool: "probe_ping".into(), arguments: json!({}) },
            Wanted { tool: "probe_add".into(), arguments: json!({"a": 1, "b": 2}) },
        ];
        insta::assert_snapshot!(ask_for(&calls), @r"
        Make these calls at once, in the same reply.

        Call the tool `probe_ping` once, without arguments.

        Call the tool `probe_add` once, with:
        - a = 1
        - b = 2
        ");
    }
}
