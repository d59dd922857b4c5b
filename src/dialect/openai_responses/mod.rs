//! How does OpenAI's `/v1/responses` say it?
//!
//! A conversation is a flat list of items; a reply is another such list:
//!
//! ```json
//! {"id": "resp_1", "object": "response", "status": "completed", "output": [
//!   {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA…"},
//!   {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather",
//!    "arguments": "{\"city\":\"Oslo\"}", "status": "completed"}]}
//! ```
//!
//! Requests are stateless: they ask for nothing to be stored and for reasoning in the encrypted
//! form that can be sent back, so that a conversation can be replayed item by item. Calls and
//! reasoning are sent back as they came, item ids and argument bytes included, because the provider
//! checks that each call follows the reasoning that led to it.
//!
//! - `request.rs`: the fields of a request; `input.rs` its items, `tools.rs` its tools
//! - `reply.rs`: the response object; `item.rs` its items
//! - `stream_decoder.rs`, `open_item.rs`: events to a reply
//! - `stream_encoder.rs`: a reply to events

mod input;
mod item;
mod open_item;
mod reply;
mod request;
mod stream_decoder;
mod stream_encoder;
#[cfg(test)]
mod tests;
mod tools;

use serde_json::Value;

use super::{
    ApiError, BadRequest, Dialect, DialectId, Pieces, Route, Stamp, StreamDecoder as Decoder,
};
use crate::ir::{Reply, Request};
use crate::wire::Frame;

/// OpenAI's Responses API, and everything compatible with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn id(&self) -> DialectId {
        DialectId::OpenAiResponses
    }

    fn encode_request(&self, request: &Request) -> Value {
        request::encode(request)
    }

    fn decode_reply(&self, body: &Value) -> Result<Reply, ApiError> {
        reply::decode(body)
    }

    fn decode_request(&self, body: &Value, _route: &Route) -> Result<Request, BadRequest> {
        request::decode(body)
    }

    fn encode_reply(&self, reply: &Reply, stamp: &Stamp) -> Value {
        reply::encode(reply, stamp)
    }

    fn stream_decoder(&self) -> Box<dyn Decoder> {
        Box::new(stream_decoder::EventDecoder::default())
    }

    fn encode_stream(&self, reply: &Reply, stamp: &Stamp, pieces: Pieces) -> Vec<Frame> {
        stream_encoder::encode(reply, stamp, pieces)
    }
}
