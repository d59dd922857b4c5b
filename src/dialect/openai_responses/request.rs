//! The fields of a request besides its items and tools.

use serde_json::{Value, json};

use super::{input, tools};
use crate::dialect::BadRequest;
use crate::dialect::fields::Fields;
use crate::dialect::object::merge;
use crate::ir::{Object, Request};

/// The fields that [`Request`] has places for; all others are its `extra`.
const KNOWN: [&str; 8] = [
    "model",
    "instructions",
    "input",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_output_tokens",
    "stream",
];

/// What makes a conversation replayable without state at the provider's side.
fn stateless() -> [(&'static str, Value); 2] {
    [("store", json!(false)), ("include", json!(["reasoning.encrypted_content"]))]
}

pub(super) fn encode(request: &Request) -> Value {
    let parallel = request.parallel;
    let fields = [
        ("model", Some(json!(request.model))),
        ("instructions", request.system.as_ref().map(|text| json!(text))),
        ("input", Some(Value::Array(input::encode(&request.messages)))),
        ("tools", (!request.tools.is_empty()).then(|| tools::encode(&request.tools))),
        ("tool_choice", request.tool_choice.as_ref().map(tools::encode_choice)),
        ("parallel_tool_calls", parallel.map(Value::Bool)),
        ("max_output_tokens", request.max_tokens.map(Value::from)),
        ("stream", request.stream.then_some(Value::Bool(true))),
    ];
    let fields = fields.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let all = fields.chain(stateless()).map(|(key, value)| (key.to_owned(), value));
    let mut body = Value::Object(all.collect::<Object>());
    merge(&mut body, &request.extra);
    body
}

pub(super) fn decode(body: &Value) -> Result<Request, BadRequest> {
    let fields = Fields::of_body(body)?;
    let input::DecodedInput { system, messages } = input::decode(&fields)?;
    Ok(Request {
        model: fields.required_string("model")?.to_owned(),
        system,
        messages,
        tools: tools::decode(&fields)?,
        tool_choice: tools::decode_choice(&fields)?,
        parallel: fields.boolean("parallel_tool_calls")?,
        stream: fields.boolean("stream")?.unwrap_or(false),
        max_tokens: fields.count("max_output_tokens")?,
        extra: extra(&fields),
    })
}

fn extra(fields: &Fields) -> Object {
    let mut extra = fields.except(&KNOWN);
    for (key, value) in stateless() {
        if extra.get(key) == Some(&value) {
            extra.remove(key);
        }
    }
    extra
}
