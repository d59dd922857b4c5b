//! Ollama's own `/api/chat`.
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

use super::{Codec, DialectId};
use crate::wire::Framing;

/// The `ollama` dialect.
pub(super) static CODEC: Codec = Codec {
    id: DialectId::Ollama,
    framing: Framing::Ndjson,
    encode_request: request::encode,
    decode_reply: reply::decode,
    decode_request: request::decode,
    encode_reply: reply::encode,
    stream_decoder: || Box::new(stream_decoder::OllamaStream::default()),
    encode_stream: stream_encoder::encode,
};

#[cfg(test)]
mod sdk_requests;
#[cfg(test)]
pub(in crate::dialect) mod tests;
