//! Which calls does a JSON value hold?
//!
//! Models mix up each other's key names, so all spellings are read everywhere; what differs from
//! family to family is only where the value stands.

use serde_json::Value;

use super::catalog::Catalog;
use super::literal;
use super::parsed::{ProblemCode, Repair};
use crate::ir::Object;

/// A call before it is known where it stood.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Draft {
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
pub(crate) fn calls(value: &Value) -> Vec<Result<Draft, Refusal>> {
    let Some(object) = value.as_object() else {
        return vec![Err((ProblemCode::InvalidJson, "a call must be a JSON object".to_owned()))];
    };
    if let Some(calls) = object.get("tool_calls").and_then(Value::as_array) {
        return calls.iter().flat_map(self::calls).collect();
    }
    if let Some(inner) = object.get("function_call").or_else(|| object.get("function"))
        && inner.is_object()
    {
        let mut inner = self::calls(inner);
        inner.iter_mut().flatten().for_each(|call| call.id = call.id.take().or_else(|| id(object)));
        return inner;
    }
    vec![one(object)]
}

fn one(object: &Object) -> Result<Draft, Refusal> {
    let named = NAMES.iter().chain(&["function"]).find_map(|key| object.get(*key)?.as_str());
    let given = ARGUMENTS.iter().find_map(|key| object.get(*key));
    let (name, given) = match (named.filter(|name| !name.trim().is_empty()), given) {
        (Some(name), given) => (name, given),
        (None, _) => one_key(object)
            .ok_or_else(|| (ProblemCode::MissingName, "the call has no \"name\"".to_owned()))?,
    };
    let (input, repairs) = arguments(given)?;
    Ok(Draft { name: name.trim().to_owned(), id: id(object), input, repairs })
}

/// `{"NAME": {…}}`
fn one_key(object: &Object) -> Option<(&str, Option<&Value>)> {
    let mut members = object.iter();
    let (name, value) = members.next()?;
    let known = NAMES.iter().chain(&ARGUMENTS).any(|key| key == name);
    (members.next().is_none() && !known && !name.is_empty() && value.is_object())
        .then_some((name, Some(value)))
}

fn id(object: &Object) -> Option<String> {
    IDS.iter().find_map(|key| match object.get(*key)? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    })
}

/// Whether a value without a marker is a call of an offered tool, and not a declaration or data.
pub(crate) fn offered(value: &Value, catalog: &Catalog) -> bool {
    let calls = calls(value);
    let known =
        |call: &Result<Draft, Refusal>| call.as_ref().is_ok_and(|call| catalog.offers(&call.name));
    !calls.is_empty() && calls.iter().all(known) && !is_declaration(value)
}

fn is_declaration(value: &Value) -> bool {
    let declares = ["input_schema", "description", "inputSchema"];
    let inner = value.get("function").filter(|inner| inner.is_object()).unwrap_or(value);
    let Some(object) = inner.as_object() else { return true };
    let wrapped = ["tool_calls", "function_call"].iter().any(|key| object.contains_key(*key));
    let given = ARGUMENTS.iter().any(|key| object.contains_key(*key)) || one_key(object).is_some();
    let schema = object.get("parameters").is_some_and(|p| {
        p.get("type").and_then(Value::as_str) == Some("object") && p.get("properties").is_some()
    });
    declares.iter().any(|key| object.contains_key(*key)) || schema || !(given || wrapped)
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
