//! What does Google's `generateContent` look like on the wire?
//!
//! ```json
//! {"candidates": [{"content": {"role": "model", "parts": [
//!     {"text": "Which city?", "thought": true},
//!     {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}},
//!      "thoughtSignature": "CiQB"}]},
//!   "finishReason": "STOP", "index": 0}],
//!  "usageMetadata": {"promptTokenCount": 29, "candidatesTokenCount": 15,
//!                    "thoughtsTokenCount": 45, "totalTokenCount": 89},
//!  "modelVersion": "gemini-x", "responseId": "r1"}
//! ```
//!
//! The results of a turn stand in one user content; a failure stands under `error`:
//!
//! ```json
//! {"role": "user", "parts": [
//!   {"functionResponse": {"name": "get_weather", "response": {"output": "rain"}}}]}
//! ```
//!
//! Model and stream flag are in the path, see [`Route`]. Both spellings of field names are read,
//! as protobuf's JSON has it; what is written is in camel case. What is particular:
//!
//! - Calls need no id. One that has none gets one made up (of the reply's id and its position),
//!   which is never sent: the call's `raw` shows that it had none. Results without an id are
//!   paired by name, in order.
//! - `STOP` ends turns with and without calls: with calls it means [`StopKind::ToolUse`].
//! - The strict mode is no property of a tool: when all tools are strict and the model may choose,
//!   the mode is `VALIDATED`, which is also the only mode besides `ANY` that takes a list of
//!   allowed tools.
//! - A signature belongs to its part: text with one is not merged with text around it.
//!
//! What does not survive a round trip, because the dialect has no place for it: the parallel
//! switch, strict tools other than all of them, tokens written to a cache, reasoning state of
//! other dialects.
//!
//! Beside the files that every dialect has: `contents.rs` (the conversation in a request),
//! `part.rs` (one message's parts), `schema.rs` (Google's schemas), `collector.rs` (parts as they
//! come in, whole or streamed), `partial_call.rs` and `json_path.rs` (arguments that Vertex
//! streams), `stop.rs` (endings) and `usage.rs` (token counts).
//!
//! [`StopKind::ToolUse`]: crate::ir::StopKind::ToolUse

mod collector;
mod contents;
mod json_path;
mod part;
mod partial_call;
mod reply;
mod request;
mod schema;
mod stop;
mod stream_decoder;
mod stream_encoder;
mod usage;

#[cfg(test)]
mod sdk_requests;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::{ApiError, BadRequest, Dialect, DialectId, Pieces, Route, Stamp, StreamDecoder};
use crate::ir::{Reply, Request};
use crate::wire::Frame;

/// Google's `models/M:generateContent` and `models/M:streamGenerateContent`.
///
/// Streams asked for with `alt=sse` are server-sent events; without it the same payloads are the
/// elements of one JSON array, and the decoder takes either.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Dialect for Gemini {
    fn id(&self) -> DialectId {
        DialectId::Gemini
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

    fn encode_reply(&self, reply: &Reply, _stamp: &Stamp) -> Value {
        reply::encode(reply)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream_decoder::Decoder::default())
    }

    fn encode_stream(&self, reply: &Reply, _stamp: &Stamp, pieces: Pieces) -> Vec<Frame> {
        stream_encoder::encode(reply, pieces)
    }
}
