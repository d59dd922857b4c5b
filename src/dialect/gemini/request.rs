//! Requests to Gemini, encoded and decoded.

use serde_json::{Value, json};

use super::super::fields::Fields;
use super::super::object::present;
use super::super::{BadRequest, Route, object};
use super::{contents, schema};
use crate::ir::{Object, Request, ToolChoice, ToolSpec};

/// The top-level fields that have a place of their own in [`Request`], or in the path.
const FIELDS: [&str; 6] =
    ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "model"];

/// The field that takes JSON Schema, and the older one that takes Google's own notation, in which plain
/// JSON Schema can be read as well.
const SCHEMA_FIELD: &str = "parametersJsonSchema";
const OLDER_SCHEMA_FIELD: &str = "parameters";

/// The body of a request; model and stream flag are in its path.
pub(super) fn encode(request: &Request) -> Value {
    encode_with(request, SCHEMA_FIELD)
}

/// The same for endpoints that read only the older field.
pub(super) fn encode_older(request: &Request) -> Value {
    encode_with(request, OLDER_SCHEMA_FIELD)
}

fn encode_with(request: &Request, field: &'static str) -> Value {
    let declarations: Vec<Value> =
        request.tools.iter().map(|tool| encode_tool(tool, field)).collect();
    let system = request.system.as_ref();
    let mode = encode_choice(request);
    let mut body = Value::Object(present([
        ("systemInstruction", system.map(|text| json!({"parts": [{"text": text}]}))),
        ("contents", Some(Value::Array(contents::encode(&request.messages)))),
        (
            "tools",
            (!declarations.is_empty()).then(|| json!([{"functionDeclarations": declarations}])),
        ),
        ("toolConfig", mode.map(|mode| json!({"functionCallingConfig": mode}))),
        ("generationConfig", request.max_tokens.map(|limit| json!({"maxOutputTokens": limit}))),
    ]));
    object::merge(&mut body, &request.extra);
    body
}

fn encode_tool(tool: &ToolSpec, field: &'static str) -> Value {
    let described = (!tool.description.is_empty()).then(|| json!(tool.description));
    Value::Object(present([
        ("name", Some(json!(tool.name))),
        ("description", described),
        (field, Some(tool.input_schema.clone())),
    ]))
}

fn encode_choice(request: &Request) -> Option<Value> {
    let strict =
        !request.tools.is_empty() && request.tools.iter().all(|tool| tool.strict == Some(true));
    let config = |mode: &str, names: &[String]| {
        let names = (!names.is_empty()).then(|| json!(names));
        Value::Object(present([("mode", Some(json!(mode))), ("allowedFunctionNames", names)]))
    };
    match &request.tool_choice {
        None | Some(ToolChoice::Auto) if strict => Some(config("VALIDATED", &[])),
        None => None,
        Some(ToolChoice::Auto) => Some(config("AUTO", &[])),
        Some(ToolChoice::None) => Some(config("NONE", &[])),
        Some(ToolChoice::Required) => Some(config("ANY", &[])),
        Some(ToolChoice::Named(name)) => Some(config("ANY", std::slice::from_ref(name))),
        Some(ToolChoice::Allowed { required: true, names }) => Some(config("ANY", names)),
        Some(ToolChoice::Allowed { required: false, names }) => Some(config("VALIDATED", names)),
    }
}

/// The request in a body and its path.
pub(super) fn decode(body: &Value, route: &Route) -> Result<Request, BadRequest> {
    let fields = Fields::of_body(body)?;
    let mut extra = fields.except(&FIELDS);
    let DecodedChoice { tool_choice, strict } = decode_choice(&fields, &mut extra)?;
    let mut tools = decode_tools(&fields)?;
    for tool in &mut tools {
        tool.strict = strict.then_some(true);
    }
    Ok(Request {
        model: decode_model(&fields, route)?,
        system: decode_system(&fields)?,
        messages: contents::decode(&fields)?,
        tools,
        tool_choice,
        parallel: None,
        stream: route.stream.unwrap_or(false),
        max_tokens: decode_limit(&fields, &mut extra)?,
        extra,
    })
}

fn decode_model(fields: &Fields<'_>, route: &Route) -> Result<String, BadRequest> {
    if let Some(model) = &route.model {
        return Ok(model.clone());
    }
    let named = fields.required_string("model")?;
    Ok(named.strip_prefix("models/").unwrap_or(named).to_owned())
}

