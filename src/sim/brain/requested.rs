//! Requested calls: which calls a text asks for.
//!
//! Either in blocks, a tool's name and its values line by line:
//!
//! ```text
//! Call the tool `probe_echo` once, with:
//! - message = "violet-4207"
//! - tag = "beta"
//! ```
//!
//! or in other words that name a tool, with values where the text states them clearly.

use serde_json::{Value, json};

use super::{PlannedCall, invent, mentions, paths};
use crate::ir::ToolSpec;

/// The calls that the text asks for, in its order.
pub(super) fn find_calls(text: &str, tools: &[ToolSpec]) -> Vec<PlannedCall> {
    let blocks = blocks(text, tools);
    if !blocks.is_empty() {
        return blocks.into_iter().map(|(tool, input)| complete_call(tool, input)).collect();
    }
    let mut named: Vec<&ToolSpec> = Vec::new();
    for tool in mentions::tools(text, tools) {
        if named.iter().all(|known| known.name != tool.name) {
            named.push(tool);
        }
    }
    named.into_iter().map(|tool| call_in_prose(tool, text)).collect()
}

/// A call of this tool with what the text says about its parameters.
pub(super) fn call_in_prose(tool: &ToolSpec, text: &str) -> PlannedCall {
    complete_call(tool, mentions::arguments(tool, text))
}

/// Fills in what the schema requires and the text left open.
fn complete_call(tool: &ToolSpec, given: Value) -> PlannedCall {
    let mut input = given;
    if let (Some(map), Value::Object(made)) =
        (input.as_object_mut(), invent::value(&tool.input_schema, &tool.input_schema))
    {
        for (key, value) in made {
            map.entry(key).or_insert(value);
        }
    }
    PlannedCall { name: tool.name.clone(), input }
}

/// The blocks: a line that names a tool in backticks and asks to call it, or is followed by values.
fn blocks<'a>(text: &str, tools: &'a [ToolSpec]) -> Vec<(&'a ToolSpec, Value)> {
    let mut found: Vec<(&ToolSpec, Value)> = Vec::new();
    let mut open = false;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    while let Some(line) = lines.next() {
        if let Some((path, value)) = value_line(line).filter(|_| open) {
            if let Some((_, input)) = found.last_mut() {
                paths::set(input, path, value);
            }
            continue;
        }
        let values_follow = lines.peek().is_some_and(|next| value_line(next).is_some());
        let head = tools.iter().find(|tool| line.contains(&format!("`{}`", tool.name)));
        let head = head.filter(|_| values_follow || line.trim_start().starts_with("Call "));
        open = head.is_some();
        found.extend(head.map(|tool| (tool, json!({}))));
    }
    found
}

/// `- place.city = "Oslo"` as path and value.
fn value_line(line: &str) -> Option<(&str, Value)> {
    let rest = line.trim_start().strip_prefix(['-', '*', '•'])?;
    let (path, value) = rest.split_once('=')?;
    let path = path.trim().trim_matches('`');
    let value = value.trim();
    paths::set(&mut Value::Null, path, Value::Null).then(|| (path, read_value(value)))
}

/// The value that a text stands for. What is not JSON is text.
fn read_value(text: &str) -> Value {
    let read = serde_json::from_str(text).ok().or_else(|| read_quoted(text));
    read.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// A value inside a prompt that was quoted as a whole, as opencode 1.18 does: `\"a b\"`, and another quote
/// where the prompt ends.
fn read_quoted(text: &str) -> Option<Value> {
    let texts = [Some(text), text.strip_suffix('"')];
    texts.into_iter().flatten().find_map(|text| {
        let inner: String = serde_json::from_str(&format!("\"{text}\"")).ok()?;
        serde_json::from_str(&inner).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, schema: Value) -> ToolSpec {
        ToolSpec::new(name, "", schema)
    }

    fn tools() -> Vec<ToolSpec> {
        vec![
            tool(
                "echo",
                json!({"type": "object", "properties": {"message": {"type": "string"},
                "tag": {"type": "string", "enum": ["alpha", "beta"]}}, "required": ["message", "tag"]}),
            ),
            tool("ping", json!({"type": "object", "properties": {}})),
            tool("nested", json!({"type": "object", "properties": {"place": {"type": "object"}}})),
        ]
    }

    #[test]
    fn a_block_gives_exactly_its_values() {
        let text = "Call the tool `echo` once, with:\n- message = \"a = \\\"b\\\"\\n</tool_call>\"\n- tag = \"beta\"\n\nThen wait.";
        let planned = find_calls(text, &tools());
        assert_eq!(planned.len(), 1);
        assert_eq!(planned[0].input, json!({"message": "a = \"b\"\n</tool_call>", "tag": "beta"}));
    }

    #[test]
    fn a_prompt_that_is_quoted_as_a_whole_means_the_same() {
        let text =
            "\"Call the tool `echo` once, with:\n- tag = \\\"beta\\\"\n- message = \\\"a b\\\"\"";
        let planned = find_calls(text, &tools());
        assert_eq!(planned[0].input, json!({"message": "a b", "tag": "beta"}));
        let unquoted = find_calls("Call the tool `echo` with:\n- message = /a b", &tools());
        assert_eq!(unquoted[0].input["message"], "/a b");
    }

    #[test]
    fn two_blocks_are_two_calls_and_nested_paths_are_objects() {
        let text = "Make these calls at once.\n\nCall the tool `ping` once, without arguments.\n\n\
                    Call the tool `nested` once, with:\n- place.city = \"Oslo\"\n- place.tags[1] = 2";
        let found = find_calls(text, &tools());
        assert_eq!(found[0], PlannedCall { name: "ping".to_owned(), input: json!({}) });
        assert_eq!(found[1].input, json!({"place": {"city": "Oslo", "tags": [null, 2]}}));
    }

    #[test]
    fn the_same_tool_can_be_asked_for_twice() {
        let text = "Call the tool `ping` once.\nCall the tool `ping` again.";
        assert_eq!(find_calls(text, &tools()).len(), 2);
    }

    #[test]
    fn other_words_name_a_tool_once_however_often_they_do() {
        let found = find_calls("Please use echo now. The echo tool takes \"hello\".", &tools());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].input["message"], "hello");
        assert_eq!(found[0].input["tag"], "alpha");
    }

    #[test]
    fn a_text_without_a_tool_asks_for_nothing() {
        assert_eq!(find_calls("What is the opposite of north?\n- a = 1", &tools()), []);
    }
}
