//! What does a response say, in the dialect that was spoken?

use serde_json::Value;

use super::{Answer, excerpt};
use crate::dialect::{ApiError, Dialect, is_piece, is_reply};
use crate::ir::{Defect, Reply};
use crate::transport::{Body, Response, TimedFrame};
use crate::wire::Frame;

/// Sorts a response; `stream` is whether one was asked for.
pub fn answer_in(codec: &dyn Dialect, response: &Response, stream: bool) -> Answer {
    if !response.is_success() {
        let headers = response.headers.clone();
        let text = response.text();
        return Answer::of_error(ApiError::from_response(response.status, headers, &text));
    }
    let decoded = match &response.body {
        Body::Whole(_) => match response.json() {
            Ok(body) => match whole(codec, &body) {
                Some(decoded) => decoded.map(|reply| plain(reply, stream)),
                None => return not_the_protocol(&excerpt(&body.to_string(), 80)),
            },
            Err(problem) => return not_the_protocol(&problem.to_string()),
        },
        Body::Frames(frames) => match streamed(codec, frames) {
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

/// The reply in a body. Decoders take nearly anything; what neither says something nor looks like a
/// reply is none.
fn whole(codec: &dyn Dialect, body: &Value) -> Option<Result<Reply, ApiError>> {
    match codec.decode_reply(body) {
        Ok(reply) if reply.parts.is_empty() && !is_reply(codec.id(), body) => None,
        decoded => Some(decoded),
    }
}

fn streamed(codec: &dyn Dialect, frames: &[TimedFrame]) -> Result<Reply, ApiError> {
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
fn plain(mut reply: Reply, stream: bool) -> Reply {
    if stream {
        reply.defects.record(Defect::StreamIgnored);
    }
    reply
}
