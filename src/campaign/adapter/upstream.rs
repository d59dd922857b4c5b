//! The upstream's end of an adapter: which simulator it leads to, and what arrived there.
//!
//! ```text
//! let upstream = Upstream::find(&through, &access, "k3v9").await?;    // asks through the adapter
//! let before = upstream.latest().await?;
//! // … send through the adapter …
//! let arrived = upstream.arrivals(before).await?;
//! ```
//!
//! Each arrival is evidence like any exchange: [`as_exchange`] gives the record that a journal keeps.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use url::Url;

use crate::conversation::{Answer, ExchangeLog};
use crate::ir::{Message, Request};
use crate::sim::{ARRIVALS_PATH, Arrival, ArrivalPage, WATCHERS_PATH, WHERE_SERVED, served_at};
use crate::target::{Access, Connection};
use crate::transport::{
    Body, Exchange, HttpCall, HttpOutcome, HttpTransport, Method, Oversize, Response, Scrubber,
    SentRequest, SizeLimits, TimedFrame, Timeouts, Timing, Transport, by_status, is_loopback,
};
use crate::wire::{Framing, read_all};

/// The largest page of arrivals that is read, in bytes.
const PAGE: usize = 256 << 20;

/// How often a watcher says that it still watches.
const SAY_AGAIN: Duration = Duration::from_secs(2);

/// The status by which the simulator says that another one watches.
const CONFLICT: u16 = 409;

/// Why the upstream's end cannot be seen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpstreamError {
    /// Nobody said where it is.
    #[error(
        "the simulator behind the gateway does not tell its address ({0}); give it with --upstream URL"
    )]
    NotTold(String),
    /// The address that was told is not one of this machine.
    #[error(
        "the simulator behind the gateway is said to be at {0}, which is not this machine; if that is right, give it with --upstream URL"
    )]
    Elsewhere(String),
    /// What is there is not the simulator that the adapter leads to.
    #[error(
        "the simulator at {0} did not get the request that was sent through the gateway; give the right one with --upstream URL"
    )]
    Another(Url),
    /// Another gate reads what arrives there.
    #[error(
        "another gate uses the simulator at {0}, and would take these requests for its own; wait until it has ended, or put a simulator of its own behind each gateway (`toolprobe sim --addr 127.0.0.1:0`)"
    )]
    Taken(Url),
    /// It cannot be read.
    #[error("cannot read the arrivals at {url}: {problem}")]
    Unreadable {
        /// Where they are listed.
        url: Url,
        /// Why.
        problem: String,
    },
}

/// The simulator behind an adapter.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    base: Url,
    transport: Arc<HttpTransport>,
}

impl Upstream {
    /// The simulator at this address.
    pub(crate) fn at(base: Url) -> Result<Self, UpstreamError> {
        let limits = [Oversize::Body, Oversize::Values, Oversize::InFlight]
            .into_iter()
            .fold(SizeLimits::default(), |limits, what| limits.with(what, PAGE));
        let transport = HttpTransport::new(Timeouts::default(), limits, Scrubber::default())
            .map_err(|error| UpstreamError::NotTold(error.to_string()))?;
        Ok(Self { base, transport: Arc::new(transport) })
    }

    /// Asks the model behind an adapter where it is served, and makes sure that the request arrived
    /// there. The nonce is a word that no other request holds.
    pub(crate) async fn find(
        through: &Connection,
        access: &Access,
        nonce: &str,
    ) -> Result<Self, UpstreamError> {
        let said = ask_address(through, access, nonce).await.map_err(UpstreamError::NotTold)?;
        let told = served_at(&said).ok_or_else(|| UpstreamError::NotTold(said.clone()))?;
        let base = Url::parse(told).map_err(|error| UpstreamError::NotTold(error.to_string()))?;
        if !is_loopback(&base) {
            return Err(UpstreamError::Elsewhere(told.to_owned()));
        }
        let upstream = Self::at(base)?;
        let has_come = upstream.arrivals(0).await?.iter().any(|it| it.body.contains(nonce));
        if has_come { Ok(upstream) } else { Err(UpstreamError::Another(upstream.base)) }
    }

