//! Decoding of a response: HTTP body or stream frames to an answer.

use serde_json::Value;

use super::{Answer, excerpt};
use crate::dialect::{ApiError, Dialect, is_piece, is_reply};
use crate::ir::{Defect, Reply, Stop, StopKind};
use crate::transport::{Body, Response, TimedFrame};
use crate::wire::{Frame, read_all};

/// What is wrong with a stream that nobody asked for.
const UNASKED_STREAM: &str = "a stream where one whole body was asked for";

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
            Err(problem) => {
                let unasked = unasked_stream(codec, response);
                return unasked.unwrap_or_else(|| not_the_protocol(&problem.to_string()));
            }
        },
        Body::Frames(frames) => match decode_stream(codec, frames) {
            Ok(reply) if !reply.parts.is_empty() || has_a_piece(codec, frames) => Ok(reply),
            _ if ends_within_a_piece(frames) => {
                Ok(Reply::new(Vec::new(), Stop::unlabelled(StopKind::Truncated)))
            }
            Ok(_) => return not_the_protocol("nothing in the stream is a piece of a reply"),
            Err(error) => Err(error),
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

/// Whether a stream ended inside the JSON of its last event.
fn ends_within_a_piece(frames: &[TimedFrame]) -> bool {
    let Some(Frame::Event { data, .. }) = frames.last().map(|timed| &timed.frame) else {
        return false;
    };
    let read = serde_json::from_str::<Value>(data);
    data.trim_start().starts_with('{') && read.is_err_and(|error| error.is_eof())
}

/// A stream in place of the whole body that was asked for. That is a clear answer, and one that no client
/// can read that asked for a body.
fn unasked_stream(codec: &dyn Dialect, response: &Response) -> Option<Answer> {
    let text = response.text();
    let frames = read_all(codec.framing(), text.as_bytes()).ok()?;
    let is_piece = |frame: &Frame| match frame {
        Frame::Event { data, .. } => is_piece(codec.id(), data),
        Frame::Comment(_) => false,
    };
    frames.iter().any(is_piece).then(|| {
        let headers = response.headers.clone();
        let error = ApiError::from_response(response.status, headers, &text);
        Answer::Refused(Box::new(ApiError { message: UNASKED_STREAM.to_owned(), ..error }))
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
