//! The calls in a JSON value: who is called, with which id and which arguments.
//!
//! Models mix up each other's key names, so all spellings are read everywhere; the formats differ
//! only in where the value stands.

use serde_json::Value;

use super::literal;
use super::parsed::{ProblemCode, Repair};
use crate::ir::Object;
use crate::tools::Catalog;

/// A call before its place in the text is known.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct CallDraft {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) input: Object,
    pub(crate) repairs: Vec<Repair>,
}

/// Why a value is not a call.
pub(crate) type Refusal = (ProblemCode, String);

const NAMES: [&str; 4] = ["name", "tool_name", "tool", "action"];
const ARGUMENTS: [&str; 6] = ["arguments", "parameters", "args", "input", "params", "action_input"];
const IDS: [&str; 3] = ["id", "tool_call_id", "call_id"];

/// How far a value that stands without a marker is trusted to be a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// A marker says that this is a call: any name will do, and arguments may be left out.
    Marked,
    /// Nothing but its shape says so: the tool must have been offered, and arguments be there.
    Offered,
}

/// Reads arguments given as an object, as an encoded object, or not at all.
pub(crate) fn arguments(value: Option<&Value>) -> Result<(Object, Vec<Repair>), Refusal> {
    match value {
        None | Some(Value::Null) => Ok((Object::new(), Vec::new())),
        Some(Value::Object(object)) => Ok((object.clone(), Vec::new())),
        Some(Value::String(text)) if text.trim().is_empty() => Ok((Object::new(), Vec::new())),
        Some(Value::String(text)) => match literal::json(text) {
            Ok((Value::Object(object), repairs)) => Ok((object, repairs)),
            _ => Err(not_an_object("a string that does not hold one")),
        },
        Some(Value::Array(_)) => Err(not_an_object("a list")),
        Some(Value::Bool(_) | Value::Number(_)) => Err(not_an_object("a plain value")),
    }
}

fn not_an_object(found: &str) -> Refusal {
    let message = format!("the arguments must be a JSON object, but they are {found}");
    (ProblemCode::InvalidArguments, message)
}

/// The calls in one JSON value.
pub(crate) fn calls(value: &Value) -> Vec<Result<CallDraft, Refusal>> {
    bodies(value).into_iter().map(|(whole, body)| read_call(whole, body)).collect()
}

/// The objects in a value that name tools, each with what is wrapped round it.
fn bodies(value: &Value) -> Vec<(&Value, &Value)> {
    if let Some(calls) = value.get("tool_calls").and_then(Value::as_array) {
        return calls.iter().flat_map(bodies).collect();
    }
    let inner = value.get("function_call").or_else(|| value.get("function"));
    vec![(value, inner.filter(|inner| inner.is_object()).unwrap_or(value))]
}

fn read_call(whole: &Value, body: &Value) -> Result<CallDraft, Refusal> {
    let not_an_object = || (ProblemCode::InvalidJson, "a call must be a JSON object".to_owned());
    let object = body.as_object().ok_or_else(not_an_object)?;
    let named = NAMES.iter().chain(&["function"]).find_map(|key| object.get(*key)?.as_str());
    let given = ARGUMENTS.iter().find_map(|key| object.get(*key));
    let call = named.filter(|name| !name.trim().is_empty()).map(|name| (name, given));
    let unnamed = || (ProblemCode::MissingName, "the call has no \"name\"".to_owned());
    let (name, given) = call.or_else(|| one_key(object)).ok_or_else(unnamed)?;
    let (input, repairs) = arguments(given)?;
    Ok(CallDraft {
        name: name.trim().to_owned(),
        id: id(body).or_else(|| id(whole)),
        input,
        repairs,
    })
}

/// `{"NAME": {…}}`
fn one_key(object: &Object) -> Option<(&str, Option<&Value>)> {
    let mut members = object.iter();
    let (name, value) = members.next()?;
    let known = NAMES.iter().chain(&ARGUMENTS).any(|key| key == name);
    (members.next().is_none() && !known && !name.is_empty() && value.is_object())
        .then_some((name, Some(value)))
}

fn id(value: &Value) -> Option<String> {
    IDS.iter().find_map(|key| match value.get(*key)? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    })
}

/// Whether a value without a marker is a call of an offered tool, and not a declaration or data.
pub(crate) fn offered(value: &Value, catalog: &Catalog) -> bool {
    let bodies = bodies(value);
    let mut calls = bodies
        .iter()
        .map(|(whole, body)| read_call(whole, body).ok().filter(|_| has_arguments(body)));
    !bodies.is_empty() && calls.all(|call| call.is_some_and(|call| catalog.offers(&call.name)))
}

/// Whether there are arguments, and not the schema of some.
fn has_arguments(body: &Value) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| body.get(key).is_some());
    let schema = body.get("parameters").is_some_and(|parameters| {
        parameters.get("properties").is_some() && parameters.get("type").is_some()
    });
    let given = has(&ARGUMENTS) || body.as_object().and_then(one_key).is_some();
    given && !schema && !has(&["input_schema", "inputSchema", "description"])
}

/// Whether an object that starts with this key can be a call.
pub(crate) fn starts_call(key: &str, catalog: &Catalog) -> bool {
    let others = ["function", "function_call", "tool_calls", "type", "role", "content"];
    let mut keys = NAMES.iter().chain(&ARGUMENTS).chain(&IDS).chain(&others);
    keys.any(|known| *known == key) || catalog.offers(key)
}

/// The text of a whole assistant message that carries calls.
pub(crate) fn message_text(value: &Value) -> Option<&str> {
    value.get("role")?;
    value.get("content")?.as_str().filter(|text| !text.trim().is_empty())
}
