//! HTTP answers: status, headers, body, and how the connection ends.

use std::borrow::Cow;

use serde_json::Value;

use crate::sim::Pace;
use crate::sim::rules::Refusal;
use crate::wire::{Frame, FrameWriter, Framing, SseStyle};

/// An answer as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HttpAnswer {
    pub(super) status: u16,
    pub(super) headers: Vec<(Cow<'static, str>, String)>,
    pub(super) payload: Payload,
    /// The framing of a stream.
    pub(super) framing: Option<Framing>,
    pub(super) ending: Ending,
    /// The waits between the pieces of the body.
    pub(super) pace: Pace,
}

/// The body, and how it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Payload {
    /// At once, with its length.
    Whole(Vec<u8>),
    /// Piece by piece.
    Pieces(Vec<Vec<u8>>),
    /// This many spaces.
    Flood(usize),
    /// Nothing, not even a status: the client waits.
    Silence,
}

impl Payload {
    /// The bytes that say something.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Whole(bytes) => Cow::Borrowed(bytes),
            Self::Pieces(pieces) => Cow::Owned(pieces.concat()),
            Self::Flood(_) | Self::Silence => Cow::Borrowed(&[]),
        }
    }
}

/// How the connection ends after the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It is kept.
    Kept,
    /// It is closed though it was announced as kept.
    Closed,
    /// It is cut in the middle of the body.
    Cut,
}

impl HttpAnswer {
    fn new(status: u16, content_type: &str, payload: Payload) -> Self {
        let headers = vec![("content-type".into(), content_type.to_owned())];
        let (framing, ending, pace) = (None, Ending::Kept, Pace::default());
        Self { status, headers, payload, framing, ending, pace }
    }

    /// A JSON body.
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", Payload::Whole(body.to_string().into_bytes()))
    }

    /// A body that is not JSON.
    pub(super) fn text(status: u16, content_type: &str, body: &str) -> Self {
        Self::new(status, content_type, Payload::Whole(body.as_bytes().to_vec()))
    }

    /// A stream of frames; each one is a piece of its own.
    pub(super) fn stream(framing: Framing, style: SseStyle, frames: &[Frame]) -> Self {
        let mut writer = match framing {
            Framing::Sse => FrameWriter::sse(style),
            other => FrameWriter::new(other),
        };
        let mut pieces: Vec<Vec<u8>> = frames.iter().map(|frame| writer.write(frame)).collect();
        pieces.push(writer.finish());
        let content_type = match framing {
            Framing::Sse => "text/event-stream; charset=utf-8",
            Framing::Ndjson => "application/x-ndjson",
            Framing::JsonArray => "application/json; charset=UTF-8",
        };
        let answer = Self::new(200, content_type, Payload::Pieces(pieces));
        Self { framing: Some(framing), ..answer }.header("cache-control", "no-cache")
    }

    /// More bytes than a client should read.
    pub(super) fn flood(bytes: usize) -> Self {
        Self::new(200, "application/json", Payload::Flood(bytes))
    }

    /// No answer at all.
    pub(super) fn silence() -> Self {
        Self { headers: Vec::new(), ..Self::new(200, "", Payload::Silence) }
    }

    /// The same with one more header.
    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same with these bytes as its body.
    pub(super) fn raw(self, bytes: &[u8]) -> Self {
        Self { payload: Payload::Whole(bytes.to_vec()), ..self }
    }

    /// The same with waits between its pieces.
    pub(super) fn pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// The same with another end.
    pub(super) fn ending(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }

    /// The same in two pieces, so that it can be cut between them.
    pub(super) fn in_halves(mut self) -> Self {
        self.payload = match self.payload {
            Payload::Whole(bytes) => {
                let (first, second) = bytes.split_at(bytes.len() / 2);
                Payload::Pieces(vec![first.to_vec(), second.to_vec()])
            }
            other => other,
        };
        self
    }
}

impl From<Refusal> for HttpAnswer {
    fn from(refusal: Refusal) -> Self {
        let body = refusal.body.to_string().into_bytes();
        let mut answer = Self::new(refusal.status, refusal.content_type, Payload::Whole(body));
        let headers = refusal.headers.into_iter();
        answer.headers.extend(headers.map(|(name, value)| (name.into(), value)));
        answer
    }
}
