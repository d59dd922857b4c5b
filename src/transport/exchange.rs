//! The evidence record of one exchange: what was sent, what came back, and when.
//!
//! A record is content-addressed by **what was said, not when**: the digest of a
//! [`RecordedExchange`] covers all of it but the [`Measurements`] (arrival times, durations, waits). Two
//! exchanges that said the same have the same digest, so profiles made from a deterministic endpoint
//! do not change from run to run.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::call::SentRequest;
use super::error::TransportError;
use super::in_flight::Room;
use super::spending::{Payment, PaymentSlot};
use crate::ir::Digest;
use crate::wire::Frame;

/// The version of the stored form that this program writes.
pub(crate) const EXCHANGE_VERSION: u32 = 1;

/// How many bytes of a large reply are its beginning.
const BEGINNING: usize = 16 * 1024;

/// One exchange with an endpoint, all its attempts included. Holds no secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exchange {
    /// The version of this form.
    pub exchange_version: u32,
    /// What was sent, redacted.
    pub request: SentRequest,
    /// What the last attempt came to.
    pub outcome: HttpOutcome,
    /// Every attempt, the last included.
    pub attempts: Vec<HttpAttempt>,
    /// How long the last attempt took.
    pub timing: Timing,
    /// The digest under which a journal keeps it, if one does.
    #[serde(skip)]
    pub(crate) kept: Option<Digest>,
    /// The room that a large reply has in memory until the exchange is stored.
    #[serde(skip)]
    pub room: Room,
    /// What it has reserved of the budget until it is charged.
    #[serde(skip)]
    pub(crate) payment: PaymentSlot,
}

/// The times of an exchange, which its digest does not cover.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Measurements {
    /// How long the last attempt took.
    pub timing: Timing,
    /// The wait before each attempt, in milliseconds.
    pub waited_ms: Vec<u64>,
    /// When each frame came, in milliseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_ms: Vec<u64>,
}

/// What an attempt came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HttpOutcome {
    /// A complete response, of any status.
    Answered(Response),
    /// None.
    Failed {
        /// Why.
        error: TransportError,
        /// What had arrived until then: evidence, and never to be decoded as a reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partial: Option<Response>,
    },
}

/// A response, or as much of one as came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers that matter, names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// Decompressed, in the framing it came in.
    pub body: Body,
}

/// A body, as it was framed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Body {
    /// One text. A stream was not asked for, or not given.
    Whole(String),
    /// The frames of a stream.
    Frames(Vec<TimedFrame>),
}

/// A frame and when it came.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "StoredFrame<'_>")]
#[schemars(with = "StoredFrame<'_>")]
pub struct TimedFrame {
    /// Milliseconds from sending the request until the frame was whole.
    pub at_ms: u64,
    /// What stood in it.
    pub frame: Frame,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpAttempt {
    /// How it ended.
    pub end: AttemptEnd,
    /// How long was waited before it, by the retry policy.
    pub waited_ms: u64,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AttemptEnd {
    /// With a response of this status.
    Status(u16),
    /// Without one.
    Error(TransportError),
}

/// How long an attempt took, waits for limits and between attempts left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// From sending until the first byte of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// From sending until the end.
    pub total_ms: u64,
}

/// A body that should have been JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body is not JSON ({problem}; content type {content_type}; it begins {start:?})")]
pub struct NotJson {
    problem: String,
    content_type: String,
    start: String,
}

impl Exchange {
    /// A record of a single attempt.
    pub fn single(request: SentRequest, outcome: HttpOutcome, timing: Timing) -> Self {
        let attempts = vec![HttpAttempt { end: outcome.end(), waited_ms: 0 }];
        let (exchange_version, kept) = (EXCHANGE_VERSION, None);
        let (room, payment) = (Room::default(), PaymentSlot::default());
        Self { exchange_version, request, outcome, attempts, timing, kept, room, payment }
    }

    /// The response, if it is complete.
    pub fn response(&self) -> Result<&Response, &TransportError> {
        match &self.outcome {
            HttpOutcome::Answered(response) => Ok(response),
            HttpOutcome::Failed { error, .. } => Err(error),
        }
    }

    /// About as many bytes as it has in memory.
    pub(crate) fn size(&self) -> usize {
        let request = self.request.body.as_ref().map_or(0, |body| body.text().len());
        let response = match &self.outcome {
            HttpOutcome::Answered(response) => Some(response),
            HttpOutcome::Failed { partial, .. } => partial.as_ref(),
        };
        request.saturating_add(response.map_or(0, |response| response.body.size()))
    }

    /// Whether a journal keeps it.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// The JSON that its digest is of: all but the measurements, which are given apart.
    pub fn split(&mut self) -> (Vec<u8>, Measurements) {
        let measured = Measurements {
            timing: std::mem::take(&mut self.timing),
            waited_ms: self.waits().map(std::mem::take).collect(),
            at_ms: self.arrivals().map(std::mem::take).collect(),
        };
        // Writing plain data with string keys to memory does not fail.
        let said = serde_json::to_vec(self).unwrap_or_default();
        self.measure(&measured);
        (said, measured)
    }

