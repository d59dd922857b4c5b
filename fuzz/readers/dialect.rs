//! Dialects: bodies, streams and requests of any shape are decoded or refused, and what was decoded can be
//! encoded again.

use std::num::NonZeroUsize;

use serde_json::Value;
use toolprobe::conversation::read as read_calls;
use toolprobe::dialect::{DeltaLength, Dialect, DialectId, Stamp, is_piece, is_reply};
use toolprobe::ir::Reply;
use toolprobe::wire::{Frame, read_all};

const STAMP: Stamp = Stamp { created: 0, usage: true };

const DIALECTS: [DialectId; 5] = [
    DialectId::AnthropicMessages,
    DialectId::OpenAiChat,
    DialectId::OpenAiResponses,
    DialectId::Gemini,
    DialectId::Ollama,
];

fn decode_stream(dialect: &dyn Dialect, frames: &[Frame]) {
    let mut decoder = dialect.stream_decoder();
    for frame in frames {
        decoder.push(frame);
    }
    if let Ok(reply) = decoder.finish() {
        use_reply(dialect, &reply);
    }
}

fn use_reply(dialect: &dyn Dialect, reply: &Reply) {
    let _ = read_calls(reply, &[]);
    let body = dialect.encode_reply(reply, &STAMP);
    let _ = dialect.decode_reply(&body);
    let _ = dialect.encode_stream(reply, &STAMP, DeltaLength(NonZeroUsize::MIN));
}

fn decode_body(dialect: &dyn Dialect, body: &Value) {
    let _ = is_reply(dialect.id(), body);
    let _ = is_piece(dialect.id(), &body.to_string());
    if let Ok(reply) = dialect.decode_reply(body) {
        use_reply(dialect, &reply);
    }
}

/// Decodes bytes in every dialect, as a body and as a stream.
pub(crate) fn read(bytes: &[u8]) {
    let body = serde_json::from_slice::<Value>(bytes).ok();
    for id in DIALECTS {
        let dialect = id.codec();
        if let Some(body) = &body {
            decode_body(dialect, body);
        }
        if let Ok(frames) = read_all(dialect.framing(), bytes) {
            decode_stream(dialect, &frames);
        }
    }
}
