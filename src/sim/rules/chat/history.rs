//! Chat checks: roles, ids, fields and reasoning of the messages.

use serde_json::{Value, json};

use super::{calls, messages, role};
use crate::sim::rules::complaint::Source::{Invented, Seen};
use crate::sim::rules::complaint::{Complaint, Violation};
use crate::sim::rules::raw::{has, is_name, kind, list, text};

/// What a provider makes of `reasoning_content: ""`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum EmptyReasoning {
    /// It is enough.
    Accepted,
    /// It counts as missing.
    Refused,
}

const NO_MESSAGES: Complaint = Complaint::bad(Invented, "Missing required parameter: 'messages'.")
    .param("messages")
    .code("missing_required_parameter");
const EMPTY_MESSAGES: Complaint = Complaint::bad(
    Invented, "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
)
.param("messages")
.code("empty_array");

pub(super) fn check_messages_present(body: &Value) -> Result<(), Violation> {
    match body.get("messages").and_then(Value::as_array) {
        None => Err(NO_MESSAGES.about(&[])),
        Some(messages) if messages.is_empty() => Err(EMPTY_MESSAGES.about(&[])),
        Some(_) => Ok(()),
    }
}

pub(super) fn check_roles(
    body: &Value,
    known: &[&str],
    complaint: &Complaint,
) -> Result<(), Violation> {
    let Some((n, message)) = messages(body).find(|(_, m)| !known.contains(&role(m))) else {
        return Ok(());
    };
    let role = role(message);
    // Where a parser that reads the body as we would write it stands after the role.
    let written = body.to_string();
    let column = written.find(&format!("\"{role}\"")).map_or(0, |at| at + role.len() + 2);
    Err(complaint.about(&[("n", &n.to_string()), ("role", role), ("column", &column.to_string())]))
}

pub(super) fn check_assistant_says(body: &Value, complaint: &Complaint) -> Result<(), Violation> {
    let silent = messages(body).find(|(_, message)| {
        role(message) == "assistant"
            && !has(message, "content")
            && list(message, "tool_calls").is_empty()
            && !has(message, "function_call")
    });
    silent.map_or(Ok(()), |(n, _)| Err(complaint.at(n)))
}

const CONTENT_TYPE: Complaint = Complaint::bad(
    Invented, "Invalid type for 'messages[{n}].content': expected one of a string or array of objects, but got {kind} instead.",
)
.param("messages[{n}].content")
.code("invalid_type");

pub(super) fn check_content_types(body: &Value) -> Result<(), Violation> {
    let odd = messages(body).find_map(|(n, message)| match message.get("content") {
        None | Some(Value::Null | Value::String(_) | Value::Array(_)) => None,
        Some(other) => Some((n, kind(other))),
    });
    odd.map_or(
        Ok(()),
        |(n, kind)| Err(CONTENT_TYPE.about(&[("n", &n.to_string()), ("kind", kind)])),
    )
}

const ARGUMENTS_TYPE: Complaint = Complaint::bad(
    Invented, "Invalid type for 'messages[{n}].tool_calls[{m}].function.arguments': expected a string, but got {kind} instead.",
)
.param("messages[{n}].tool_calls[{m}].function.arguments")
.code("invalid_type");

pub(super) fn check_arguments_text(body: &Value) -> Result<(), Violation> {
    for (n, m, call) in calls(body) {
        let arguments = call.pointer("/function/arguments").unwrap_or(&Value::Null);
        if !arguments.is_string() {
            let (n, m) = (n.to_string(), m.to_string());
            let blanks = [("n", &*n), ("m", &*m), ("kind", kind(arguments))];
            return Err(ARGUMENTS_TYPE.about(&blanks));
        }
    }
    Ok(())
}

pub(super) fn check_arguments_json(body: &Value, complaint: &Complaint) -> Result<(), Violation> {
    for (n, _, call) in calls(body) {
        let arguments = call.pointer("/function/arguments").and_then(Value::as_str);
        let Some(Err(problem)) = arguments.map(serde_json::from_str::<Value>) else { continue };
        let (n, problem) = (n.to_string(), problem.to_string());
        return Err(complaint.about(&[("n", &n), ("id", text(call, "id")), ("problem", &problem)]));
    }
    Ok(())
}

const ID_TOO_LONG: Complaint = Complaint::bad(
    Seen("vercel/ai#5171"), "Invalid 'messages[{n}].tool_calls[{m}].id': string too long. Expected a string with maximum length {most}, but got a string with length {length} instead.",
)
.param("messages[{n}].tool_calls[{m}].id")
.code("string_above_max_length");

