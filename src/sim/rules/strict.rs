//! Strict tools: the schemas that OpenAI's strict mode takes.

use serde_json::Value;

use super::complaint::Source::Seen;
use super::complaint::{Complaint, Violation};
use super::raw::text;

const OPEN_OBJECT: Complaint = Complaint::bad(
    Seen("lastmile-ai/openai-agents-mcp#2"), "Invalid schema for function '{name}': In context=({context}), 'additionalProperties' is required to be supplied and to be false.",
)
.param("{param}")
.code("invalid_function_parameters");
const OPTIONAL_KEY: Complaint = Complaint::bad(
    Seen("agentscope-ai/agentscope-java#2548"), "Invalid schema for function '{name}': In context=({context}), 'required' is required to be supplied and to be an array including every key in properties. Missing '{key}'.",
)
.param("{param}")
.code("invalid_function_parameters");

/// Checks the parameters of a strict tool; `param` is where they stand in the request.
pub(super) fn check(tool: &Value, param: &str) -> Result<(), Violation> {
    let schema = tool.get("parameters").unwrap_or(&Value::Null);
    check_schema(schema, &mut Vec::new(), &[("name", text(tool, "name")), ("param", param)])
}

/// Every object must be closed and require all of its keys, however deep it stands.
fn check_schema(
    schema: &Value,
    path: &mut Vec<String>,
    about: &[(&str, &str)],
) -> Result<(), Violation> {
    let properties = schema.get("properties").and_then(Value::as_object);
    if schema.get("type").is_some_and(|kind| kind == "object") || properties.is_some() {
        check_closed(schema, path, about)?;
    }
    for (key, inner) in properties.into_iter().flatten() {
        descend(inner, ["properties", key], path, about)?;
    }
    if let Some(items) = schema.get("items") {
        path.push("items".to_owned());
        check_schema(items, path, about)?;
        path.pop();
    }
    for (place, branch) in
        schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        descend(branch, ["anyOf", &place.to_string()], path, about)?;
    }
    for (key, inner) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        descend(inner, ["$defs", key], path, about)?;
    }
    Ok(())
}

fn descend(
    inner: &Value,
    step: [&str; 2],
    path: &mut Vec<String>,
    about: &[(&str, &str)],
) -> Result<(), Violation> {
    path.extend(step.map(str::to_owned));
    check_schema(inner, path, about)?;
    path.truncate(path.len() - step.len());
    Ok(())
}

fn check_closed(schema: &Value, path: &[String], about: &[(&str, &str)]) -> Result<(), Violation> {
    let context = path.iter().map(|step| format!("'{step}'")).collect::<Vec<_>>().join(", ");
    let mut blanks = about.to_vec();
    blanks.push(("context", &context));
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Err(OPEN_OBJECT.about(&blanks));
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |key: &str| required.is_some_and(|keys| keys.iter().any(|k| k == key));
    let properties = schema.get("properties").and_then(Value::as_object);
    let optional =
        properties.into_iter().flatten().map(|(key, _)| key).find(|key| !is_required(key));
    match optional {
        None => Ok(()),
        Some(key) => {
            blanks.push(("key", key));
            Err(OPTIONAL_KEY.about(&blanks))
        }
    }
}
