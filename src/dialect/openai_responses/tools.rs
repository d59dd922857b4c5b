//! Tools and tool choice, encoded and decoded.

use serde_json::{Value, json};

use crate::dialect::BadRequest;
use crate::dialect::fields::Fields;
use crate::ir::{ToolChoice, ToolSpec};

/// Tools are flat here; `strict` is always written, because the provider's default is not null.
pub(super) fn encode(tools: &[ToolSpec]) -> Value {
    tools
        .iter()
        .map(|tool| {
            json!({"type": "function", "name": tool.name, "description": tool.description,
                   "parameters": tool.input_schema, "strict": tool.strict})
        })
        .collect()
}

pub(super) fn encode_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => function(name),
        ToolChoice::Allowed { required, names } => {
            let mode = if *required { "required" } else { "auto" };
            let tools: Value = names.iter().map(|name| function(name)).collect();
            json!({"type": "allowed_tools", "mode": mode, "tools": tools})
        }
    }
}

fn function(name: &str) -> Value {
    json!({"type": "function", "name": name})
}

pub(super) fn decode(fields: &Fields) -> Result<Vec<ToolSpec>, BadRequest> {
    fields.list("tools")?.into_iter().map(|(path, tool)| spec(&Fields::of(tool, path)?)).collect()
}

fn spec(tool: &Fields) -> Result<ToolSpec, BadRequest> {
    function_type(tool)?;
    Ok(ToolSpec {
        name: tool.required_string("name")?.to_owned(),
        description: tool.string("description")?.unwrap_or_default().to_owned(),
        input_schema: tool
            .get("parameters")
            .cloned()
            .unwrap_or_else(|| json!({"type": "object", "properties": {}})),
        strict: tool.boolean("strict")?,
    })
}

fn function_type(tool: &Fields) -> Result<(), BadRequest> {
    match tool.required_string("type")? {
        "function" => Ok(()),
        other => Err(tool.bad("type", format!("'{other}' is not supported; use 'function'"))),
    }
}

pub(super) fn decode_choice(fields: &Fields) -> Result<Option<ToolChoice>, BadRequest> {
    let Some(choice) = fields.get("tool_choice") else { return Ok(None) };
    let path = fields.path("tool_choice");
    let choice = match choice {
        Value::String(word) => match word.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            other => return Err(BadRequest::at(path, format!("'{other}' is no tool choice"))),
        },
        object => read_choice(&Fields::of(object, path)?)?,
    };
    Ok(Some(choice))
}

fn read_choice(choice: &Fields) -> Result<ToolChoice, BadRequest> {
    match choice.required_string("type")? {
        "function" => Ok(ToolChoice::Named(choice.required_string("name")?.to_owned())),
        "allowed_tools" => {
            let required = match choice.required_string("mode")? {
                "auto" => false,
                "required" => true,
                other => return Err(choice.bad("mode", format!("'{other}' is no mode"))),
            };
            let tools = choice.list("tools")?.into_iter();
            let names = tools.map(|(path, tool)| {
                Fields::of(tool, path)?.required_string("name").map(str::to_owned)
            });
            Ok(ToolChoice::Allowed { required, names: names.collect::<Result<_, _>>()? })
        }
        other => Err(choice.bad("type", format!("'{other}' is not supported"))),
    }
}
