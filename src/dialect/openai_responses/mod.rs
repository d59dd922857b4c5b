//! OpenAI's Responses API, `/v1/responses`.
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
pub(in crate::dialect) mod tests;
mod tools;

use super::{Codec, DialectId};
use crate::wire::Framing;

/// OpenAI's Responses API, and everything compatible with it.
pub(super) static CODEC: Codec = Codec {
    id: DialectId::OpenAiResponses,
    framing: Framing::Sse,
    encode_request: request::encode,
    decode_reply: reply::decode,
    decode_request: |body, _| request::decode(body),
    encode_reply: reply::encode,
    stream_decoder: || Box::new(stream_decoder::ResponsesStream::default()),
    encode_stream: stream_encoder::encode,
};
