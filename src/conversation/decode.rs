//! Decoding of a response: HTTP body or stream frames to an answer.

use serde_json::Value;

use super::{Answer, excerpt};
use crate::dialect::{ApiError, Dialect, is_piece, is_reply};
use crate::ir::{Defect, Reply, Stop, StopKind};
use crate::transport::{Body, Response, TimedFrame};
use crate::wire::{Frame, Framing, read_all};

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
        Body::Frames(frames) if is_sent_twice(codec, all(frames)) => {
            return not_the_protocol("the stream is sent twice, one behind the other");
        }
        Body::Frames(frames) => match decode_stream(codec, all(frames)) {
            Ok(reply) if !reply.parts.is_empty() || has_a_piece(codec, all(frames)) => Ok(reply),
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

fn all(frames: &[TimedFrame]) -> impl Iterator<Item = &Frame> {
    frames.iter().map(|timed| &timed.frame)
}

fn decode_stream<'a>(
    codec: &dyn Dialect,
    frames: impl Iterator<Item = &'a Frame>,
) -> Result<Reply, ApiError> {
    let mut decoder = codec.stream_decoder();
    frames.for_each(|frame| decoder.push(frame));
    decoder.finish()
}

fn has_a_piece<'a>(codec: &dyn Dialect, frames: impl Iterator<Item = &'a Frame>) -> bool {
    frames.filter_map(Frame::payload).any(|data| is_piece(codec.id(), data))
}

/// Whether a whole stream comes once more when it is over.
fn is_sent_twice<'a>(codec: &dyn Dialect, frames: impl Iterator<Item = &'a Frame>) -> bool {
    let frames: Vec<&Frame> = frames.collect();
    let (first, second) = frames.split_at(frames.len() / 2);
    first == second
        && decode_stream(codec, first.iter().copied())
            .is_ok_and(|reply| !reply.parts.is_empty() && reply.stop.kind != StopKind::Truncated)
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
    // Lines of JSON are a stream where all of them are pieces. One whole body with something behind it is not, nor is
    // one that is sent twice.
    let is_stream = match codec.framing() {
        Framing::Sse => has_a_piece(codec, frames.iter()),
        Framing::Ndjson | Framing::JsonArray => {
            let mut payloads = frames.iter().filter_map(Frame::payload);
            frames.len() > 1
                && payloads.all(|data| is_piece(codec.id(), data))
                && !is_sent_twice(codec, frames.iter())
        }
    };
    is_stream.then(|| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;

    fn answer(dialect: DialectId, body: Body, stream: bool) -> Answer {
        let response = Response { status: 200, headers: Vec::new(), body };
        decode_answer(dialect.codec(), &response, stream)
    }

    fn frames(payloads: &[&str]) -> Body {
        let frame = |data: &&str| TimedFrame { at_ms: 0, frame: Frame::data(*data) };
        Body::Frames(payloads.iter().map(frame).collect())
    }

    const SAYS: &str = r#"{"candidates":[{"content":{"parts":[{"text":"ha"}]}}]}"#;
    const CALLS: &str = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]},"finishReason":"STOP"}]}"#;

    #[test]
    fn a_stream_that_is_sent_twice_is_not_the_protocol() {
        for payloads in [&[CALLS, CALLS][..], &[SAYS, CALLS, SAYS, CALLS]] {
            let answer = answer(DialectId::Gemini, frames(payloads), true);
            assert!(matches!(answer, Answer::Nothing(_)), "{payloads:?}: {answer:?}");
        }
    }

    #[test]
    fn a_stream_that_says_something_twice_is_a_reply() {
        for payloads in [&[SAYS, SAYS, CALLS][..], &[SAYS, SAYS, SAYS, CALLS]] {
            let answer = answer(DialectId::Gemini, frames(payloads), true);
            assert!(matches!(answer, Answer::Reply(_)), "{payloads:?}: {answer:?}");
        }
    }

    #[test]
    fn lines_are_an_unasked_stream_where_all_of_them_are_pieces() {
        let (piece, end) = (
            r#"{"message":{"role":"assistant","content":"ha"},"done":false}"#,
            r#"{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#,
        );
        let whole =
            r#"{"message":{"role":"assistant","content":"ha"},"done":true,"done_reason":"stop"}"#;
        for (lines, is_stream) in [
            (&[piece, piece, end][..], true),
            (&[whole, "<!-- served by a proxy -->"], false),
            (&[whole, whole], false),
        ] {
            let answer = answer(DialectId::Ollama, Body::Whole(lines.join("\n")), false);
            assert_eq!(matches!(answer, Answer::Refused(_)), is_stream, "{lines:?}: {answer:?}");
        }
    }
}