    /// Puts the measurements back.
    pub fn measure(&mut self, measured: &Measurements) {
        self.timing = measured.timing;
        self.waits().zip(&measured.waited_ms).for_each(|(place, value)| *place = *value);
        self.arrivals().zip(&measured.at_ms).for_each(|(place, value)| *place = *value);
    }

    fn waits(&mut self) -> impl Iterator<Item = &mut u64> {
        self.attempts.iter_mut().map(|attempt| &mut attempt.waited_ms)
    }

    fn arrivals(&mut self) -> impl Iterator<Item = &mut u64> {
        let response = match &mut self.outcome {
            HttpOutcome::Answered(response) => Some(response),
            HttpOutcome::Failed { partial, .. } => partial.as_mut(),
        };
        let frames = response.and_then(|response| match &mut response.body {
            Body::Frames(frames) => Some(frames),
            Body::Whole(_) => None,
        });
        frames.into_iter().flatten().map(|frame| &mut frame.at_ms)
    }
}

/// An exchange that is over, with its digest. It cannot be changed, so the two always agree.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "Exchange")]
pub struct RecordedExchange {
    exchange: Exchange,
    digest: Digest,
}

impl RecordedExchange {
    /// The SHA-256 of the exchange's JSON with every measurement set to zero.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Takes its reservation of memory, to release it once the exchange is stored.
    pub(crate) fn take_room(&mut self) -> Room {
        std::mem::take(&mut self.exchange.room)
    }

    /// Takes its reservation of the budget, to charge it.
    pub(crate) fn take_payment(&mut self) -> Option<Arc<Payment>> {
        self.exchange.payment.0.take()
    }

    /// Leaves of a large reply only its beginning, and gives its room in memory and what is reserved for
    /// it back: for those who only want to know what was wrong. The digest stays that of the whole.
    #[must_use]
    pub(crate) fn shorten(mut self) -> Self {
        self.exchange.room = Room::default();
        self.exchange.payment = PaymentSlot::default();
        let response = match &mut self.exchange.outcome {
            HttpOutcome::Answered(response) => Some(response),
            HttpOutcome::Failed { partial, .. } => partial.as_mut(),
        };
        if let Some(response) = response {
            response.body.shorten();
        }
        self
    }

    /// The exchange alone.
    pub fn into_exchange(self) -> Exchange {
        self.exchange
    }
}

impl From<Exchange> for RecordedExchange {
    fn from(mut exchange: Exchange) -> Self {
        let digest = match &exchange.kept {
            Some(digest) => digest.clone(),
            None => Digest::of(exchange.split().0),
        };
        Self { exchange, digest }
    }
}

impl Deref for RecordedExchange {
    type Target = Exchange;

    fn deref(&self) -> &Exchange {
        &self.exchange
    }
}

/// Stored as the exchange alone: a reader computes the digest anew.
impl Serialize for RecordedExchange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.exchange.serialize(serializer)
    }
}

impl Body {
    /// About as many bytes as it has in memory.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Whole(text) => text.len(),
            Self::Frames(frames) => {
                let size = |timed: &TimedFrame| timed.frame.size() + size_of::<TimedFrame>();
                frames.iter().map(size).sum()
            }
        }
    }

    fn shorten(&mut self) {
        match self {
            Self::Whole(text) if text.len() > BEGINNING => {
                let is_boundary = |at: &usize| text.is_char_boundary(*at);
                text.truncate((0..=BEGINNING).rev().find(is_boundary).unwrap_or(0));
                text.shrink_to_fit();
            }
            Self::Whole(_) => {}
            Self::Frames(frames) => {
                let mut size = 0;
                let within = frames.iter().take_while(|timed| {
                    size += timed.frame.size();
                    size <= BEGINNING
                });
                let count = within.count();
                frames.truncate(count);
                frames.shrink_to_fit();
            }
        }
    }
}

impl HttpOutcome {
    fn end(&self) -> AttemptEnd {
        match self {
            Self::Answered(response) => AttemptEnd::Status(response.status),
            Self::Failed { error, .. } => AttemptEnd::Error(error.clone()),
        }
    }
}

