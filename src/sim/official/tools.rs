//! Tools of the Responses API: functions, free-form tools, name spaces, and what the service runs itself.
//!
//! A model file knows functions. A custom tool becomes a function with one text, a name space the list of
//! its tools; tools that the service runs never reach the model. The types are those of `OpenAI`'s SDK:
//! <https://github.com/openai/openai-python/blob/main/src/openai/types/responses/tool_param.py>

use serde_json::{Value, json};

/// The key of the one text that a custom tool takes.
pub(super) const INPUT: &str = "input";

/// Tools that run at the service, or that its model asks for in items of their own.
const HOSTED: [&str; 15] = [
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "file_search",
    "computer",
    "computer_use_preview",
    "mcp",
    "code_interpreter",
    "programmatic_tool_calling",
    "image_generation",
    "local_shell",
    "shell",
    "apply_patch",
    "tool_search",
];

/// Which kind of item a call of a declared tool comes as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    Function,
    Custom,
}

/// One tool that the model can call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declared<'a> {
    pub(super) kind: CallKind,
    pub(super) namespace: Option<&'a str>,
    tool: &'a Value,
}

impl Declared<'_> {
    pub(super) fn name(&self) -> &str {
        self.tool.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// The pattern that its calls must match, where it has a grammar.
    pub(super) fn pattern(&self) -> Option<String> {
        super::grammar::pattern(self.tool).ok().flatten()
    }

    /// The tool as a function.
    pub(super) fn function(&self) -> Value {
        match self.kind {
            CallKind::Function => self.tool.clone(),
            CallKind::Custom => json!({
                "type": "function",
                "name": self.name(),
                "description": self.tool.get("description").unwrap_or(&Value::Null),
                "parameters": {"type": "object", "properties": {INPUT: {"type": "string"}},
                               "required": [INPUT], "additionalProperties": false},
                "strict": false,
            }),
        }
    }
}

/// The tools of a request: its own, and those that items of its input add.
pub(super) fn declared(body: &Value) -> Vec<Declared<'_>> {
    let items = body.get("input").and_then(Value::as_array).into_iter().flatten();
    let added = items.filter(|item| adds_tools(item));
    [body].into_iter().chain(added).flat_map(|holder| list(holder, None)).collect()
}

/// Whether an item of the input brings tools: added by the client, or found by a search.
pub(super) fn adds_tools(item: &Value) -> bool {
    matches!(kind(item), "additional_tools" | "tool_search_output")
}

/// Whether the service has a tool of this type that the model cannot call.
pub(super) fn is_hosted(kind: &str) -> bool {
    HOSTED.contains(&kind)
}

fn list<'a>(holder: &'a Value, namespace: Option<&'a str>) -> Vec<Declared<'a>> {
    let tools = holder.get("tools").and_then(Value::as_array).into_iter().flatten();
    tools.flat_map(|tool| read(tool, namespace)).collect()
}

/// What is not known is kept as a function, for the codec to refuse.
fn read<'a>(tool: &'a Value, namespace: Option<&'a str>) -> Vec<Declared<'a>> {
    match kind(tool) {
        "namespace" if namespace.is_none() => {
            list(tool, Some(tool.get("name").and_then(Value::as_str).unwrap_or_default()))
        }
        "custom" => vec![Declared { kind: CallKind::Custom, namespace, tool }],
        kind if is_hosted(kind) => Vec::new(),
        _ => vec![Declared { kind: CallKind::Function, namespace, tool }],
    }
}

/// The `type` of a tool or an item.
pub(super) fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_found_wherever_a_request_declares_them() {
        let body = json!({
            "tools": [{"type": "function", "name": "a"}, {"type": "web_search"},
                      {"type": "namespace", "name": "crm", "tools": [{"type": "function", "name": "b"}]}],
            "input": [{"type": "additional_tools", "role": "developer", "tools": [
                {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark"}}]}]});
        let found: Vec<_> = declared(&body)
            .iter()
            .map(|tool| (tool.name().to_owned(), tool.kind, tool.namespace.map(str::to_owned)))
            .collect();
        let (function, custom) = (CallKind::Function, CallKind::Custom);
        assert_eq!(
            found,
            [
                ("a".to_owned(), function, None),
                ("b".to_owned(), function, Some("crm".to_owned())),
                ("c".to_owned(), custom, None)
            ]
        );
    }

    #[test]
    fn a_custom_tool_takes_one_text() {
        let body = json!({"tools": [{"type": "custom", "name": "c", "description": "d"}]});
        let function = declared(&body).first().unwrap().function();
        assert_eq!(function["parameters"]["required"], json!([INPUT]));
    }
}
