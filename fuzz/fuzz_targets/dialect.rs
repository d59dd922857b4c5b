//! Dialects: bodies, streams and requests of any shape are decoded or refused, and what was decoded can be
//! encoded again.

#![no_main]

use std::num::NonZeroUsize;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolprobe::conversation::read;
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
    frames.iter().for_each(|frame| decoder.push(frame));
    if let Ok(reply) = decoder.finish() {
        use_reply(dialect, &reply);
    }
}

fn use_reply(dialect: &dyn Dialect, reply: &Reply) {
    let _ = read(reply, &[]);
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

fuzz_target!(|bytes: &[u8]| {
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
});