    /// Asks to be the only one who reads the arrivals, under this name, and goes on asking until the
    /// watch is dropped.
    pub(super) async fn watch(&self, name: &str) -> Result<Watch, UpstreamError> {
        if self.tell_watcher(name).await? == CONFLICT {
            return Err(UpstreamError::Taken(self.base.clone()));
        }
        let (upstream, own) = (self.clone(), name.to_owned());
        let task = tokio::spawn(async move {
            loop {
                sleep(SAY_AGAIN).await;
                // Whether it was heard shows in what comes of the requests.
                let _ = upstream.tell_watcher(&own).await;
            }
        });
        Ok(Watch { upstream: self.clone(), name: name.to_owned(), task })
    }

    /// The status of what the simulator says to a watcher.
    async fn tell_watcher(&self, name: &str) -> Result<u16, UpstreamError> {
        let mut url = self.base.clone();
        url.set_path(&format!("{WATCHERS_PATH}/{name}"));
        let exchange = self.transport.send(&HttpCall::get(url.clone()), &by_status).await;
        let response = exchange.response();
        response
            .map(|response| response.status)
            .map_err(|error| UpstreamError::Unreadable { url, problem: error.to_string() })
    }

    /// The number of the latest arrival.
    pub(crate) async fn latest(&self) -> Result<u64, UpstreamError> {
        Ok(self.page(u64::MAX).await?.latest)
    }

    /// All arrivals after this number.
    pub(crate) async fn arrivals(&self, after: u64) -> Result<Vec<Arrival>, UpstreamError> {
        let (mut after, mut found) = (after, Vec::new());
        loop {
            let page = self.page(after).await?;
            let Some(last) = page.arrivals.last() else { return Ok(found) };
            after = last.number;
            found.extend(page.arrivals);
            if after >= page.latest {
                return Ok(found);
            }
        }
    }

    async fn page(&self, after: u64) -> Result<ArrivalPage, UpstreamError> {
        let mut url = self.base.clone();
        url.set_path(&format!("{ARRIVALS_PATH}/{after}"));
        let unreadable = |problem: String| UpstreamError::Unreadable { url: url.clone(), problem };
        let exchange = self.transport.send(&HttpCall::get(url.clone()), &by_status).await;
        let response = exchange.response().map_err(|error| unreadable(error.to_string()))?;
        if !response.is_success() {
            return Err(unreadable(format!("HTTP {}", response.status)));
        }
        serde_json::from_str(&response.text()).map_err(|error| unreadable(error.to_string()))
    }
}

/// The right to read the arrivals alone.
#[derive(Debug)]
pub(super) struct Watch {
    upstream: Upstream,
    name: String,
    task: JoinHandle<()>,
}

impl Watch {
    /// Lets others watch at once; without this they wait for some seconds.
    pub(super) async fn end(&self) {
        self.task.abort();
        // A simulator that is gone has no watchers.
        let _ = self.upstream.tell_watcher(&format!("{}/end", self.name)).await;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the model behind an adapter says when it is asked where it is served.
pub(super) async fn ask_address(
    through: &Connection,
    access: &Access,
    nonce: &str,
) -> Result<String, String> {
    let question = format!("{WHERE_SERVED} ({nonce})");
    let request = Request { messages: vec![Message::user(question)], ..Request::default() };
    let client =
        through.client(access, ExchangeLog::default()).map_err(|error| error.to_string())?;
    match client.ask(&request).await.answer {
        Answer::Reply(reply) | Answer::CutShort(reply) => Ok(reply.text()),
        Answer::Refused(error) | Answer::OutputRejected(error) => Err(error.to_string()),
        Answer::Nothing(words) => Err(words),
    }
}

/// An arrival as the record of an exchange, seen from the upstream's end.
pub(crate) fn as_exchange(arrival: &Arrival) -> Exchange {
    let body: Value =
        serde_json::from_str(&arrival.body).unwrap_or_else(|_| Value::String(arrival.body.clone()));
    let request = SentRequest {
        method: Method::Post,
        url: format!("sim:{}", arrival.path),
        headers: arrival.headers.clone(),
        body: Some(body.into()),
        framing: arrival.answer.framing,
    };
    let answer = &arrival.answer;
    let headers = answer.headers.clone();
    let body = body_of(&answer.body, answer.framing);
    let response = Response { status: answer.status, headers, body };
    Exchange::single(request, HttpOutcome::Answered(response), Timing::default())
}

fn body_of(text: &str, framing: Option<Framing>) -> Body {
    let frames = framing.and_then(|framing| read_all(framing, text.as_bytes()).ok());
    match frames {
        Some(frames) => {
            Body::Frames(frames.into_iter().map(|frame| TimedFrame { at_ms: 0, frame }).collect())
        }
        None => Body::Whole(text.to_owned()),
    }
}
