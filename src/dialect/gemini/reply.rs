//! Whole replies of Gemini, encoded and decoded.

use serde_json::{Value, json};

use super::super::{ApiError, Arrival};
use super::collector::Collector;
use super::{part, stop, usage};
use crate::ir::{Object, Reply};

/// Fields that only a reply has.
const REPLY_FIELDS: [&str; 3] = ["candidates", "promptFeedback", "usageMetadata"];

/// The reply in a body, or the error it holds instead.
pub(super) fn decode(body: &Value) -> Result<Reply, ApiError> {
    if let Some(error) = ApiError::in_payload(body) {
        return Err(error);
    }
    let fields = body.as_object();
    let fields = fields.filter(|fields| REPLY_FIELDS.iter().any(|key| fields.contains_key(*key)));
    let Some(response) = fields else {
        return Err(ApiError::from_response(200, Vec::new(), &body.to_string()));
    };
    let mut collector = Collector::default();
    collector.take(response);
    Ok(collector.into_reply(Arrival::Whole))
}

/// The body of a reply.
pub(super) fn encode(reply: &Reply) -> Value {
    let parts = part::encode_reply(&reply.parts);
    response(reply, &parts, stop::encode(&reply.stop), &usage::encode(&reply.usage))
}

/// A `GenerateContentResponse`, whole or one of a stream.
pub(super) fn response(
    reply: &Reply,
    parts: &[Value],
    finish: Option<&str>,
    usage: &Object,
) -> Value {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}});
    if let (Value::Object(fields), Some(reason)) = (&mut candidate, finish) {
        fields.insert("finishReason".to_owned(), json!(reason));
    }
    if let Value::Object(fields) = &mut candidate {
        fields.insert("index".to_owned(), json!(0));
    }
    let optional = [
        ("candidates", Some(json!([candidate]))),
        ("usageMetadata", (!usage.is_empty()).then(|| json!(usage))),
        ("modelVersion", reply.model_echo.as_ref().map(|model| json!(model))),
        ("responseId", reply.id.as_ref().map(|id| json!(id))),
    ];
    let present = optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect())
}
