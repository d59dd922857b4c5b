//! Checks of Gemini.

use serde_json::Value;

use super::complaint::Source::{Invented, Seen};
use super::complaint::{Complaint, Violation};
use super::raw::{either, is_name, list, text};
use crate::sim::seal::Seal;

/// Whether the first call of each step needs its signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signatures {
    /// From Gemini 3 on.
    Required,
    /// Up to 2.5.
    Optional,
}

/// Runs all checks; the first complaint counts.
pub(super) fn run(signatures: Signatures, body: &Value) -> Result<(), Violation> {
    check_contents(body)?;
    check_declarations(body)?;
    check_config(body)?;
    check_results(body)?;
    check_pairing(body)?;
    match signatures {
        Signatures::Required => check_signatures(body),
        Signatures::Optional => Ok(()),
    }
}

const NO_CONTENTS: Complaint =
    Complaint::bad(Invented, "* GenerateContentRequest.contents: contents is not specified\n");
const ROLE: Complaint = Complaint::bad(
    Seen("langgenius/dify-official-plugins#566"),
    "Please use a valid role: user, model.",
);

fn check_contents(body: &Value) -> Result<(), Violation> {
    let contents = list(body, "contents");
    if contents.is_empty() {
        return Err(NO_CONTENTS.about(&[]));
    }
    let valid = |content: &Value| matches!(text(content, "role"), "" | "user" | "model");
    if contents.iter().all(valid) { Ok(()) } else { Err(ROLE.about(&[])) }
}

const MOST_NAME: usize = 128;
const NAME: Complaint = Complaint::bad(
    Seen("AstrBotDevs/AstrBot#5416"),
    "* GenerateContentRequest.tools[{t}].function_declarations[{n}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.",
);
const BOTH_SCHEMAS: Complaint = Complaint::bad(
    Invented,
    "* GenerateContentRequest.tools[{t}].function_declarations[{n}]: only one of parameters and parameters_json_schema may be set.",
);

fn tools(body: &Value) -> impl Iterator<Item = (usize, usize, &Value)> {
    list(body, "tools").iter().enumerate().flat_map(|(t, tool)| {
        let declarations = either(tool, ["functionDeclarations", "function_declarations"]);
        let declarations = declarations.and_then(Value::as_array).into_iter().flatten();
        declarations.enumerate().map(move |(n, declaration)| (t, n, declaration))
    })
}

fn check_declarations(body: &Value) -> Result<(), Violation> {
    for (t, n, tool) in tools(body) {
        let (t, n) = (t.to_string(), n.to_string());
        let blanks = [("t", &*t), ("n", &*n)];
        let name = text(tool, "name");
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !(starts && is_name(name, MOST_NAME, "_.:-")) {
            return Err(NAME.about(&blanks));
        }
        let json_schema = either(tool, ["parametersJsonSchema", "parameters_json_schema"]);
        match (tool.get("parameters"), json_schema) {
            (Some(_), Some(_)) => return Err(BOTH_SCHEMAS.about(&blanks)),
            (Some(schema), None) => {
                let place = format!("tools[{t}].function_declarations[{n}].parameters");
                check_known_keywords(schema, &place)?;
            }
            (None, _) => {}
        }
    }
    Ok(())
}

/// The keywords of Gemini's own schema type, which is a part of `OpenAPI`'s.
const KEYWORDS: [&str; 25] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "minProperties",
    "maxProperties",
    "required",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
    "default",
    "example",
    "propertyOrdering",
    "$defs",
    "$ref",
    "additionalProperties",
];
const UNKNOWN_KEYWORD: Complaint = Complaint::bad(
    Seen("zed-industries/zed#44875"),
    "Invalid JSON payload received. Unknown name \"{key}\" at '{place}': Cannot find field.",
);
const TYPE_LIST: Complaint = Complaint::bad(
    Seen("zed-industries/zed#53919"),
    "Invalid JSON payload received. Unknown name \"type\" at '{place}': Proto field is not repeating, cannot start list.",
);

