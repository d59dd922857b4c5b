//! Recorded exchanges: requests and replies as a transcript keeps them.
//!
//! People can read and edit them: hosts, headers of requests, times and attempts are left out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::transport::{
    Body, Exchange, HttpOutcome, JsonBody, Method, Response, SentRequest, TimedFrame, Timing,
    TransportError,
};
use crate::wire::{Frame, Framing};

/// One exchange. It has a `reply` or an `error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "StoredExchange", into = "StoredExchange")]
#[schemars(with = "StoredExchange")]
pub struct TranscriptExchange {
    /// What was asked.
    pub request: TranscriptRequest,
    /// What came back.
    pub reply: Result<TranscriptReply, TransportError>,
}

/// What was sent, without credentials and without the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TranscriptRequest {
    /// `GET` or `POST`.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// The framing of the stream that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
    /// What a `POST` carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// What came back, without what differs from time to time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TranscriptReply {
    /// The HTTP status.
    pub status: u16,
    /// The headers that matter, but for the length, which the body has itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// All of it, in the shortest form that keeps the bytes.
    pub body: TranscriptBody,
}

/// What a reply carried, in the shortest form that keeps the bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TranscriptBody {
    /// One JSON value, where writing it again gives the same bytes.
    Json(Value),
    /// Any other text.
    Text(String),
    /// The frames of a stream.
    Frames(Vec<TranscriptFrame>),
}

/// A frame of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "StoredFrame", into = "StoredFrame")]
#[schemars(with = "StoredFrame")]
pub struct TranscriptFrame(pub Frame);

impl From<&Exchange> for TranscriptExchange {
    fn from(exchange: &Exchange) -> Self {
        let SentRequest { method, framing, ref body, .. } = exchange.request;
        let path = exchange.request.path();
        let request =
            TranscriptRequest { method, path, framing, body: body.clone().map(Value::from) };
        let reply = exchange.response().map(TranscriptReply::from).map_err(Clone::clone);
        Self { request, reply }
    }
}

impl From<&TranscriptExchange> for Exchange {
    fn from(recorded: &TranscriptExchange) -> Self {
        let TranscriptRequest { method, path, framing, body } = recorded.request.clone();
        let body = body.map(JsonBody::from);
        let request = SentRequest { method, url: path, headers: Vec::new(), body, framing };
        let outcome = match &recorded.reply {
            Ok(reply) => HttpOutcome::Answered(reply.into()),
            Err(error) => HttpOutcome::Failed { error: error.clone(), partial: None },
        };
        Self::single(request, outcome, Timing::default())
    }
}

impl From<&Response> for TranscriptReply {
    fn from(response: &Response) -> Self {
        let body = match &response.body {
            Body::Whole(text) => match lossless(text) {
                Some(value) => TranscriptBody::Json(value),
                None => TranscriptBody::Text(text.clone()),
            },
            Body::Frames(frames) => {
                let frames = frames.iter().map(|timed| TranscriptFrame(timed.frame.clone()));
                TranscriptBody::Frames(frames.collect())
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

impl From<&TranscriptReply> for Response {
    fn from(reply: &TranscriptReply) -> Self {
        let body = match &reply.body {
            TranscriptBody::Json(value) => Body::Whole(value.to_string()),
            TranscriptBody::Text(text) => Body::Whole(text.clone()),
            TranscriptBody::Frames(frames) => {
                let timed =
                    |frame: &TranscriptFrame| TimedFrame { at_ms: 0, frame: frame.0.clone() };
                Body::Frames(frames.iter().map(timed).collect())
            }
        };
        let headers = reply.headers.clone().into_iter().collect();
        Self { status: reply.status, headers, body }
    }
}

/// An exchange as it is stored.
#[derive(Serialize, Deserialize, JsonSchema)]
struct StoredExchange {
    request: TranscriptRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<TranscriptReply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<TransportError>,
}

impl From<TranscriptExchange> for StoredExchange {
    fn from(TranscriptExchange { request, reply }: TranscriptExchange) -> Self {
        match reply {
            Ok(reply) => Self { request, reply: Some(reply), error: None },
            Err(error) => Self { request, reply: None, error: Some(error) },
        }
    }
}

impl TryFrom<StoredExchange> for TranscriptExchange {
    type Error = &'static str;

    fn try_from(stored: StoredExchange) -> Result<Self, Self::Error> {
        let reply = match (stored.reply, stored.error) {
            (Some(reply), None) => Ok(reply),
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

impl From<TranscriptFrame> for StoredFrame {
    fn from(TranscriptFrame(frame): TranscriptFrame) -> Self {
        match frame {
            Frame::Event { event, data } => Self { event, data: Some(data), comment: None },
            Frame::Comment(text) => Self { event: None, data: None, comment: Some(text) },
        }
    }
}

impl TryFrom<StoredFrame> for TranscriptFrame {
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

    fn recorded(body: Body) -> TranscriptExchange {
        let request = SentRequest {
            method: Method::Post,
            url: "https://api.test/v1/m:stream?alt=sse&key=[secret]".to_owned(),
            headers: vec![("x".to_owned(), "y".to_owned())],
            body: Some(json!({"a": 1}).into()),
            framing: Some(Framing::Sse),
        };
        let response = Response { status: 200, headers: Vec::new(), body };
        let timing = Timing { first_byte_ms: Some(1), total_ms: 2 };
        TranscriptExchange::from(&Exchange::single(
            request,
            HttpOutcome::Answered(response),
            timing,
        ))
    }

    #[test]
    fn an_exchange_is_kept_as_what_was_said() {
        let frame = |frame| TimedFrame { at_ms: 9, frame };
        let frames = vec![frame(Frame::named("e", "{}")), frame(Frame::Comment("hi".to_owned()))];
        let stored = serde_json::to_value(recorded(Body::Frames(frames))).unwrap();
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
        let read: TranscriptExchange = serde_json::from_value(stored).unwrap();
        assert_eq!(TranscriptExchange::from(&Exchange::from(&read)), read);
    }

    #[test]
    fn a_body_is_json_only_where_that_keeps_its_bytes() {
        for (text, is_json) in
            [(r#"{"b":1,"a":[1.0]}"#, true), (r#"{ "a": 1 }"#, false), ("<html>", false)]
        {
            let exchange = recorded(Body::Whole(text.to_owned()));
            let reply = exchange.reply.as_ref().unwrap();
            assert_eq!(matches!(reply.body, TranscriptBody::Json(_)), is_json, "{text}");
            assert_eq!(Response::from(reply).text(), text);
        }
    }

    #[test]
    fn an_exchange_without_an_answer_keeps_its_error() {
        let mut exchange = recorded(Body::Whole(String::new()));
        exchange.reply = Err(TransportError::NotUtf8 { offset: 3 });
        let stored = serde_json::to_value(&exchange).unwrap();
        assert_eq!(stored["error"]["kind"], "not-utf8");
        assert_eq!(serde_json::from_value::<TranscriptExchange>(stored).unwrap(), exchange);
        let neither = json!({"request": {"method": "GET", "path": "/"}});
        let problem =
            serde_json::from_value::<TranscriptExchange>(neither).unwrap_err().to_string();
        assert_eq!(problem, "an exchange has either 'reply' or 'error'");
    }
}
