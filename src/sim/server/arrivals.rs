//! Arrivals: the requests that reached the simulator, and what each was answered.
//!
//! This is the upstream's end of an adapter. Whoever stands at the client's end knows what left, finds
//! here what arrived, and pairs the two by what the conversation says (prompts and results carry seeded
//! values that occur nowhere else; see `regress::passage::pair_travellers`). No header is needed, because
//! few adapters pass headers on.
//!
//! The list is read in the process that serves ([`super::Running::arrivals`]) or over HTTP
//! (`GET /toolprobe/arrivals/N` lists those after `N`), where each arrival also shows its request in canonical form. A
//! field audit sends one request with a nonce in its prompt through the adapter, reads the arrivals
//! after the number that was the latest before, and compares `Arrival::request` and
//! `Arrival::body` with what it sent. `campaign::Upstream` finds the simulator behind an adapter and
//! does the reading.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::HttpAnswer;
use super::respond::IncomingRequest;
use crate::dialect::{DialectId, Route};
use crate::ir::Request;
use crate::wire::Framing;

/// The most arrivals that are remembered; older ones are forgotten.
const MOST_ARRIVALS: usize = 32_768;

/// The most bytes of requests and answers that are remembered.
const MOST_BYTES: usize = 256 << 20;

/// The request headers that are kept. None of them carries a credential.
const KEPT_HEADERS: [&str; 5] =
    ["accept", "anthropic-beta", "anthropic-version", "content-type", "user-agent"];

/// A request that reached the simulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Arrival {
    /// Its place in the order of arrivals, from 1.
    pub number: u64,
    /// The dialect of the path that was called.
    pub dialect: DialectId,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The path that was called, without its query.
    pub path: String,
    /// The headers that tell something and carry no credential.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub body: String,
    /// What was answered.
    pub answer: SentAnswer,
}

/// What the simulator answered to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SentAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it was to be sent.
    pub body: String,
    /// The framing of a stream; `None` for a whole body.
    pub framing: Option<Framing>,
    /// How far it came.
    pub delivery: Delivery,
}

/// How far an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// It is being sent.
    Underway,
    /// All of it was given to the connection.
    Sent,
    /// The other end hung up before all of a stream was sent.
    HungUp,
}

impl Arrival {
    /// The request in canonical form; `None` where it cannot be read.
    pub fn request(&self) -> Option<Request> {
        let (_, route) = Route::parse(&self.path)?;
        let body: Value = serde_json::from_str(&self.body).ok()?;
        self.dialect.codec().decode_request(&body, &route).ok()
    }

    fn size(&self) -> usize {
        self.body.len() + self.answer.body.len()
    }
}

/// The arrivals of one server: the latest ones, within bounds. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Arrivals(Arc<Mutex<Remembered>>);

#[derive(Debug, Default)]
struct Remembered {
    arrivals: VecDeque<Arrival>,
    bytes: usize,
    latest: u64,
}

impl Arrivals {
    /// The number of the latest arrival; 0 before the first.
    pub fn latest(&self) -> u64 {
        self.lock().latest
    }

    /// The arrivals after this number that are remembered, in order.
    pub fn after(&self, number: u64) -> Vec<Arrival> {
        self.up_to(number, usize::MAX)
    }

    /// The arrivals after this number, as many as fit into so many bytes and at least one.
    pub(super) fn up_to(&self, number: u64, bytes: usize) -> Vec<Arrival> {
        let remembered = self.lock();
        let mut left = bytes;
        let later = remembered.arrivals.iter().filter(|arrival| arrival.number > number);
        later
            .take_while(|arrival| {
                let fits = left > 0;
                left = left.saturating_sub(arrival.size());
                fits
            })
            .cloned()
            .collect()
    }

    /// Notes a call on a provider's path with its answer; `None` for other requests.
    pub(super) fn note(
        &self,
        incoming: &IncomingRequest<'_>,
        answer: &HttpAnswer,
    ) -> Option<DeliveryNote> {
        let mut arrival = arrival(incoming, answer)?;
        let mut remembered = self.lock();
        remembered.latest += 1;
        arrival.number = remembered.latest;
        remembered.push(arrival);
        Some(DeliveryNote {
            arrivals: self.clone(),
            number: remembered.latest,
            end: Delivery::HungUp,
        })
    }

    fn settle(&self, number: u64, delivery: Delivery) {
        let mut remembered = self.lock();
        // The latest are at the end, and most answers are short.
        let arrival = remembered.arrivals.iter_mut().rev().find(|it| it.number == number);
        if let Some(arrival) = arrival {
            arrival.answer.delivery = delivery;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remembered {
    fn push(&mut self, arrival: Arrival) {
        self.bytes += arrival.size();
        self.arrivals.push_back(arrival);
        while self.arrivals.len() > MOST_ARRIVALS || self.bytes > MOST_BYTES {
            let Some(oldest) = self.arrivals.pop_front() else { break };
            self.bytes -= oldest.size();
        }
    }
}

/// Notes how far an answer came, when it is dropped.
#[derive(Debug)]
pub(super) struct DeliveryNote {
    arrivals: Arrivals,
    number: u64,
    end: Delivery,
}

impl DeliveryNote {
    /// All of the answer was given to the connection.
    pub(super) fn sent(&mut self) {
        self.end = Delivery::Sent;
    }
}

impl Drop for DeliveryNote {
    fn drop(&mut self) {
        self.arrivals.settle(self.number, self.end);
    }
}

fn arrival(incoming: &IncomingRequest<'_>, answer: &HttpAnswer) -> Option<Arrival> {
    let (dialect, route) = Route::parse(incoming.path)?;
    let body = String::from_utf8_lossy(incoming.body?).into_owned();
    let in_body = || Some(model_in(&body)?.as_str()?.to_owned());
    let model = route.model.clone().or_else(in_body);
    let kept = |name: &&str| {
        let value = incoming.headers.get(*name)?.to_str().ok()?;
        Some(((*name).to_owned(), value.to_owned()))
    };
    Some(Arrival {
        number: 0,
        dialect,
        model,
        path: incoming.path.to_owned(),
        headers: KEPT_HEADERS.iter().filter_map(kept).collect(),
        body,
        answer: SentAnswer::of(answer),
    })
}

fn model_in(body: &str) -> Option<Value> {
    #[derive(Deserialize)]
    struct Named {
        model: Value,
    }
    Some(serde_json::from_str::<Named>(body).ok()?.model)
}

impl SentAnswer {
    fn of(answer: &HttpAnswer) -> Self {
        let headers = answer.headers.iter();
        Self {
            status: answer.status,
            headers: headers
                .map(|(name, value)| (name.clone().into_owned(), value.clone()))
                .collect(),
            body: String::from_utf8_lossy(&answer.payload.bytes()).into_owned(),
            framing: answer.framing,
            delivery: Delivery::Underway,
        }
    }
}
