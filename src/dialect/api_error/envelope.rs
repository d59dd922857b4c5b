//! The envelopes that providers put errors in, read into one structure.

use serde_json::Value;

use super::Envelope;
use crate::ir::Object;

/// What an error body says, before anything is known of the response around it.
#[derive(Debug)]
pub(super) struct ErrorFields {
    pub(super) envelope: Envelope,
    pub(super) kind: Option<String>,
    pub(super) code: Option<String>,
    pub(super) param: Option<String>,
    pub(super) message: Option<String>,
    pub(super) failed_generation: Option<String>,
}

impl ErrorFields {
    /// A body that says nothing that is understood.
    pub(super) fn unknown() -> Self {
        Self::text(Envelope::Unknown, "")
    }

    fn text(envelope: Envelope, message: &str) -> Self {
        Self {
            envelope,
            kind: None,
            code: None,
            param: None,
            message: Some(message.to_owned()).filter(|text| !text.is_empty()),
            failed_generation: None,
        }
    }
}

/// Keys that only replies have.
const REPLY_KEYS: [&str; 4] = ["choices", "candidates", "output", "content"];

/// Reads an error from a payload that may as well be a reply.
pub(super) fn read_claimed(payload: &Value) -> Option<ErrorFields> {
    let claims = match payload {
        Value::Array(items) => items.len() == 1 && items.iter().any(claims_error),
        other => claims_error(other),
    };
    claims.then(|| read(payload)).flatten()
}

fn claims_error(payload: &Value) -> bool {
    let Some(object) = payload.as_object() else { return false };
    let says = |key: &str, words: &[&str]| text_of(object, key).is_some_and(|w| words.contains(&w));
    let reply = REPLY_KEYS.iter().any(|key| object.contains_key(*key));
    let flat = text_of(object, "message").is_some() || object.contains_key("detail");
    object.get("error").is_some_and(is_said)
        || says("type", &["error", "response.failed"])
        || says("object", &["error"])
        || (flat && !reply)
}

