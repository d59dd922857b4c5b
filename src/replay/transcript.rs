//! What stands in a transcript file?
//!
//! One target's exchanges in a form that people can read and edit: what was said, without hosts,
//! headers of requests, times and attempts. What was found in them stands beside them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rejudge::Recorded;
use crate::dialect::DialectId;
use crate::ir::{Object, ToolSpec};
use crate::probe::SuiteName;
use crate::profile::{Subject, ThinkingSwitch};
use crate::sim::Provenance;
use crate::store::{StoreError, VersionedFile};
use crate::transport::{
    Body, Exchange, HttpOutcome, Method, Response, SentRequest, TimedFrame, Timing, TransportError,
};
use crate::wire::{Frame, Framing};

/// The version of the file format this binary writes.
pub const TRANSCRIPT_VERSION: u32 = 1;

const FORMAT: VersionedFile =
    VersionedFile { what: "transcript", field: "transcriptVersion", version: TRANSCRIPT_VERSION };

/// A transcript file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Transcript {
    /// The version of this format.
    pub transcript_version: u32,
    /// Where the bytes are known from.
    pub provenance: Provenance,
    /// Where exactly: an endpoint, or a simulated model and the page that its behaviour is from.
    pub source: String,
    /// Who was asked.
    pub subject: Subject,
    /// In which dialect.
    pub dialect: DialectId,
    /// Further fields of every request.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub extra_body: Object,
    /// How thinking was switched, where that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingSwitch>,
    /// Which suite was asked.
    pub suite: SuiteName,
    /// Which version of it.
    pub probe_version: String,
    /// Where the values of the trials came from.
    pub seed: u64,
    /// Trials of each case.
    pub trials: u32,
    /// The user's own tools that were asked for as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// What the exchanges show.
    pub verdicts: Value,
    /// What was said, in the order that a replay asks for it.
    pub exchanges: Vec<Take>,
}

/// One exchange. It has a `reply` or an `error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "StoredTake", into = "StoredTake")]
#[schemars(with = "StoredTake")]
pub struct Take {
    /// What was asked.
    pub request: Asked,
    /// What came back.
    pub reply: Result<Said, TransportError>,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// The method.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// The framing of the stream that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The HTTP status.
    pub status: u16,
    /// The headers that matter, but for the length, which the body has itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: SaidBody,
}

/// A body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SaidBody {
    /// One JSON value, where writing it again gives the same bytes.
    Json(Value),
    /// Any other text.
    Text(String),
    /// The frames of a stream.
    Frames(Vec<SaidFrame>),
}

/// A frame of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "StoredFrame", into = "StoredFrame")]
#[schemars(with = "StoredFrame")]
pub struct SaidFrame(pub Frame);

impl Transcript {
    /// The transcript in a file. One that a newer version wrote is refused: what it means may have
    /// changed.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        FORMAT.read_known(path)
    }

    /// Writes it. A newer file is not overwritten.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        FORMAT.write(path, self)
    }

    /// What was asked of whom.
    pub fn recorded(&self) -> Recorded {
        Recorded {
            subject: self.subject.clone(),
            dialect: self.dialect,
            extra_body: self.extra_body.clone(),
            thinking: self.thinking.clone(),
            seed: self.seed,
            trials: self.trials,
        }
    }

    /// The exchanges, to be played back.
    pub fn exchanges(&self) -> impl Iterator<Item = Arc<Exchange>> {
        self.exchanges.iter().map(|take| Arc::new(take.into()))
    }
}

impl From<&Exchange> for Take {
    fn from(exchange: &Exchange) -> Self {
        let SentRequest { method, framing, ref body, .. } = exchange.request;
        let path = exchange.request.path();
        let request = Asked { method, path, framing, body: body.clone() };
        let reply = exchange.response().map(Said::from).map_err(Clone::clone);
        Self { request, reply }
    }
}

impl From<&Take> for Exchange {
    fn from(take: &Take) -> Self {
        let Asked { method, path, framing, body } = take.request.clone();
        let request = SentRequest { method, url: path, headers: Vec::new(), body, framing };
        let outcome = match &take.reply {
            Ok(said) => HttpOutcome::Answered(said.into()),
            Err(error) => HttpOutcome::Failed { error: error.clone(), partial: None },
        };
        Self::single(request, outcome, Timing::default())
    }
}

impl From<&Response> for Said {
    fn from(response: &Response) -> Self {
        let body = match &response.body {
            Body::Whole(text) => match lossless(text) {
                Some(value) => SaidBody::Json(value),
                None => SaidBody::Text(text.clone()),
            },
            Body::Frames(frames) => {
                let frames = frames.iter().map(|timed| SaidFrame(timed.frame.clone()));
                SaidBody::Frames(frames.collect())
            }
        };
        let headers = response.headers.iter().filter(|(name, _)| name != "content-length");
        Self { status: response.status, headers: headers.cloned().collect(), body }
    }
}

