//! Anthropic's Messages API, `/v1/messages`.
//!
//! ```json
//! {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude-x",
//!  "content": [
//!    {"type": "thinking", "thinking": "Which city?", "signature": "EoQB"},
//!    {"type": "text", "text": "Checking."},
//!    {"type": "tool_use", "id": "toolu_01", "name": "get_weather", "input": {"city": "Oslo"}}],
//!  "stop_reason": "tool_use", "stop_sequence": null,
//!  "usage": {"input_tokens": 377, "output_tokens": 65}}
//! ```
//!
//! The result stands in the next user message, before any text:
//!
//! ```json
//! {"role": "user", "content": [
//!   {"type": "tool_result", "tool_use_id": "toolu_01", "content": "rain", "is_error": false}]}
//! ```
//!
//! What does not survive a round trip, because the dialect has no place for it:
//!
//! - `max_tokens` is required, so `None` is sent as 4096.
//! - The parallel switch stands inside `tool_choice`: with no choice it is sent as `auto`, with
//!   the choice `none` or without tools it is not sent.
//! - There is no list of allowed tools: `Allowed` is sent as `any` or `auto`, and as `tool` when
//!   one tool is allowed and required.
//! - A tool message and the user message after it are one user message.
//! - Reasoning state of other dialects is dropped: a foreign signature is refused.
//!
//! Beside the files that every dialect has: `messages.rs` (the conversation in a request),
//! `block.rs` (one content block), `open_block.rs` (one while it streams), `stop.rs` (endings) and
//! `usage.rs` (token counts).

mod block;
mod messages;
mod open_block;
mod reply;
mod request;
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

/// Anthropic's `/v1/messages`.
pub(super) static CODEC: Codec = Codec {
    id: DialectId::AnthropicMessages,
    framing: Framing::Sse,
    encode_request: request::encode,
    decode_reply: reply::decode,
    decode_request: |body, _| request::decode(body),
    encode_reply: |reply, _| reply::encode(reply),
    stream_decoder: || Box::new(stream_decoder::AnthropicStream::default()),
    encode_stream: |reply, _, deltas| stream_encoder::encode(reply, deltas),
};
