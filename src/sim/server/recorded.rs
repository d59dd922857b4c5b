//! Recorded answers, served in place of simulated models.
//!
//! The server knows the providers' paths and how streams are framed; which recorded answer belongs to
//! a request is known to the owner of the recordings.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;

use axum::http::Method;
use serde_json::Value;

use super::answer::HttpAnswer;
use super::listing::{self, Listed};
use super::respond::{self, IncomingRequest};
use super::whereabouts;
use crate::dialect::{DeltaLength, DialectId, Route, Stamp};
use crate::ir::{Reply, Request};
use crate::sim::RulesId;
use crate::sim::rules::{self, ServiceFault};
use crate::wire::{Frame, Framing};

/// Recorded answers by the requests that they answered. Implemented by `replay`, which reads
/// transcripts; it must not block.
pub trait RecordedAnswers: fmt::Debug + Send + Sync {
    /// The models that were recorded, with their dialects.
    fn models(&self) -> Vec<(String, DialectId)>;

    /// The answer to a request that came in this dialect.
    fn answer(&self, dialect: DialectId, request: &Request) -> RecordedAnswer;
}

/// What is answered to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordedAnswer {
    /// A body as it was recorded.
    Whole(RecordedHead, String),
    /// The frames of a stream as they were recorded.
    Frames(RecordedHead, Vec<Frame>),
    /// A reply of the server's own.
    Reply(Box<Reply>),
    /// No recording fits: why, in words.
    NotRecorded(String),
}

/// What stands before a recorded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedHead {
    /// The HTTP status.
    pub status: u16,
    /// The headers that were kept.
    pub headers: Vec<(String, String)>,
}

/// Headers that the server sets by itself, for the bytes that it sends.
const OWN_HEADERS: [&str; 5] =
    ["content-length", "transfer-encoding", "content-encoding", "connection", "date"];

/// The answer to a request, from recordings.
pub(super) fn respond(
    recordings: &dyn RecordedAnswers,
    incoming: &IncomingRequest<'_>,
) -> HttpAnswer {
    let Some((dialect, route)) = Route::of_call(incoming.path) else {
        let models = recordings.models();
        let listed: Vec<Listed<'_>> =
            models.iter().map(|(name, dialect)| Listed { name, dialect: *dialect }).collect();
        return listing::names(&listed, incoming.method, incoming.path, incoming.headers)
            .unwrap_or_else(|| respond::no_such_path(incoming.method, incoming.path));
    };
    if incoming.method != Method::POST {
        return respond::wrong_method(incoming.method, incoming.path);
    }
    let body: Value =
        serde_json::from_slice(incoming.body.unwrap_or_default()).unwrap_or(Value::Null);
    match dialect.codec().decode_request(&body, &route) {
        Ok(request) => reply(recordings, incoming, dialect, &request),
        Err(problem) => refusal(dialect, &problem.to_string()),
    }
}

fn reply(
    recordings: &dyn RecordedAnswers,
    incoming: &IncomingRequest<'_>,
    dialect: DialectId,
    request: &Request,
) -> HttpAnswer {
    let framing = respond::framing(dialect, incoming);
    if let Some(own) = whereabouts::answer(request, incoming.served_at) {
        return own_reply(dialect, framing, request, &own.reply);
    }
    match recordings.answer(dialect, request) {
        RecordedAnswer::Whole(head, text) => {
            let kind = head.header("content-type").unwrap_or("application/json");
            with_head(HttpAnswer::text(head.status, kind, &text), &head)
        }
        RecordedAnswer::Frames(head, frames) => {
            with_head(HttpAnswer::stream(framing, respond::style(dialect), &frames), &head)
        }
        RecordedAnswer::Reply(reply) => own_reply(dialect, framing, request, &reply),
        RecordedAnswer::NotRecorded(words) => refusal(dialect, &words),
    }
}

/// A refusal in the provider's own shape.
fn refusal(dialect: DialectId, words: &str) -> HttpAnswer {
    let rules = RulesId::of(dialect);
    let violation = rules::fault(rules, &ServiceFault::Unreadable(words));
    rules::refuse(rules, &violation, "req_recorded").into()
}

fn own_reply(dialect: DialectId, framing: Framing, request: &Request, reply: &Reply) -> HttpAnswer {
    let stamp = Stamp { created: 0, usage: true };
    if request.stream {
        let frames = dialect.codec().encode_stream(reply, &stamp, DeltaLength(NonZeroUsize::MAX));
        return HttpAnswer::stream(framing, respond::style(dialect), &frames);
    }
    HttpAnswer::json(200, &dialect.codec().encode_reply(reply, &stamp))
}

impl RecordedHead {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

fn with_head(mut answer: HttpAnswer, head: &RecordedHead) -> HttpAnswer {
    answer.status = head.status;
    let is_set = |name: &str, answer: &HttpAnswer| answer.headers.iter().any(|it| it.0 == name);
    for (name, value) in &head.headers {
        if !OWN_HEADERS.contains(&name.as_str()) && !is_set(name, &answer) {
            answer.headers.push((Cow::Owned(name.clone()), value.clone()));
        }
    }
    answer
}
