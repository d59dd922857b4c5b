//! Import of tool lists in the shapes of OpenAI, Anthropic, Gemini and MCP.

use serde_json::{Value, json};

use crate::ir::ToolSpec;

/// Why a value is not a list of tools.
#[derive(Debug, thiserror::Error)]
pub enum BadTools {
    /// Neither a list nor an object that holds one.
    #[error("expected a list of tools, or an object with `tools`")]
    NotAList,
    /// One of them has no name.
    #[error("tool {0} has no name; expected the shape of OpenAI, Anthropic or MCP")]
    Nameless(usize),
}

/// Reads tools as OpenAI, Anthropic, Gemini and MCP's `tools/list` write them.
pub fn import_tools(value: &Value) -> Result<Vec<ToolSpec>, BadTools> {
    let listed = ["tools", "result", "functionDeclarations"].iter().find_map(|key| value.get(key));
    if let Some(inner) = listed {
        return import_tools(inner);
    }
    let items = value.as_array().ok_or(BadTools::NotAList)?;
    let mut tools = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(declarations) = item.get("functionDeclarations") {
            tools.extend(import_tools(declarations)?);
        } else {
            tools.push(import_tool(item).ok_or(BadTools::Nameless(index + 1))?);
        }
    }
    Ok(tools)
}

fn import_tool(item: &Value) -> Option<ToolSpec> {
    let item = item.get("function").filter(|inner| inner.is_object()).unwrap_or(item);
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let schemas = ["input_schema", "inputSchema", "parameters", "schema"];
    let schema = schemas.iter().find_map(|key| item.get(key)).filter(|schema| !schema.is_null());
    Some(ToolSpec {
        name: text("name")?.to_owned(),
        description: text("description").unwrap_or_default().to_owned(),
        input_schema: schema.cloned().unwrap_or_else(|| json!({"type": "object"})),
        strict: item.get("strict").and_then(Value::as_bool),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_s_shape_gives_the_same_tool() {
        let schema = json!({"type": "object", "properties": {"port": {"type": "string"}}});
        let shapes = [
            json!([{"type": "function", "function": {"name": "tide", "description": "d", "parameters": schema}}]),
            json!([{"type": "function", "name": "tide", "description": "d", "parameters": schema}]),
            json!({"tools": [{"name": "tide", "description": "d", "input_schema": schema}]}),
            json!({"result": {"tools": [{"name": "tide", "description": "d", "inputSchema": schema}]}}),
            json!([{"functionDeclarations": [{"name": "tide", "description": "d", "parameters": schema}]}]),
        ];
        for shape in shapes {
            let tools = import_tools(&shape).unwrap();
            assert_eq!(tools.len(), 1, "{shape}");
            assert_eq!((tools[0].name.as_str(), &tools[0].input_schema), ("tide", &schema));
        }
    }

    #[test]
    fn a_tool_without_a_name_is_pointed_out() {
        let error = import_tools(&json!([{"name": "a"}, {"description": "b"}])).unwrap_err();
        assert!(error.to_string().starts_with("tool 2 has no name"));
        assert!(matches!(import_tools(&json!("tools")), Err(BadTools::NotAList)));
    }
}