/// The JSON in a text, where writing it again gives the same text.
fn lossless(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let written = value.to_string();
    (written == text).then_some(value)
}

impl From<&Said> for Response {
    fn from(said: &Said) -> Self {
        let body = match &said.body {
            SaidBody::Json(value) => Body::Whole(value.to_string()),
            SaidBody::Text(text) => Body::Whole(text.clone()),
            SaidBody::Frames(frames) => {
                let timed = |frame: &SaidFrame| TimedFrame { at_ms: 0, frame: frame.0.clone() };
                Body::Frames(frames.iter().map(timed).collect())
            }
        };
        let headers = said.headers.clone().into_iter().collect();
        Self { status: said.status, headers, body }
    }
}

/// A take as it is stored.
#[derive(Serialize, Deserialize, JsonSchema)]
struct StoredTake {
    request: Asked,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<Said>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<TransportError>,
}

impl From<Take> for StoredTake {
    fn from(Take { request, reply }: Take) -> Self {
        match reply {
            Ok(said) => Self { request, reply: Some(said), error: None },
            Err(error) => Self { request, reply: None, error: Some(error) },
        }
    }
}

impl TryFrom<StoredTake> for Take {
    type Error = &'static str;

    fn try_from(stored: StoredTake) -> Result<Self, Self::Error> {
        let reply = match (stored.reply, stored.error) {
            (Some(said), None) => Ok(said),
            (None, Some(error)) => Err(error),
            _ => return Err("an exchange has either 'reply' or 'error'"),
        };
        Ok(Self { request: stored.request, reply })
    }
}

/// A frame as it is stored.
#[derive(Serialize, Deserialize, JsonSchema)]
struct StoredFrame {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

impl From<SaidFrame> for StoredFrame {
    fn from(SaidFrame(frame): SaidFrame) -> Self {
        match frame {
            Frame::Event { event, data } => Self { event, data: Some(data), comment: None },
            Frame::Comment(text) => Self { event: None, data: None, comment: Some(text) },
        }
    }
}

impl TryFrom<StoredFrame> for SaidFrame {
    type Error = &'static str;

    fn try_from(stored: StoredFrame) -> Result<Self, Self::Error> {
        match (stored.data, stored.comment) {
            (Some(data), None) => Ok(Self(Frame::Event { event: stored.event, data })),
            (None, Some(text)) => Ok(Self(Frame::Comment(text))),
            _ => Err("a frame has either 'data' or 'comment'"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn take(body: Body) -> Take {
        let request = SentRequest {
            method: Method::Post,
            url: "https://api.test/v1/m:stream?alt=sse&key=[secret]".to_owned(),
            headers: vec![("x".to_owned(), "y".to_owned())],
            body: Some(json!({"a": 1})),
            framing: Some(Framing::Sse),
        };
        let response = Response { status: 200, headers: Vec::new(), body };
        let timing = Timing { first_byte_ms: Some(1), total_ms: 2 };
        Take::from(&Exchange::single(request, HttpOutcome::Answered(response), timing))
    }

    #[test]
    fn an_exchange_is_kept_as_what_was_said() {
        let frame = |frame| TimedFrame { at_ms: 9, frame };
        let frames = vec![frame(Frame::named("e", "{}")), frame(Frame::Comment("hi".to_owned()))];
        let stored = serde_json::to_value(take(Body::Frames(frames))).unwrap();
        let expected = json!({
            "request": {
                "method": "POST", "path": "/v1/m:stream?alt=sse", "framing": "sse", "body": {"a": 1}
            },
            "reply": {
                "status": 200,
                "body": {"frames": [{"event": "e", "data": "{}"}, {"comment": "hi"}]}
            },
        });
        assert_eq!(stored, expected);
        let read: Take = serde_json::from_value(stored).unwrap();
        assert_eq!(Take::from(&Exchange::from(&read)), read);
    }

    #[test]
    fn a_body_is_json_only_where_that_keeps_its_bytes() {
        for (text, is_json) in
            [(r#"{"b":1,"a":[1.0]}"#, true), (r#"{ "a": 1 }"#, false), ("<html>", false)]
        {
            let take = take(Body::Whole(text.to_owned()));
            let said = take.reply.as_ref().unwrap();
            assert_eq!(matches!(said.body, SaidBody::Json(_)), is_json, "{text}");
            assert_eq!(Response::from(said).text(), text);
        }
    }

    #[test]
    fn an_exchange_without_an_answer_keeps_its_error() {
        let mut take = take(Body::Whole(String::new()));
        take.reply = Err(TransportError::NotUtf8 { offset: 3 });
        let stored = serde_json::to_value(&take).unwrap();
        assert_eq!(stored["error"]["kind"], "not-utf8");
        assert_eq!(serde_json::from_value::<Take>(stored).unwrap(), take);
        let neither = json!({"request": {"method": "GET", "path": "/"}});
        let problem = serde_json::from_value::<Take>(neither).unwrap_err().to_string();
        assert_eq!(problem, "an exchange has either 'reply' or 'error'");
    }
}
