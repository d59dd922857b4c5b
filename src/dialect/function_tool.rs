//! Tools in OpenAI's `function` wrapper, which Ollama uses too.

use serde_json::{Value, json};

use super::BadRequest;
use super::fields::Fields;
use crate::ir::{Object, ToolSpec};

/// Writes a tool.
pub(super) fn encode(tool: &ToolSpec) -> Value {
    let mut function = Object::new();
    function.insert("name".to_owned(), tool.name.as_str().into());
    if !tool.description.is_empty() {
        function.insert("description".to_owned(), tool.description.as_str().into());
    }
    let schema = &tool.input_schema;
    let parameters = if schema.is_null() { no_parameters() } else { schema.clone() };
    function.insert("parameters".to_owned(), parameters);
    if let Some(strict) = tool.strict {
        function.insert("strict".to_owned(), strict.into());
    }
    json!({"type": "function", "function": function})
}

/// Reads the tools of a list; the wrapper may be left out.
pub(super) fn decode_all(fields: &Fields, key: &str) -> Result<Vec<ToolSpec>, BadRequest> {
    fields.list(key)?.into_iter().map(|(path, tool)| decode(&Fields::of(tool, path)?)).collect()
}

fn decode(tool: &Fields) -> Result<ToolSpec, BadRequest> {
    if let Some(kind) = tool.string("type")?.filter(|kind| *kind != "function") {
        return Err(tool.bad("type", format!("expected 'function', got '{kind}'")));
    }
    let wrapped = tool.object("function")?;
    let function = wrapped.as_ref().unwrap_or(tool);
    Ok(ToolSpec {
        name: function.required_string("name")?.to_owned(),
        description: function.string("description")?.unwrap_or_default().to_owned(),
        input_schema: function.get("parameters").cloned().unwrap_or_else(no_parameters),
        strict: function.boolean("strict")?,
    })
}

/// Leaving the schema out means this to OpenAI, and is an error to others.
fn no_parameters() -> Value {
    json!({"type": "object", "properties": {}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_without_parameters_takes_an_empty_object() {
        let body = json!({"tools": [{"type": "function", "function": {"name": "ping"}}]});
        let tools = decode_all(&Fields::of_body(&body).unwrap(), "tools").unwrap();
        assert_eq!(tools[0].input_schema, no_parameters());
        let unspecified = ToolSpec { input_schema: Value::Null, ..tools[0].clone() };
        assert_eq!(encode(&unspecified)["function"]["parameters"], no_parameters());
    }
}
