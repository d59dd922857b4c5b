//! Decoding of a response: HTTP body or stream frames to an answer.

use serde_json::Value;

use super::{Answer, excerpt};
use crate::dialect::{ApiError, Dialect, is_piece, is_reply};
use crate::ir::{Defect, Reply};
use crate::transport::{Body, Response, TimedFrame};
use crate::wire::Frame;

/// Decodes a response; `stream` is whether one was asked for.
pub(crate) fn decode_answer(codec: &dyn Dialect, response: &Response, stream: bool) -> Answer {
    if !response.is_success() {
        let headers = response.headers.clone();
        let text = response.text();
        return Answer::of_error(ApiError::from_response(response.status, headers, &text));
    }
    let decoded = match &response.body {
        Body::Whole(_) => match response.json() {
            Ok(body) => match decode_body(codec, &body) {
                Some(decoded) => decoded.map(|reply| mark_ignored_stream(reply, stream)),
                None => return not_the_protocol(&excerpt(&body.to_string(), 80)),
            },
            Err(problem) => return not_the_protocol(&problem.to_string()),
        },
        Body::Frames(frames) => match decode_stream(codec, frames) {
            Ok(reply) if reply.parts.is_empty() && !has_a_piece(codec, frames) => {
                return not_the_protocol("nothing in the stream is a piece of a reply");
            }
            decoded => decoded,
        },
    };
    match decoded {
        Ok(reply) => Answer::of_reply(reply),
        Err(mut error) => {
            error.headers.clone_from(&response.headers);
            Answer::of_error(error)
        }
    }
}

/// The reply in a body. Decoders take nearly anything; `None` where nothing is said and the
/// body does not look like a reply either.
fn decode_body(codec: &dyn Dialect, body: &Value) -> Option<Result<Reply, ApiError>> {
    match codec.decode_reply(body) {
        Ok(reply) if reply.parts.is_empty() && !is_reply(codec.id(), body) => None,
        decoded => Some(decoded),
    }
}

fn decode_stream(codec: &dyn Dialect, frames: &[TimedFrame]) -> Result<Reply, ApiError> {
    let mut decoder = codec.stream_decoder();
    for timed in frames {
        decoder.push(&timed.frame);
    }
    decoder.finish()
}

fn has_a_piece(codec: &dyn Dialect, frames: &[TimedFrame]) -> bool {
    frames.iter().any(|timed| match &timed.frame {
        Frame::Event { data, .. } => is_piece(codec.id(), data),
        Frame::Comment(_) => false,
    })
}

fn not_the_protocol(what: &str) -> Answer {
    Answer::Nothing(format!("the answer is not the protocol: {what}"))
}

/// A whole body is all right unless a stream was asked for.
fn mark_ignored_stream(mut reply: Reply, stream: bool) -> Reply {
    if stream {
        reply.defects.record(Defect::StreamIgnored);
    }
    reply
}
