//! Requests to Anthropic, encoded and decoded.

use serde_json::{Value, json};

use super::super::fields::Fields;
use super::super::object::present;
use super::super::{BadRequest, object};
use super::messages;
use crate::ir::{Request, ToolChoice, ToolSpec};

/// `max_tokens` is required; this is sent when the caller sets no limit.
const DEFAULT_MAX_TOKENS: u64 = 4096;

/// The top-level fields that have a place of their own in [`Request`].
const FIELDS: [&str; 7] =
    ["model", "max_tokens", "system", "tools", "tool_choice", "messages", "stream"];

const DISABLE_PARALLEL: &str = "disable_parallel_tool_use";

/// The body of a request.
pub(super) fn encode(request: &Request) -> Value {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
    });
    let tools: Vec<Value> = request.tools.iter().map(encode_tool).collect();
    let optional = [
        ("system", request.system.as_ref().map(|system| json!(system))),
        ("tools", (!tools.is_empty()).then(|| Value::Array(tools))),
        ("tool_choice", encode_choice(request)),
        ("messages", Some(Value::Array(messages::encode(&request.messages)))),
        ("stream", request.stream.then_some(Value::Bool(true))),
    ];
    object::merge(&mut body, &present(optional));
    object::merge(&mut body, &request.extra);
    body
}

fn encode_tool(tool: &ToolSpec) -> Value {
    let described = (!tool.description.is_empty()).then(|| json!(tool.description));
    Value::Object(present([
        ("name", Some(json!(tool.name))),
        ("description", described),
        ("input_schema", Some(tool.input_schema.clone())),
        ("strict", tool.strict.map(Value::Bool)),
    ]))
}

fn encode_choice(request: &Request) -> Option<Value> {
    let mut choice = match &request.tool_choice {
        Some(choice) => choice_object(choice),
        None if request.parallel.is_some() && !request.tools.is_empty() => json!({"type": "auto"}),
        None => return None,
    };
    let switchable = request.tool_choice != Some(ToolChoice::None);
    if let (true, Some(parallel), Value::Object(fields)) =
        (switchable, request.parallel, &mut choice)
    {
        fields.insert(DISABLE_PARALLEL.to_owned(), Value::Bool(!parallel));
    }
    Some(choice)
}

fn choice_object(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto | ToolChoice::Allowed { required: false, .. } => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Allowed { required: true, names } => match names.as_slice() {
            [name] => json!({"type": "tool", "name": name}),
            _ => json!({"type": "any"}),
        },
    }
}

/// The request in a body.
pub(super) fn decode(body: &Value) -> Result<Request, BadRequest> {
    let fields = Fields::of_body(body)?;
    let (tool_choice, parallel) = match fields.object("tool_choice")? {
        Some(choice) => decode_choice(&choice)?,
        None => (None, None),
    };
    let tools = fields.list("tools")?;
    let messages::Conversation { messages, instructions } = messages::decode(&fields)?;
    Ok(Request {
        model: fields.required_string("model")?.to_owned(),
        system: with_instructions(decode_system(&fields)?, instructions),
        messages,
        tools: tools
            .iter()
            .map(|(path, tool)| decode_tool(path, tool))
            .collect::<Result<_, _>>()?,
        tool_choice,
        parallel,
        stream: fields.boolean("stream")?.unwrap_or(false),
        max_tokens: fields.count("max_tokens")?,
        extra: fields.except(&FIELDS),
    })
}

/// Instructions in the middle of a conversation are read as more lines of the system prompt.
fn with_instructions(system: Option<String>, instructions: Vec<String>) -> Option<String> {
    let all: Vec<String> = system.into_iter().chain(instructions).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// A string, or text blocks, which become lines of one string.
fn decode_system(fields: &Fields<'_>) -> Result<Option<String>, BadRequest> {
    match fields.get("system") {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => {
            let blocks = fields.list("system")?;
            let texts: Result<Vec<&str>, _> = blocks
                .iter()
                .map(|(path, block)| Fields::of(block, path.as_str())?.required_string("text"))
                .collect();
            texts.map(|texts| Some(texts.join("\n")))
        }
    }
}

fn decode_tool(path: &str, tool: &Value) -> Result<ToolSpec, BadRequest> {
    let fields = Fields::of(tool, path)?;
    match fields.string("type")? {
        None | Some("custom") => {}
        Some(other) => return Err(fields.bad("type", format!("'{other}' runs at the provider"))),
    }
    let schema = fields.get("input_schema").filter(|schema| schema.is_object());
    Ok(ToolSpec {
        name: fields.required_string("name")?.to_owned(),
        description: fields.string("description")?.unwrap_or_default().to_owned(),
        input_schema: schema
            .ok_or_else(|| fields.bad("input_schema", "expected an object"))?
            .clone(),
        strict: fields.boolean("strict")?,
    })
}

type DecodedChoice = (Option<ToolChoice>, Option<bool>);

fn decode_choice(fields: &Fields<'_>) -> Result<DecodedChoice, BadRequest> {
    let choice = match fields.required_string("type")? {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Named(fields.required_string("name")?.to_owned()),
        other => {
            let problem = format!("'{other}' is none of auto, any, none, tool");
            return Err(fields.bad("type", problem));
        }
    };
    let disabled = fields.boolean(DISABLE_PARALLEL)?;
    Ok((Some(choice), disabled.map(|disabled| !disabled)))
}
