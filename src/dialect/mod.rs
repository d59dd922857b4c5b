//! Dialects: the protocols of the providers, encoded from `ir` and decoded into it.
//!
//! A dialect is four pure functions and two stream machines, in both directions: a client encodes
//! requests and decodes replies, the simulator decodes requests and encodes replies. Having both
//! makes `decode(encode(x)) == x` a property test. Every dialect has the same files:
//!
//! - `mod.rs`: the codec, and a literal sample of the protocol
//! - `request.rs`: encode and decode of requests
//! - `reply.rs`: decode and encode of whole replies
//! - `stream_decoder.rs`, `stream_encoder.rs`: the same for streams
//!
//! Decoders are lenient and honest: they accept what can be understood and record in
//! [`Reply::defects`](crate::ir::Reply) what a strict client would not have taken.

mod anthropic_messages;
mod api_error;
mod arguments;
mod auth;
mod call_id;
mod delta_length;
mod endpoint;
mod error_text;
mod fields;
mod function_tool;
mod gemini;
mod id;
mod limit_field;
mod object;
mod ollama;
mod openai_chat;
mod openai_responses;
mod registry;
mod route;
mod shape;
#[cfg(test)]
pub(crate) mod testing;
mod turns;
mod wrapped;

pub use api_error::{ApiError, Envelope, ServiceTrouble};
pub(crate) use api_error::{NOT_RECORDED, NOT_RECORDED_END};
pub use auth::Auth;
pub use delta_length::DeltaLength;
pub use endpoint::EndpointError;
pub(crate) use endpoint::{call_url, dialect_of};
pub use id::{DialectId, UnknownDialect};
pub use limit_field::LimitField;
use registry::Codec;
pub use route::Route;
pub use shape::{is_piece, is_reply};

use serde_json::Value;

use crate::ir::{Reply, Request};
use crate::wire::{Frame, Framing};

/// A provider protocol, in both directions. The codecs of this folder implement it, and tests that
/// want a faulty one.
///
/// Nothing here does I/O, reads a clock or draws random numbers, and nothing panics on any input.
pub trait Dialect: Send + Sync {
    /// Which dialect this is.
    fn id(&self) -> DialectId;

    /// How its streams are cut into frames.
    fn framing(&self) -> Framing {
        Framing::Sse
    }

    /// The body to send. [`Request::extra`] is merged into it last, object by object.
    fn encode_request(&self, request: &Request) -> Value;

    /// The reply in a whole body, or the error that a 200 body may hold instead.
    fn decode_reply(&self, body: &Value) -> Result<Reply, ApiError>;

    /// What a client asks, read on the server's side.
    fn decode_request(&self, body: &Value, route: &Route) -> Result<Request, BadRequest>;

    /// The body a server sends.
    fn encode_reply(&self, reply: &Reply, stamp: &Stamp) -> Value;

    /// A machine that takes frames and gives the same reply as the whole body would.
    fn stream_decoder(&self) -> Box<dyn StreamDecoder>;

    /// The frames a server sends for this reply.
    fn encode_stream(&self, reply: &Reply, stamp: &Stamp, deltas: DeltaLength) -> Vec<Frame>;
}

/// Takes the frames of one stream. Nothing is final before [`StreamDecoder::finish`].
pub trait StreamDecoder: Send {
    /// Takes the next frame. A frame that cannot be understood is recorded as a defect.
    fn push(&mut self, frame: &Frame);

    /// The reply; [`StopKind::Truncated`](crate::ir::StopKind::Truncated) when the terminal event
    /// never came, an error when the stream carried one.
    fn finish(self: Box<Self>) -> Result<Reply, ApiError>;
}

/// Whether a reply came as one body or as a stream, which may have been cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrival {
    Whole,
    Streamed,
}

/// What a server adds to a reply that does not come from the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Unix time in seconds.
    pub created: i64,
    /// Whether a stream ends with its usage (chat asks for it by `stream_options`).
    pub usage: bool,
}

/// A request body that no conversation can be read from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct BadRequest {
    /// Where in the body, as `messages[1].role`.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
}

impl BadRequest {
    fn at(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }
}