impl Response {
    /// Whether the status says success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The first header of this lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as one text; a stream's payloads one per line.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.body {
            Body::Whole(text) => Cow::Borrowed(text),
            Body::Frames(frames) => {
                let payloads = frames.iter().filter_map(|timed| match &timed.frame {
                    Frame::Event { data, .. } => Some(data.as_str()),
                    Frame::Comment(_) => None,
                });
                Cow::Owned(payloads.collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// The JSON in a whole body. Nesting is bounded by the parser: what is too deep for it is not
    /// the protocol.
    pub fn json(&self) -> Result<Value, NotJson> {
        let text = self.text();
        serde_json::from_str(&text).map_err(|error| NotJson {
            problem: error.to_string(),
            content_type: self.header("content-type").unwrap_or("not given").to_owned(),
            start: text.trim_start().chars().take(60).collect(),
        })
    }
}

/// A frame as it is stored: `{atMs, event?, data}` or `{atMs, comment}`.
#[derive(Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StoredFrame<'a> {
    at_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<Cow<'a, str>>,
}

impl Serialize for TimedFrame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stored = StoredFrame { at_ms: self.at_ms, ..StoredFrame::default() };
        match &self.frame {
            Frame::Event { event, data } => {
                stored.event = event.as_deref().map(Cow::Borrowed);
                stored.data = Some(Cow::Borrowed(data));
            }
            Frame::Comment(text) => stored.comment = Some(Cow::Borrowed(text)),
        }
        stored.serialize(serializer)
    }
}

impl TryFrom<StoredFrame<'_>> for TimedFrame {
    type Error = &'static str;

    fn try_from(stored: StoredFrame<'_>) -> Result<Self, Self::Error> {
        let frame = match (stored.data, stored.comment) {
            (Some(data), None) => {
                Frame::Event { event: stored.event.map(Cow::into_owned), data: data.into_owned() }
            }
            (None, Some(text)) => Frame::Comment(text.into_owned()),
            _ => return Err("a frame has either 'data' or 'comment'"),
        };
        Ok(Self { at_ms: stored.at_ms, frame })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::call::HttpCall;
    use super::*;
    use crate::secret::Scrubber;
    use crate::wire::Framing;

    fn exchange(body: Body) -> Exchange {
        let url = "http://127.0.0.1:1/v1/chat/completions".parse().unwrap();
        let call = HttpCall::post(url, json!({"z": 1, "a": 1.10})).streamed(Framing::Sse);
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        Exchange::single(
            SentRequest::redacted(&call, &Scrubber::default()),
            HttpOutcome::Answered(Response { status: 200, headers, body }),
            Timing { first_byte_ms: Some(3), total_ms: 9 },
        )
    }

    fn frames(at_ms: u64) -> Body {
        let frames = [Frame::named("a", "{}"), Frame::data("x"), Frame::Comment("hi".into())];
        Body::Frames(frames.map(|frame| TimedFrame { at_ms, frame }).to_vec())
    }

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let record = RecordedExchange::from(exchange(frames(5)));
        let text = serde_json::to_string(&record).unwrap();
        let read: RecordedExchange = serde_json::from_str(&text).unwrap();
        assert_eq!(read, record);
        assert_eq!(*read, exchange(frames(5)));
    }

    #[test]
    fn the_stored_form_is_readable() {
        let stored = serde_json::to_value(exchange(frames(5))).unwrap();
        assert_eq!(stored["exchangeVersion"], 1);
        assert_eq!(stored["request"]["method"], "POST");
        assert_eq!(stored["request"]["framing"], "sse");
        let body = json!({"frames": [
            {"atMs": 5, "event": "a", "data": "{}"}, {"atMs": 5, "data": "x"},
            {"atMs": 5, "comment": "hi"},
        ]});
        assert_eq!(stored["outcome"]["answered"]["body"], body);
        assert_eq!(stored["attempts"], json!([{"end": {"status": 200}, "waitedMs": 0}]));
    }

    #[test]
    fn the_address_covers_what_was_said_and_not_when() {
        let digest = |exchange: Exchange| RecordedExchange::from(exchange).digest;
        let record = exchange(frames(5));
        let mut later = exchange(frames(70));
        later.timing.total_ms = 400;
        assert_eq!(digest(later), digest(record.clone()));
        let mut other = record.clone();
        other.request.body = Some(json!({"a": 1.10, "z": 1}).into());
        assert_ne!(digest(other), digest(record.clone()));
        assert_ne!(digest(exchange(Body::Whole("{}".into()))), digest(record));
    }

    #[test]
    fn failures_are_stored_with_their_kind_and_what_had_come() {
        let error = TransportError::NotUtf8 { offset: 7 };
        let outcome = HttpOutcome::Failed { error, partial: None };
        let stored = json!({"failed": {"error": {"kind": "not-utf8", "offset": 7}}});
        assert_eq!(serde_json::to_value(&outcome).unwrap(), stored);
        assert_eq!(serde_json::from_value::<HttpOutcome>(stored).unwrap(), outcome);
    }

    #[test]
    fn a_body_that_is_no_json_says_what_it_is_instead() {
        let html = exchange(Body::Whole("<html>oops</html>".into()));
        let message = html.response().unwrap().json().unwrap_err().to_string();
        assert!(message.contains("text/event-stream") && message.contains("<html>"), "{message}");
        let deep = exchange(Body::Whole("[".repeat(100_000)));
        assert!(deep.response().unwrap().json().unwrap_err().to_string().contains("recursion"));
    }
}