fn check_known_keywords(schema: &Value, place: &str) -> Result<(), Violation> {
    let Some(object) = schema.as_object() else { return Ok(()) };
    for (key, value) in object {
        if !is_keyword(key) {
            return Err(UNKNOWN_KEYWORD.about(&[("key", key), ("place", place)]));
        }
        match (key.as_str(), value) {
            ("type", Value::Array(_)) => return Err(TYPE_LIST.about(&[("place", place)])),
            ("items", inner) => check_known_keywords(inner, &format!("{place}.items"))?,
            ("anyOf" | "any_of", Value::Array(branches)) => {
                for (n, branch) in branches.iter().enumerate() {
                    check_known_keywords(branch, &format!("{place}.any_of[{n}]"))?;
                }
            }
            ("properties", Value::Object(properties)) => {
                for (n, (_, inner)) in properties.iter().enumerate() {
                    check_known_keywords(inner, &format!("{place}.properties[{n}].value"))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Field names are read in camel case and in snake case.
fn is_keyword(key: &str) -> bool {
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    KEYWORDS.iter().any(|keyword| plain(keyword) == plain(key))
}

const CONFIG_WITHOUT_TOOLS: Complaint = Complaint::bad(
    Seen("UKGovernmentBEIS/inspect_ai#2462"),
    "Function calling config is set without function_declarations.",
);

fn check_config(body: &Value) -> Result<(), Violation> {
    let config = either(body, ["toolConfig", "tool_config"])
        .and_then(|config| either(config, ["functionCallingConfig", "function_calling_config"]));
    let forces = config.is_some_and(|config| matches!(text(config, "mode"), "ANY" | "VALIDATED"));
    if forces && tools(body).next().is_none() {
        return Err(CONFIG_WITHOUT_TOOLS.about(&[]));
    }
    Ok(())
}

fn parts(content: &Value) -> impl Iterator<Item = &Value> {
    list(content, "parts").iter()
}

fn call(part: &Value) -> Option<&Value> {
    either(part, ["functionCall", "function_call"])
}

fn result(part: &Value) -> Option<&Value> {
    either(part, ["functionResponse", "function_response"])
}

const RESPONSE_TYPE: Complaint = Complaint::bad(
    Invented,
    "Invalid value at 'contents[{n}].parts[{m}].function_response.response' (type.googleapis.com/google.protobuf.Struct), {value}",
);

fn check_results(body: &Value) -> Result<(), Violation> {
    for (n, content) in list(body, "contents").iter().enumerate() {
        for (m, part) in parts(content).enumerate() {
            let response = result(part).and_then(|result| result.get("response"));
            if let Some(value) = response.filter(|value| !value.is_object()) {
                let (n, m, value) = (n.to_string(), m.to_string(), value.to_string());
                return Err(RESPONSE_TYPE.about(&[("n", &n), ("m", &m), ("value", &value)]));
            }
        }
    }
    Ok(())
}

const COUNT: Complaint = Complaint::bad(
    Seen("google-gemini/gemini-cli#16984"),
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
);
const CALL_TURN: Complaint = Complaint::bad(
    Seen("continuedev/continue#11164"),
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
);
const RESPONSE_TURN: Complaint = Complaint::bad(
    Seen("langchain-ai/langchain#27799"),
    "Please ensure that function response turn comes immediately after a function call turn.",
);

/// One side's contents that follow each other: a streamed reply comes back as one content per
/// chunk, and counts as one turn.
struct RoleTurn<'a> {
    is_model: bool,
    /// The parts, each with the place of its content.
    parts: Vec<(usize, &'a Value)>,
}

impl<'a> RoleTurn<'a> {
    fn calls(&self) -> impl Iterator<Item = (usize, &'a Value, &'a Value)> {
        self.parts.iter().filter_map(|(n, part)| Some((*n, *part, call(part)?)))
    }

    fn results(&self) -> usize {
        self.parts.iter().filter_map(|(_, part)| result(part)).count()
    }
}

fn turns(body: &Value) -> Vec<RoleTurn<'_>> {
    let mut turns: Vec<RoleTurn<'_>> = Vec::new();
    for (n, content) in list(body, "contents").iter().enumerate() {
        let is_model = text(content, "role") == "model";
        let parts = parts(content).map(|part| (n, part));
        match turns.last_mut() {
            Some(turn) if turn.is_model && is_model => turn.parts.extend(parts),
            _ => turns.push(RoleTurn { is_model, parts: parts.collect() }),
        }
    }
    turns
}

fn check_pairing(body: &Value) -> Result<(), Violation> {
    let mut open = 0;
    for (place, turn) in turns(body).iter().enumerate() {
        let calls = turn.calls().count();
        if turn.results() > 0 && open == 0 {
            return Err(RESPONSE_TURN.about(&[]));
        }
        if open != turn.results() {
            return Err(COUNT.about(&[]));
        }
        if calls > 0 && place == 0 {
            return Err(CALL_TURN.about(&[]));
        }
        open = calls;
    }
    if open > 0 { Err(COUNT.about(&[])) } else { Ok(()) }
}

const UNSIGNED: Complaint = Complaint::bad(
    Seen("lbjlaq/Antigravity-Manager#733"),
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {n}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
);
const CORRUPTED: Complaint =
    Complaint::bad(Seen("google-gemini/gemini-cli#13467"), "Corrupted thought signature.");
/// The documented value for histories that another model wrote.
const BYPASS: &str = "skip_thought_signature_validator";

/// Looks back to the last thing that the person said, and no further.
fn check_signatures(body: &Value) -> Result<(), Violation> {
    let turns = turns(body);
    let start = turns.iter().rposition(|turn| !turn.is_model && turn.results() == 0).unwrap_or(0);
    for turn in turns.iter().skip(start) {
        let Some((n, part, call)) = turn.calls().next() else { continue };
        let signature = either(part, ["thoughtSignature", "thought_signature"])
            .and_then(Value::as_str)
            .unwrap_or_default();
        if signature.is_empty() {
            let position = (n + 1).to_string();
            return Err(UNSIGNED.about(&[("name", text(call, "name")), ("n", &position)]));
        }
        if signature != BYPASS && !Seal::Thought.is_genuine(signature) {
            return Err(CORRUPTED.about(&[]));
        }
    }
    Ok(())
}
