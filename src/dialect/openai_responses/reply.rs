//! The response object around the items, encoded and decoded.

use serde_json::{Value, json};

use super::item::{self, OutputItems};
use crate::dialect::object::merge;
use crate::dialect::{ApiError, Stamp};
use crate::ir::{Defect, Reply, Stop, StopKind, Usage};

/// `incomplete_details.reason`, and what it means.
const REASONS: [(&str, StopKind); 2] =
    [("max_output_tokens", StopKind::MaxTokens), ("content_filter", StopKind::Refusal)];

pub(super) fn decode(body: &Value) -> Result<Reply, ApiError> {
    if let Some(error) = ApiError::in_payload(body) {
        return Err(error);
    }
    let status = body.get("status").and_then(Value::as_str);
    if status == Some("failed") || !is_response(body) {
        return Err(ApiError::from_response(200, Vec::new(), &body.to_string()));
    }
    let mut items = OutputItems::default();
    match body.get("output").and_then(Value::as_array) {
        Some(output) => output.iter().for_each(|item| items.read(item)),
        None => items.defects.record(Defect::OutputMissing),
    }
    let stop = stop(body, status, &mut items);
    Ok(assemble(items, body, stop))
}

fn is_response(body: &Value) -> bool {
    body.get("object").and_then(Value::as_str) == Some("response")
        || body.get("output").is_some_and(Value::is_array)
}

/// A reply from its items and the response object around them.
pub(super) fn assemble(items: OutputItems, response: &Value, stop: Stop) -> Reply {
    let text = |key: &str| response.get(key).and_then(Value::as_str).map(str::to_owned);
    Reply {
        id: text("id"),
        parts: items.parts,
        stop,
        usage: usage(response),
        model_echo: text("model"),
        fingerprint: None,
        defects: items.defects,
    }
}

/// There is no finish reason here: what was said decides how a completed response ended.
pub(super) fn stop(response: &Value, status: Option<&str>, items: &mut OutputItems) -> Stop {
    let Some(status) = status.filter(|status| !status.is_empty()) else {
        items.defects.record(Defect::FinishMissing);
        return Stop::unlabelled(StopKind::Missing);
    };
    match status {
        "completed" if items.has_calls() => Stop::new(StopKind::ToolUse, status),
        "completed" if items.refused => Stop::new(StopKind::Refusal, status),
        "completed" => Stop::new(StopKind::EndTurn, status),
        "incomplete" => incomplete(response),
        other => Stop::new(StopKind::Other, other),
    }
}

fn incomplete(response: &Value) -> Stop {
    let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let Some(reason) = reason else { return Stop::new(StopKind::Other, "incomplete") };
    let known = REASONS.iter().find(|(word, _)| *word == reason);
    Stop::new(known.map_or(StopKind::Other, |(_, kind)| *kind), reason)
}

fn usage(response: &Value) -> Usage {
    let count = |path: &str| response.pointer(&format!("/usage/{path}")).and_then(Value::as_u64);
    Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cached: count("input_tokens_details/cached_tokens"),
        cache_write: count("input_tokens_details/cache_write_tokens"),
        reasoning: count("output_tokens_details/reasoning_tokens"),
    }
}

/// The status word for an ending, and the reason when it is incomplete.
pub(super) fn status(stop: &Stop) -> (&str, Option<&str>) {
    let label = stop.label.as_deref();
    match (stop.kind, label) {
        (StopKind::MaxTokens | StopKind::ContextExceeded, _) => {
            ("incomplete", label.or(Some("max_output_tokens")))
        }
        (StopKind::Truncated, _) => ("in_progress", None),
        (StopKind::Other, Some("incomplete")) => ("incomplete", None),
        (StopKind::Other, Some(word @ ("cancelled" | "queued" | "in_progress"))) => (word, None),
        (StopKind::Refusal, Some("content_filter")) | (StopKind::Other, Some(_)) => {
            ("incomplete", label)
        }
        _ => ("completed", None),
    }
}

/// Whether the texts of such a reply are refusals.
pub(super) fn is_refusal(stop: &Stop) -> bool {
    stop.kind == StopKind::Refusal && status(stop).0 == "completed"
}

pub(super) fn encode(reply: &Reply, stamp: &Stamp) -> Value {
    let (status, reason) = status(&reply.stop);
    let known = [
        ("output", item::encode_all(&reply.parts, &reply.stop, stem(reply)).into()),
        ("incomplete_details", reason.map_or(Value::Null, |reason| json!({"reason": reason}))),
        ("usage", encode_usage(&reply.usage)),
    ];
    let mut response = skeleton(reply, stamp, status);
    merge(&mut response, &known.map(|(key, value)| (key.to_owned(), value)).into_iter().collect());
    response
}

/// What distinguishes the ids of one reply's items from another's.
fn stem(reply: &Reply) -> &str {
    let id = reply.id.as_deref().unwrap_or("0");
    id.strip_prefix("resp_").unwrap_or(id)
}

/// A response without output, as the first events of a stream carry it.
pub(super) fn skeleton(reply: &Reply, stamp: &Stamp, status: &str) -> Value {
    json!({
        "id": reply.id.as_deref().unwrap_or("resp_0"),
        "object": "response",
        "created_at": stamp.created,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "max_output_tokens": null,
        "model": reply.model_echo,
        "output": [],
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "store": false,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": null,
        "user": null,
        "metadata": {},
    })
}

/// The details are never left out: clients read them without asking whether they are there.
fn encode_usage(usage: &Usage) -> Value {
    let (Some(input), Some(output)) = (usage.input, usage.output) else { return Value::Null };
    json!({
        "input_tokens": input,
        "input_tokens_details": {
            "cached_tokens": usage.cached.unwrap_or(0),
            "cache_write_tokens": usage.cache_write.unwrap_or(0),
        },
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning.unwrap_or(0)},
        "total_tokens": input.saturating_add(output),
    })
}