/// The texts of the instruction, as lines of one string.
fn decode_system(fields: &Fields<'_>) -> Result<Option<String>, BadRequest> {
    let Some(content) = fields.object("systemInstruction")? else { return Ok(None) };
    let parts = content.list("parts")?;
    let texts: Result<Vec<&str>, _> = parts
        .iter()
        .map(|(path, part)| Fields::of(part, path.as_str())?.required_string("text"))
        .collect();
    texts.map(|texts| Some(texts.join("\n")))
}

fn decode_limit(fields: &Fields<'_>, extra: &mut Object) -> Result<Option<u64>, BadRequest> {
    let Some(config) = fields.object("generationConfig")? else { return Ok(None) };
    keep(extra, "generationConfig", config.except(&["maxOutputTokens"]));
    config.count("maxOutputTokens")
}

/// Keeps what is left of an object that the dialect reads in part.
fn keep(extra: &mut Object, key: &str, rest: Object) {
    if !rest.is_empty() {
        extra.insert(key.to_owned(), Value::Object(rest));
    }
}

fn decode_tools(fields: &Fields<'_>) -> Result<Vec<ToolSpec>, BadRequest> {
    let mut tools = Vec::new();
    for (path, tool) in fields.list("tools")? {
        let tool = Fields::of(tool, path)?;
        if let Some(other) = tool.except(&["functionDeclarations"]).keys().next() {
            return Err(tool.bad(other, "runs at the provider"));
        }
        for (path, declaration) in tool.list("functionDeclarations")? {
            tools.push(decode_tool(&Fields::of(declaration, path)?)?);
        }
    }
    Ok(tools)
}

fn decode_tool(fields: &Fields<'_>) -> Result<ToolSpec, BadRequest> {
    let input_schema = match (fields.get("parametersJsonSchema"), fields.get("parameters")) {
        (Some(_), Some(_)) => {
            let problem = "excludes parametersJsonSchema; set one of them";
            return Err(fields.bad("parameters", problem));
        }
        (Some(schema), None) => schema.clone(),
        (None, Some(google)) => schema::to_json_schema(google),
        (None, None) => schema::of_nothing(),
    };
    Ok(ToolSpec::new(
        fields.required_string("name")?,
        fields.string("description")?.unwrap_or_default(),
        input_schema,
    ))
}

#[derive(Default)]
struct DecodedChoice {
    tool_choice: Option<ToolChoice>,
    /// The mode that holds the model to every schema.
    strict: bool,
}

fn decode_choice(fields: &Fields<'_>, extra: &mut Object) -> Result<DecodedChoice, BadRequest> {
    let Some(config) = fields.object("toolConfig")? else { return Ok(DecodedChoice::default()) };
    let mut rest = config.except(&["functionCallingConfig"]);
    let choice = match config.object("functionCallingConfig")? {
        None => DecodedChoice::default(),
        Some(calling) => {
            let known = ["mode", "allowedFunctionNames"];
            keep(&mut rest, "functionCallingConfig", calling.except(&known));
            decode_mode(&calling)?
        }
    };
    keep(extra, "toolConfig", rest);
    Ok(choice)
}

fn decode_mode(fields: &Fields<'_>) -> Result<DecodedChoice, BadRequest> {
    let mut names = Vec::new();
    for (path, name) in fields.list("allowedFunctionNames")? {
        let name = name.as_str().ok_or_else(|| BadRequest::at(path, "expected a string"))?;
        names.push(name.to_owned());
    }
    let mode = fields.string("mode")?.unwrap_or("MODE_UNSPECIFIED");
    let tool_choice = match (mode, names.as_slice()) {
        ("MODE_UNSPECIFIED", _) => None,
        ("NONE", _) => Some(ToolChoice::None),
        ("AUTO", _) | ("VALIDATED", []) => Some(ToolChoice::Auto),
        ("VALIDATED", _) => Some(ToolChoice::Allowed { required: false, names }),
        ("ANY", []) => Some(ToolChoice::Required),
        ("ANY", [name]) => Some(ToolChoice::Named(name.clone())),
        ("ANY", _) => Some(ToolChoice::Allowed { required: true, names }),
        (other, _) => {
            let problem = format!("'{other}' is none of AUTO, ANY, NONE, VALIDATED");
            return Err(fields.bad("mode", problem));
        }
    };
    let strict = mode == "VALIDATED" && tool_choice == Some(ToolChoice::Auto);
    Ok(DecodedChoice { tool_choice, strict })
}
