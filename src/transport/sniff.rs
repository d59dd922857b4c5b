//! Detects whether a body is the stream that was asked for.
//!
//! Content types are wrong in both directions (events sent as `text/plain`, one JSON object sent as
//! `text/event-stream`), so the first bytes decide.

use crate::wire::Framing;

/// What a body turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyShape {
    /// A stream in the framing that was asked for.
    Frames,
    /// One text.
    Whole,
    /// Too little has come to say.
    Undecided,
}

/// What a line of server-sent events can begin with.
const SSE_STARTS: [&[u8]; 5] = [b"data", b"event", b"id:", b"retry:", b":"];

/// Detects what a body is by its content type and its first bytes.
pub(super) fn detect_shape(
    framing: Framing,
    content_type: Option<&str>,
    start: &[u8],
) -> BodyShape {
    let start = without_mark(start).trim_ascii_start();
    let Some(first) = start.first() else { return BodyShape::Undecided };
    match framing {
        Framing::Sse => sse_shape(content_type, *first, start),
        Framing::Ndjson if *first != b'{' => BodyShape::Whole,
        Framing::Ndjson if is(content_type, "application/json") => second_line(start),
        Framing::JsonArray if *first != b'[' => BodyShape::Whole,
        Framing::Ndjson | Framing::JsonArray => BodyShape::Frames,
    }
}

/// An empty body is a stream without frames if its content type says so.
pub(super) fn shape_of_empty(content_type: Option<&str>) -> BodyShape {
    if is(content_type, "text/event-stream") || is(content_type, "application/x-ndjson") {
        BodyShape::Frames
    } else {
        BodyShape::Whole
    }
}

/// A stream of JSON lines is often sent as `application/json`; two objects on two lines tell it
/// from one object on one or many.
fn second_line(start: &[u8]) -> BodyShape {
    let Some(end) = memchr::memchr(b'\n', start) else { return BodyShape::Undecided };
    let (line, rest) = start.split_at(end);
    match (line.trim_ascii_end().last(), rest.trim_ascii_start().first()) {
        (Some(b'}'), Some(b'{')) => BodyShape::Frames,
        (Some(b'}'), None) => BodyShape::Undecided,
        _ => BodyShape::Whole,
    }
}

fn sse_shape(content_type: Option<&str>, first: u8, start: &[u8]) -> BodyShape {
    if matches!(first, b'{' | b'[' | b'<' | b'"') {
        return BodyShape::Whole;
    }
    if is(content_type, "text/event-stream") || SSE_STARTS.iter().any(|s| start.starts_with(s)) {
        return BodyShape::Frames;
    }
    if SSE_STARTS.iter().any(|s| s.starts_with(start)) {
        BodyShape::Undecided
    } else {
        BodyShape::Whole
    }
}

fn is(content_type: Option<&str>, essence: &str) -> bool {
    content_type
        .and_then(|text| text.split(';').next())
        .is_some_and(|text| text.trim().eq_ignore_ascii_case(essence))
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: Option<&str> = Some("text/event-stream; charset=utf-8");
    const JSON: Option<&str> = Some("application/json");

    #[test]
    fn events_are_known_by_their_type_or_their_first_line() {
        let cases: [(Option<&str>, &str, BodyShape); 9] = [
            (EVENTS, "data: {}", BodyShape::Frames),
            (EVENTS, "foo", BodyShape::Frames),
            (EVENTS, "{\"error\":1}", BodyShape::Whole),
            (Some("text/plain"), "\n\ndata: {}", BodyShape::Frames),
            (None, ": OPENROUTER", BodyShape::Frames),
            (None, "da", BodyShape::Undecided),
            (JSON, "{\"id\":1}", BodyShape::Whole),
            (Some("text/html"), "<html>", BodyShape::Whole),
            (Some("text/plain"), "Internal Server Error", BodyShape::Whole),
        ];
        for (content_type, start, expected) in cases {
            let found = detect_shape(Framing::Sse, content_type, start.as_bytes());
            assert_eq!(found, expected, "{content_type:?} {start}");
        }
    }

    #[test]
    fn json_lines_are_known_by_their_type_and_arrays_by_their_bracket() {
        let ndjson = Some("application/x-ndjson");
        assert_eq!(detect_shape(Framing::Ndjson, ndjson, b"{\"a\""), BodyShape::Frames);
        assert_eq!(detect_shape(Framing::Ndjson, JSON, b"{\"a\":1}\n"), BodyShape::Undecided);
        assert_eq!(detect_shape(Framing::Ndjson, JSON, b"{\"a\":1}\n{"), BodyShape::Frames);
        assert_eq!(detect_shape(Framing::Ndjson, JSON, b"{\n  \"a\""), BodyShape::Whole);
        assert_eq!(detect_shape(Framing::Ndjson, None, b"<html>"), BodyShape::Whole);
        assert_eq!(detect_shape(Framing::JsonArray, JSON, b" \n"), BodyShape::Undecided);
        assert_eq!(detect_shape(Framing::JsonArray, JSON, b" [{"), BodyShape::Frames);
        assert_eq!(detect_shape(Framing::JsonArray, JSON, b"{"), BodyShape::Whole);
    }

    #[test]
    fn an_empty_body_is_a_stream_only_if_it_says_so() {
        assert_eq!(shape_of_empty(EVENTS), BodyShape::Frames);
        assert_eq!(shape_of_empty(JSON), BodyShape::Whole);
    }
}
