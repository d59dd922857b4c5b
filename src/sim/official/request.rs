//! Requests of the Responses API: what of them reaches the model, in the form the codec reads.

use serde_json::{Value, json};

use super::tools::{self, adds_tools, declared, is_hosted, kind};

/// The same request with functions as its only tools and their calls as its only tool items.
pub(super) fn simplify(body: Value) -> Value {
    let functions: Vec<Value> = declared(&body).iter().map(tools::Declared::function).collect();
    let mut body = body;
    let Value::Object(fields) = &mut body else { return body };
    let had_tools = fields.contains_key("tools");
    if had_tools || !functions.is_empty() {
        fields.insert("tools".to_owned(), Value::Array(functions));
    }
    if let Some(choice) = fields.get_mut("tool_choice") {
        simplify_choice(choice);
    }
    if let Some(Value::Array(items)) = fields.get_mut("input") {
        let kept = std::mem::take(items).into_iter().filter_map(simplify_item);
        *items = kept.collect();
    }
    body
}

/// A choice of a custom tool is one of a function; a choice of a hosted tool cannot be followed.
fn simplify_choice(choice: &mut Value) {
    match kind(choice) {
        "custom" => set_kind(choice, "function"),
        "allowed_tools" => {
            if let Some(tools) = choice.get_mut("tools").and_then(Value::as_array_mut) {
                tools.retain(|tool| tool.get("name").is_some());
            }
        }
        hosted if is_hosted(hosted) => *choice = json!("auto"),
        _ => {}
    }
}

fn set_kind(value: &mut Value, kind: &str) {
    if let Some(word) = value.get_mut("type") {
        *word = json!(kind);
    }
}

fn simplify_item(mut item: Value) -> Option<Value> {
    let field = |key: &str| item.get(key).cloned().unwrap_or_default();
    match kind(&item) {
        "custom_tool_call" => Some(json!({
            "type": "function_call", "call_id": field("call_id"), "name": field("name"),
            "arguments": json!({tools::INPUT: field("input")}).to_string(),
        })),
        "custom_tool_call_output" => {
            set_kind(&mut item, "function_call_output");
            Some(item)
        }
        _ if adds_tools(&item) || is_of_the_service(kind(&item)) => None,
        _ => Some(item),
    }
}

/// Whether an item tells of a tool that the service or the client ran by itself.
fn is_of_the_service(kind: &str) -> bool {
    let subject = kind
        .strip_suffix("_output")
        .unwrap_or(kind)
        .strip_suffix("_call")
        .or_else(|| kind.starts_with("mcp_").then_some("mcp"));
    matches!(kind, "compaction" | "compaction_trigger") || subject.is_some_and(is_hosted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_custom_tools_become_calls_of_functions() {
        let body = simplify(json!({"input": [
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "patch", "input": "x"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "done"},
            {"type": "web_search_call", "id": "ws_1"}, {"type": "mcp_list_tools"},
            {"type": "local_shell_call_output"}, {"type": "message", "role": "user"}]}));
        assert_eq!(
            body["input"],
            json!([
                {"type": "function_call", "call_id": "c", "name": "patch", "arguments": r#"{"input":"x"}"#},
                {"type": "function_call_output", "call_id": "c", "output": "done"},
                {"type": "message", "role": "user"}])
        );
    }

    #[test]
    fn what_the_service_does_not_know_is_left_for_the_codec_to_refuse() {
        let body =
            simplify(json!({"tools": [{"type": "telepathy"}], "input": [{"type": "dream"}]}));
        assert_eq!(body, json!({"tools": [{"type": "telepathy"}], "input": [{"type": "dream"}]}));
    }

    #[test]
    fn choices_of_other_kinds_of_tools_are_read() {
        let choice =
            |choice: Value| simplify(json!({"tool_choice": choice}))["tool_choice"].clone();
        assert_eq!(
            choice(json!({"type": "custom", "name": "p"})),
            json!({"type": "function", "name": "p"})
        );
        assert_eq!(choice(json!({"type": "web_search"})), "auto");
        assert_eq!(choice(json!("required")), "required");
    }
}
