//! OpenAI's Chat Completions, and everything compatible with them.
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

use super::{Codec, DialectId};
use crate::wire::Framing;

/// The `openai-chat` dialect.
pub(super) static CODEC: Codec = Codec {
    id: DialectId::OpenAiChat,
    framing: Framing::Sse,
    encode_request: request::encode,
    decode_reply: reply::decode,
    decode_request: request::decode,
    encode_reply: reply::encode,
    stream_decoder: || Box::new(stream_decoder::ChatStream::default()),
    encode_stream: stream_encoder::encode,
};

#[cfg(test)]
mod sdk_requests;
#[cfg(test)]
pub(in crate::dialect) mod tests;