pub(super) fn check_id_length(body: &Value, most: usize) -> Result<(), Violation> {
    for (n, m, call) in calls(body) {
        let length = text(call, "id").chars().count();
        if length > most {
            let [n, m, most, length] = [n, m, most, length].map(|number| number.to_string());
            return Err(ID_TOO_LONG.about(&[
                ("n", &n),
                ("m", &m),
                ("most", &most),
                ("length", &length),
            ]));
        }
    }
    Ok(())
}

pub(super) fn check_nine_character_ids(
    body: &Value,
    complaint: &Complaint,
) -> Result<(), Violation> {
    let of_calls = calls(body).map(|(_, _, call)| text(call, "id"));
    let of_results = messages(body)
        .filter(|(_, message)| role(message) == "tool")
        .map(|(_, message)| text(message, "tool_call_id"));
    let odd = of_calls.chain(of_results).find(|id| id.len() != 9 || !is_name(id, 9, ""));
    odd.map_or(Ok(()), |id| Err(complaint.about(&[("id", id)])))
}

/// Mistral's order: results only after calls or results, no user right after a result, and no
/// system message later on.
pub(super) fn check_role_order(body: &Value, complaint: &Complaint) -> Result<(), Violation> {
    let pairs = messages(body).zip(messages(body).skip(1));
    for ((_, before), (_, after)) in pairs {
        let (was, is) = (role(before), role(after));
        let wrong = match (was, is) {
            ("assistant", "tool") => list(before, "tool_calls").is_empty(),
            ("tool", "user")
            | ("assistant", "assistant")
            | ("user" | "system", "tool")
            | ("user" | "assistant" | "tool", "system") => true,
            _ => false,
        };
        if wrong {
            return Err(complaint.about(&[("role", is), ("before", was)]));
        }
    }
    Ok(())
}

pub(super) fn check_last_role(body: &Value, complaint: &Complaint) -> Result<(), Violation> {
    let last = list(body, "messages").last().filter(|last| {
        role(last) == "assistant" && last.get("prefix").and_then(Value::as_bool) != Some(true)
    });
    last.map_or(Ok(()), |last| Err(complaint.about(&[("role", role(last))])))
}

pub(super) fn check_call_at_end(body: &Value, complaint: &Complaint) -> Result<(), Violation> {
    let last = list(body, "messages").last();
    let waits = last.is_some_and(|last| !list(last, "tool_calls").is_empty());
    if waits { Err(complaint.about(&[])) } else { Ok(()) }
}

const MESSAGE_FIELDS: [&str; 7] =
    ["role", "content", "tool_calls", "prefix", "tool_call_id", "name", "metadata"];

pub(super) fn check_known_fields(body: &Value) -> Result<(), Violation> {
    let details: Vec<Value> = messages(body)
        .flat_map(|(n, message)| {
            let fields = message.as_object().into_iter().flatten();
            fields.filter_map(move |(field, value)| {
                let known = MESSAGE_FIELDS.contains(&&**field)
                    && (field != "name" || role(message) == "tool");
                let place = json!(["body", "messages", n, role(message), field]);
                (!known).then(|| {
                    json!({"type": "extra_forbidden", "loc": place,
                           "msg": "Extra inputs are not permitted", "input": value})
                })
            })
        })
        .collect();
    if details.is_empty() {
        return Ok(());
    }
    let mut violation =
        Complaint::new(Seen("Gitlawb/openclaude#739"), 422, "Extra inputs are not permitted")
            .about(&[]);
    violation.detail = Some(Box::new(json!({"detail": details})));
    Err(violation)
}

pub(super) fn check_reasoning_required(
    body: &Value,
    empty: EmptyReasoning,
    complaint: &Complaint,
) -> Result<(), Violation> {
    let lacking = messages(body).find(|(_, message)| {
        let reasoning = message.get("reasoning_content").and_then(Value::as_str);
        let satisfied = match empty {
            EmptyReasoning::Accepted => reasoning.is_some(),
            EmptyReasoning::Refused => reasoning.is_some_and(|text| !text.is_empty()),
        };
        role(message) == "assistant" && !list(message, "tool_calls").is_empty() && !satisfied
    });
    lacking.map_or(Ok(()), |(n, _)| Err(complaint.at(n)))
}

pub(super) fn check_reasoning_forbidden(
    body: &Value,
    complaint: &Complaint,
) -> Result<(), Violation> {
    let replayed = messages(body).find(|(_, message)| has(message, "reasoning_content"));
    replayed.map_or(Ok(()), |(n, _)| Err(complaint.at(n)))
}
