//! How do OpenAI's Chat Completions, and everything compatible with them, speak?
//!
//! ```json
//! {"id": "chatcmpl-1", "object": "chat.completion", "created": 1794787200, "model": "m",
//!  "choices": [{"index": 0, "finish_reason": "tool_calls", "message":
//!    {"role": "assistant", "content": null, "tool_calls": [
//!      {"id": "call_1", "type": "function",
//!       "function": {"name": "get_weather", "arguments": "{\"city\":\"Oslo\"}"}}]}}],
//!  "usage": {"prompt_tokens": 82, "completion_tokens": 17, "total_tokens": 99}}
//! ```
//!
//! Besides the files that every dialect has:
//!
//! - `message.rs`: the conversation as a list of messages
//! - `call.rs`, `reasoning.rs`, `finish.rs`, `usage.rs`: one thing each, in both directions
//! - `draft.rs`: a reply while it is being received, whole or in deltas
//! - `call_tracker.rs`, `braces.rs`: which call a streamed delta belongs to

mod braces;
mod call;
mod call_tracker;
mod draft;
mod finish;
mod message;
mod reasoning;
mod reply;
mod request;
mod stream_decoder;
mod stream_encoder;
mod usage;

use serde_json::Value;

use super::{
    ApiError, BadRequest, Dialect, DialectId, Pieces, Route, Stamp, StreamDecoder as Decoder,
};
use crate::ir::{Reply, Request};
use crate::wire::Frame;

/// The `openai-chat` dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenAiChat;

impl Dialect for OpenAiChat {
    fn id(&self) -> DialectId {
        DialectId::OpenAiChat
    }

    fn encode_request(&self, request: &Request) -> Value {
        request::encode(request)
    }

    fn decode_reply(&self, body: &Value) -> Result<Reply, ApiError> {
        reply::decode(body)
    }

    fn decode_request(&self, body: &Value, route: &Route) -> Result<Request, BadRequest> {
        request::decode(body, route)
    }

    fn encode_reply(&self, reply: &Reply, stamp: &Stamp) -> Value {
        reply::encode(reply, stamp)
    }

    fn stream_decoder(&self) -> Box<dyn Decoder> {
        Box::new(stream_decoder::StreamDecoder::default())
    }

    fn encode_stream(&self, reply: &Reply, stamp: &Stamp, pieces: Pieces) -> Vec<Frame> {
        stream_encoder::encode(reply, stamp, pieces)
    }
}

#[cfg(test)]
mod sdk_requests;
#[cfg(test)]
mod tests;
