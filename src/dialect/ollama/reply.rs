//! Whole replies of Ollama, encoded and decoded.

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

use super::draft::ReplyDraft;
use super::message;
use crate::dialect::{ApiError, Arrival, Stamp};
use crate::ir::{Object, Reply, StopKind};

/// Reads a whole body.
pub(super) fn decode(body: &Value) -> Result<Reply, ApiError> {
    if let Some(error) = ApiError::in_payload(body) {
        return Err(error);
    }
    let mut draft = ReplyDraft::default();
    draft.take(body);
    Ok(draft.finish(Arrival::Whole))
}

/// Writes a whole body.
pub(super) fn encode(reply: &Reply, stamp: &Stamp) -> Value {
    last_line(reply, stamp, message::encode_assistant(&reply.parts))
}

/// A line before the last.
pub(super) fn line(reply: &Reply, stamp: &Stamp, message: Object) -> Object {
    let created_at = DateTime::from_timestamp(stamp.created, 0).unwrap_or_default();
    let mut line = Object::new();
    let mut put = |key: &str, value: Value| line.insert(key.to_owned(), value);
    put("model", reply.model_echo.as_deref().unwrap_or_default().into());
    put("created_at", created_at.to_rfc3339_opts(SecondsFormat::Secs, true).into());
    put("message", message.into());
    put("done", false.into());
    line
}

/// The line that ends a reply; counts of zero are left out, as the server does.
pub(super) fn last_line(reply: &Reply, stamp: &Stamp, message: Object) -> Value {
    let mut line = line(reply, stamp, message);
    line.insert("done".to_owned(), json!(true));
    line.extend(done_reason(reply).map(|label| ("done_reason".to_owned(), label.into())));
    for (key, count) in
        [("prompt_eval_count", reply.usage.input), ("eval_count", reply.usage.output)]
    {
        line.extend(count.filter(|count| *count > 0).map(|count| (key.to_owned(), count.into())));
    }
    Value::Object(line)
}

fn done_reason(reply: &Reply) -> Option<&str> {
    reply.stop.label.as_deref().or(match reply.stop.kind {
        StopKind::MaxTokens | StopKind::ContextExceeded => Some("length"),
        StopKind::EndTurn
        | StopKind::ToolUse
        | StopKind::StopSequence
        | StopKind::Refusal
        | StopKind::Pause
        | StopKind::MalformedCall
        | StopKind::Other => Some("stop"),
        StopKind::Missing | StopKind::Truncated => None,
    })
}
