//! Google's Gemini API, `generateContent`.
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
//! - The strict mode belongs to the request, not to a tool: when all tools are strict and the model may choose,
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
//! [`Route`]: super::Route
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
pub(in crate::dialect) mod tests;

use super::{Codec, DialectId};
use crate::wire::Framing;

/// Google's `models/M:generateContent` and `models/M:streamGenerateContent`.
///
/// Streams asked for with `alt=sse` are server-sent events; without it the same payloads are the
/// elements of one JSON array, and the decoder takes either.
pub(super) static CODEC: Codec = NEWEST;

/// The same with tools declared in `parameters`, which some servers alone read.
pub(super) static OLDER_SCHEMA_CODEC: Codec =
    Codec { encode_request: request::encode_older, ..NEWEST };

const NEWEST: Codec = Codec {
    id: DialectId::Gemini,
    framing: Framing::Sse,
    encode_request: request::encode,
    decode_reply: reply::decode,
    decode_request: request::decode,
    encode_reply: |reply, _| reply::encode(reply),
    stream_decoder: || Box::new(stream_decoder::GeminiStream::default()),
    encode_stream: |reply, _, deltas| stream_encoder::encode(reply, deltas),
};
