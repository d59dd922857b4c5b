//! How does Ollama's own `/api/chat` speak?
//!
//! ```json
//! {"model": "m", "created_at": "2026-11-16T00:00:00Z", "message":
//!   {"role": "assistant", "content": "", "thinking": "They want Oslo.", "tool_calls": [
//!     {"id": "call_a1b2c3d4",
//!      "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Oslo"}}}]},
//!  "done": true, "done_reason": "stop", "prompt_eval_count": 82, "eval_count": 17}
//! ```
//!
//! A stream is lines of the same shape, and a whole body is a stream of one line: `draft.rs` reads
//! both. There is no tool choice, no parallel switch, no strict mode; arguments are objects, and
//! results pair by the tool's name where ids are missing.

mod call;
mod draft;
mod message;
mod reply;
mod request;
mod stream_decoder;
mod stream_encoder;

use serde_json::Value;

use super::{
    ApiError, BadRequest, Dialect, DialectId, Pieces, Route, Stamp, StreamDecoder as Decoder,
};
use crate::ir::{Reply, Request};
use crate::wire::{Frame, Framing};

/// The `ollama` dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ollama;

impl Dialect for Ollama {
    fn id(&self) -> DialectId {
        DialectId::Ollama
    }

    fn framing(&self) -> Framing {
        Framing::Ndjson
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
