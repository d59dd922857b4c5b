//! The providers' own services: what they do around the model, beyond what a dialect needs.
//!
//! A dialect's encoder writes what a client has to read. The services of `OpenAI` and Anthropic send more
//! (fields that are required by their schemas, the request's settings told back), keep responses, and
//! take tools that no other server knows. All of that works on bodies, so that the codecs stay small.
//!
//! - `request`: a body of the Responses API as its model sees it
//! - `tools`: which tools such a body declares, in which form
//! - `responses`: fields and items of the response object, whole or streamed
//! - `messages`: the same for Anthropic's message
//! - `stored`: the responses that were asked to be kept
//! - `cache`: how much of a request was sent before
//! - `grammar`: what the text of a custom tool may be

mod cache;
mod grammar;
mod messages;
mod request;
mod responses;
mod stored;
mod tools;

pub(super) use stored::StoredResponses;

use std::borrow::Cow;

use serde_json::{Value, json};

use super::RulesId;
use crate::wire::Frame;

/// The body that the model's server reads: references resolved, tools in the one form it knows.
pub(super) fn read_request<'a>(
    rules: RulesId,
    body: &'a Value,
    stored: &StoredResponses,
) -> Cow<'a, Value> {
    match rules {
        RulesId::OpenAiResponses => Cow::Owned(request::simplify(stored.resolve(body))),
        _ => Cow::Borrowed(body),
    }
}

/// The whole reply as the service sends it, and keeps it where it was asked to.
pub(super) fn complete_body(
    rules: RulesId,
    mut reply: Value,
    request: &Value,
    stored: &StoredResponses,
) -> Value {
    match rules {
        RulesId::OpenAiResponses => {
            responses::complete(&mut reply, request);
            stored.keep(request, &reply);
        }
        RulesId::Anthropic
        | RulesId::AnthropicStart
        | RulesId::AnthropicNoModify
        | RulesId::AnthropicSignature => messages::complete(&mut reply, request),
        RulesId::OpenAiChat | RulesId::OpenAiChatLong => complete_chat(&mut reply, request),
        RulesId::Gemini | RulesId::Gemini3 => cache::count_gemini(&mut reply, request),
        _ => {}
    }
    reply
}

/// The stream as the service sends it.
pub(super) fn complete_frames(
    rules: RulesId,
    mut frames: Vec<Frame>,
    request: &Value,
) -> Vec<Frame> {
    match rules {
        RulesId::OpenAiResponses => responses::complete_frames(frames, request),
        RulesId::Anthropic
        | RulesId::AnthropicStart
        | RulesId::AnthropicNoModify
        | RulesId::AnthropicSignature => messages::complete_frames(frames, request),
        RulesId::OpenAiChat | RulesId::OpenAiChatLong => {
            change_events(&mut frames, |chunk| count_cached(chunk, request));
            frames
        }
        RulesId::Gemini | RulesId::Gemini3 => {
            change_events(&mut frames, |chunk| cache::count_gemini(chunk, request));
            frames
        }
        _ => frames,
    }
}

/// Tells in the `usage` of a whole reply or a chunk what was cached.
fn count_cached(reply: &mut Value, request: &Value) {
    if let Some(usage) = reply.get_mut("usage") {
        cache::count_openai(usage, request);
    }
}

/// The first tool whose grammar cannot be read, and why.
pub(super) fn unreadable_grammar(body: &Value) -> Option<(usize, String)> {
    let mut tools = body.get("tools").and_then(Value::as_array)?.iter().enumerate();
    tools.find_map(|(n, tool)| Some((n, grammar::pattern(tool).err()?)))
}

/// What `OpenAI`'s chat completions carry beside the reply.
fn complete_chat(reply: &mut Value, request: &Value) {
    count_cached(reply, request);
    fill(reply, [("service_tier", json!("default"))]);
    let choices = reply.get_mut("choices").and_then(Value::as_array_mut);
    for message in choices.into_iter().flatten().filter_map(|choice| choice.get_mut("message")) {
        fill(message, [("refusal", Value::Null), ("annotations", json!([]))]);
    }
}

/// Adds the fields that are not there yet.
fn fill<const N: usize>(object: &mut Value, fields: [(&str, Value); N]) {
    if let Value::Object(object) = object {
        for (key, value) in fields {
            object.entry(key).or_insert(value);
        }
    }
}

/// Changes the payload of each event that holds JSON.
fn change_events(frames: &mut [Frame], change: impl Fn(&mut Value)) {
    for frame in frames {
        let Frame::Event { data, .. } = frame else { continue };
        let Ok(mut value) = serde_json::from_str(data) else { continue };
        change(&mut value);
        *data = value.to_string();
    }
}
