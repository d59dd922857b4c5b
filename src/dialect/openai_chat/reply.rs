//! Whole chat completions, encoded and decoded.

use serde_json::{Value, json};

use super::call::RawCall;
use super::draft::{ReplyDraft, ReplyEnd};
use super::{finish, message, usage};
use crate::dialect::{ApiError, Arrival, Stamp};
use crate::ir::{Defect, Object, Reply};

/// Reads a whole body.
pub(super) fn decode(body: &Value) -> Result<Reply, ApiError> {
    if let Some(error) = ApiError::in_payload(body) {
        return Err(error);
    }
    let mut draft = ReplyDraft::default();
    draft.take_head(body);
    if let Some(counts) = counts(body) {
        draft.usage = usage::decode(counts, &mut draft.defects);
    }
    let choices = body.get("choices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match choices.len() {
        0 => draft.defects.record(Defect::ChoicesEmpty),
        1 => {}
        _ => draft.defects.record(Defect::ChoicesSplit),
    }
    for (choice, number) in choices.iter().zip(0..) {
        if let Some(error) = choice_error(choice) {
            return Err(error);
        }
        take_choice(&mut draft, number, choice);
    }
    Ok(draft.finish(ReplyEnd::Finished))
}

/// The counts of a body or chunk; Groq may keep them in a place of its own.
pub(super) fn counts(body: &Value) -> Option<&Value> {
    [body.get("usage"), body.pointer("/x_groq/usage")]
        .into_iter()
        .flatten()
        .find(|usage| usage.is_object())
}

/// OpenRouter may put an error beside the message it cut short.
pub(super) fn choice_error(choice: &Value) -> Option<ApiError> {
    let error = choice.get("error").filter(|error| !error.is_null())?;
    ApiError::in_payload(&json!({"error": error}))
}

fn take_choice(draft: &mut ReplyDraft, number: u64, choice: &Value) {
    if let Some(label) = choice.get("finish_reason").and_then(Value::as_str) {
        draft.take_label(label);
    }
    let Some(message) = choice.get("message").or_else(|| choice.get("delta")) else {
        return draft.defects.record(Defect::DeltaMissing);
    };
    take_message(draft, number, message);
}

/// Takes a message that is complete, calls included.
pub(super) fn take_message(draft: &mut ReplyDraft, choice: u64, message: &Value) {
    draft.take_message(choice, message, Arrival::Whole);
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for entry in calls.into_iter().flatten() {
        let call = RawCall::read(entry, &mut draft.defects);
        draft.take_call(choice, call);
    }
    if let Some(function_call) = message.get("function_call").filter(|call| call.is_object()) {
        draft.defects.record(Defect::LegacyFunctionCall);
        // Beside `tool_calls` it only mirrors them.
        if calls.is_none_or(Vec::is_empty) {
            draft.take_call(choice, RawCall::read_legacy(function_call));
        }
    }
}

/// Writes a whole body.
pub(super) fn encode(reply: &Reply, stamp: &Stamp) -> Value {
    let mut message = message::encode_assistant(&reply.parts);
    message.insert("refusal".to_owned(), Value::Null);
    let mut body = head(reply, stamp, "chat.completion");
    body.insert(
        "choices".to_owned(),
        json!([{"index": 0, "message": message, "logprobs": null,
                "finish_reason": finish::label(&reply.stop)}]),
    );
    body.extend(usage::encode(&reply.usage).map(|usage| ("usage".to_owned(), usage)));
    Value::Object(body)
}

/// What bodies and chunks have in common.
pub(super) fn head(reply: &Reply, stamp: &Stamp, object: &str) -> Object {
    let mut head = Object::new();
    let mut put = |key: &str, value: Value| head.insert(key.to_owned(), value);
    put("id", reply.id.as_deref().unwrap_or_default().into());
    put("object", object.into());
    put("created", stamp.created.into());
    put("model", reply.model_echo.as_deref().unwrap_or_default().into());
    if let Some(fingerprint) = &reply.fingerprint {
        put("system_fingerprint", fingerprint.as_str().into());
    }
    head
}
