//! Whereabouts: where the simulator writes its arrivals, for a program that reads them.
//!
//! A client behind an adapter cannot know which simulator the adapter leads to. So it asks, in words
//! that every adapter passes on, and the answer names the address. Another question is answered slowly,
//! so that it shows who collects a stream and who forwards it.

use std::num::NonZeroUsize;

use axum::http::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::HttpAnswer;
use super::arrivals::{Arrival, Arrivals};
use super::respond::IncomingRequest;
use crate::ir::{Part, Reply, Request, Role, Stop, StopKind, Usage};
use crate::sim::Pace;

/// The question that a simulated model of any kind answers with its server's address.
pub(crate) const WHERE_SERVED: &str = "Which toolprobe simulator serves you, and at which address?";

/// The question that a simulated model of any kind answers with the words of the next line, slowly.
pub(crate) const REPEAT_SLOWLY: &str = "Repeat the words of the next line slowly, one at a time:";

/// The waits of a slow answer.
const SLOW: Pace = Pace { first_ms: 25, between_ms: 25 };

/// How long the pieces of a slow answer are.
const SLOW_PIECE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// Stands before the address in the answer.
const SERVED_AT: &str = "The toolprobe simulator at ";

/// Where the arrivals are listed; a number after a slash lists those after it.
pub(crate) const ARRIVALS_PATH: &str = "/toolprobe/arrivals";

/// How many bytes of requests and answers are listed at once.
const PAGE: usize = 2 << 20;

/// A page of arrivals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArrivalPage {
    /// The number of the latest arrival of all.
    pub latest: u64,
    /// Those after the number that was asked for, in order; the first ones where they are many.
    pub arrivals: Vec<Arrival>,
}

/// An answer that the server gives by itself, and how it is sent.
pub(super) struct OwnAnswer {
    pub(super) reply: Reply,
    /// The waits and the length of the pieces of a stream, where they are not the model's.
    pub(super) manner: Option<(Pace, NonZeroUsize)>,
}

/// The answer to a question about the server; `None` for other requests.
pub(super) fn answer(request: &Request, served_at: &str) -> Option<OwnAnswer> {
    let last = request.messages.iter().rev().find(|message| message.role == Role::User)?.text();
    if last.contains(WHERE_SERVED) {
        return Some(OwnAnswer::new(request, format!("{SERVED_AT}{served_at} does."), None));
    }
    let (_, words) = last.split_once(REPEAT_SLOWLY)?;
    let words = words.trim_start().lines().next()?;
    Some(OwnAnswer::new(request, words.trim().to_owned(), Some((SLOW, SLOW_PIECE))))
}

impl OwnAnswer {
    fn new(request: &Request, text: String, manner: Option<(Pace, NonZeroUsize)>) -> Self {
        let stop = Stop::unlabelled(StopKind::EndTurn);
        let mut reply = Reply::new(vec![Part::Text(text)], stop);
        // Some gateways take no reply without its model and its cost.
        reply.model_echo = Some(request.model.clone());
        reply.usage = Usage { input: Some(16), output: Some(16), ..Usage::default() };
        Self { reply, manner }
    }
}

/// The address in the answer to that question.
pub(crate) fn served_at(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once(SERVED_AT)?;
    rest.split_whitespace().next()
}

/// The list of arrivals; `None` for other requests.
pub(super) fn list(arrivals: &Arrivals, incoming: &IncomingRequest<'_>) -> Option<HttpAnswer> {
    let rest = incoming.path.strip_prefix(ARRIVALS_PATH)?;
    if incoming.method != Method::GET || !(rest.is_empty() || rest.starts_with('/')) {
        return None;
    }
    let after = rest.trim_matches('/').parse().unwrap_or(0);
    let shown: Vec<Value> = arrivals.up_to(after, PAGE).iter().map(with_meaning).collect();
    Some(HttpAnswer::json(200, &json!({"latest": arrivals.latest(), "arrivals": shown})))
}

/// An arrival with its request in canonical form.
fn with_meaning(arrival: &Arrival) -> Value {
    let mut shown = json!(arrival);
    if let Some(object) = shown.as_object_mut() {
        object.insert("request".to_owned(), json!(arrival.request()));
    }
    shown
}
