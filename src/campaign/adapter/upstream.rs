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

use serde_json::Value;
use url::Url;

use crate::conversation::{Answer, ExchangeLog};
use crate::ir::{Message, Request};
use crate::sim::{ARRIVALS_PATH, Arrival, ArrivalPage, WHERE_SERVED, served_at};
use crate::target::{Access, Connection};
use crate::transport::{
    Body, Exchange, HttpCall, HttpOutcome, HttpTransport, Method, Oversize, Response, Scrubber,
    SentRequest, SizeLimits, TimedFrame, Timeouts, Timing, Transport, by_status, is_loopback,
};
use crate::wire::{Framing, read_all};

/// The largest page of arrivals that is read, in bytes.
const PAGE: usize = 256 << 20;

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