/// Whether a value is more than a placeholder for "no error".
fn is_said(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

/// Reads an error from a payload that is known to be one.
pub(super) fn read(payload: &Value) -> Option<ErrorFields> {
    match payload {
        Value::Array(items) => {
            let reading = items.first().and_then(read)?;
            Some(ErrorFields { envelope: Envelope::Array, ..reading })
        }
        Value::Object(object) => read_object(object),
        _ => None,
    }
}

fn read_object(object: &Object) -> Option<ErrorFields> {
    if text_of(object, "type") == Some("response.failed") {
        return Some(read_failed_response(object));
    }
    match object.get("error") {
        Some(Value::Object(error)) if !error.is_empty() => {
            Some(read_detailed(error, Envelope::Nested))
        }
        Some(Value::String(text)) if !text.is_empty() => Some(error_text(object, text)),
        _ => read_flat(object),
    }
}

/// `response.failed`: the error sits in the response, or nowhere.
fn read_failed_response(event: &Object) -> ErrorFields {
    match event.get("response").and_then(|response| response.get("error")) {
        Some(Value::Object(error)) => read_detailed(error, Envelope::Nested),
        _ => ErrorFields::text(Envelope::Nested, "the response failed and no error was given"),
    }
}

/// `error` is a text: alone, beside a `code`, or beside a longer `message`.
fn error_text(object: &Object, text: &str) -> ErrorFields {
    if let Some(message) = text_of(object, "message") {
        let kind = Some(text.to_owned());
        return ErrorFields {
            kind,
            message: Some(message.to_owned()),
            ..fields(object, Envelope::Flat)
        };
    }
    let envelope = if object.contains_key("code") { Envelope::Flat } else { Envelope::Text };
    ErrorFields { message: Some(text.to_owned()), kind: None, ..fields(object, envelope) }
}

/// The fields stand at the top.
fn read_flat(object: &Object) -> Option<ErrorFields> {
    match (object.get("message"), object.get("detail")) {
        (Some(Value::Object(inner)), _) if inner.contains_key("error") => read_object(inner),
        (Some(Value::Object(_) | Value::String(_)), _) | (_, Some(_)) => {
            Some(read_detailed(object, Envelope::Flat))
        }
        _ => None,
    }
}

/// Everything an error object can hold.
fn read_detailed(error: &Object, envelope: Envelope) -> ErrorFields {
    let mut reading = fields(error, envelope);
    let detail = error.get("detail").or_else(|| error.get("message")?.get("detail"));
    if let (None, Some(detail)) = (&reading.message, detail) {
        add_detail(&mut reading, detail);
    }
    if let Some(upstream) = error.get("metadata").and_then(|metadata| metadata.get("raw")) {
        add_upstream(&mut reading, upstream);
    }
    reading
}

fn fields(error: &Object, envelope: Envelope) -> ErrorFields {
    // An outer `type` of "error" tells the event, not the kind of error.
    let kind = [text_of(error, "type").filter(|kind| *kind != "error"), text_of(error, "status")];
    ErrorFields {
        envelope,
        kind: kind.into_iter().flatten().next().map(str::to_owned),
        code: error.get("code").and_then(as_code).or_else(|| as_code(error.get("http_code")?)),
        param: text_of(error, "param")
            .filter(|param| *param != "None")
            .map(str::to_owned)
            .or_else(|| violated_field(error)),
        message: text_of(error, "message").map(str::to_owned),
        failed_generation: text_of(error, "failed_generation").map(str::to_owned),
    }
}

/// `FastAPI`'s detail: a text, a list of violations, or an error object of the application.
fn add_detail(reading: &mut ErrorFields, detail: &Value) {
    match detail {
        Value::String(text) => reading.message = Some(text.clone()),
        Value::Array(items) => {
            let lines: Vec<String> = items.iter().map(describe_violation).collect();
            reading.message = Some(lines.join("; ")).filter(|text| !text.is_empty());
            let first = items.first().and_then(Value::as_object);
            reading.param = first.and_then(|item| location(item.get("loc")?));
            let kind = first.and_then(|item| text_of(item, "type"));
            reading.kind = reading.kind.take().or_else(|| kind.map(str::to_owned));
        }
        Value::Object(inner) => {
            if let Some(inner) = read_object(inner) {
                *reading = ErrorFields { envelope: reading.envelope, ..inner };
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn describe_violation(item: &Value) -> String {
    let message = item.get("msg").and_then(Value::as_str);
    match (item.get("loc").and_then(location), message) {
        (Some(place), Some(message)) => format!("{place}: {message}"),
        (None, Some(message)) => message.to_owned(),
        (_, None) => item.to_string(),
    }
}

fn location(loc: &Value) -> Option<String> {
    let steps: Vec<String> = loc.as_array()?.iter().filter_map(as_code).collect();
    Some(steps.join(".")).filter(|place| !place.is_empty())
}

/// A gateway's `metadata.raw`: what the endpoint behind it said.
fn add_upstream(reading: &mut ErrorFields, raw: &Value) {
    let Some(text) = raw.as_str().filter(|text| !text.trim().is_empty()) else { return };
    let upstream = serde_json::from_str(text).ok().as_ref().and_then(read);
    let (said, generation) = upstream.map_or((None, None), |u| (u.message, u.failed_generation));
    let said = said.unwrap_or_else(|| text.to_owned());
    reading.message = Some(match reading.message.take() {
        Some(message) => format!("{message}: {said}"),
        None => said,
    });
    reading.failed_generation = reading.failed_generation.take().or(generation);
}

/// Google names the field at fault in its details.
fn violated_field(error: &Object) -> Option<String> {
    let details = error.get("details")?.as_array()?;
    let violations = details.iter().filter_map(|detail| detail.get("fieldViolations")?.as_array());
    let field = violations.flatten().find_map(|violation| violation.get("field")?.as_str());
    field.map(str::to_owned)
}

fn text_of<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn as_code(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
