//! How does a request get to an endpoint, and what came of it?
//!
//! One call in, one [`Exchange`] out: the evidence record of what was said, whatever went wrong.
//! Nothing here knows a provider's protocol.
//!
//! ```no_run
//! use std::sync::Arc;
//! use toolprobe::transport::{
//!     Call, HttpTransport, Patience, Patient, Scrubber, Secret, SizeLimits, Timeouts, Transport,
//!     by_status,
//! };
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let key = Secret::new(std::env::var("API_KEY")?);
//! let scrubber = Scrubber::new([key.clone()]);
//! let http = Arc::new(HttpTransport::new(Timeouts::default(), SizeLimits::default(), scrubber)?);
//! let endpoint = Patient::new(http, Patience::default());
//!
//! let url = "https://api.example.com/v1/chat/completions".parse()?;
//! let call = Call::post(url, serde_json::json!({"model": "m", "messages": []}))
//!     .credential("authorization", "Bearer ", key);
//! let exchange = endpoint.send(&call, &by_status).await;
//! match exchange.response() {
//!     Ok(response) => assert!(response.status >= 200),
//!     Err(trouble) => assert!(!trouble.to_string().is_empty()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - [`call`](self): what is sent, and what of it may be stored
//! - [`exchange`](self), [`error`](self): the record with its address, and its failures
//! - [`secret`](self), [`headers`](self): what is taken out of it, and which headers stay in
//! - [`http`](self): one attempt over HTTP; the only file that knows the HTTP client
//! - [`receive`](self), [`sniff`](self): pieces of a body to text or frames, within the limits
//! - [`cassette`](self): recorded exchanges, played back without a network
//! - [`patient`](self): limits, budget and retries around any transport
//! - [`retry`](self), [`limits`](self), [`budget`](self), [`health`](self), [`timeouts`](self): the
//!   decisions it obeys
//! - [`crowd`](self): a limit over several endpoints

mod budget;
mod call;
mod cassette;
mod crowd;
mod error;
mod exchange;
mod headers;
mod health;
mod http;
mod limits;
mod patient;
mod receive;
mod retry;
mod secret;
mod sniff;
mod timeouts;

#[cfg(test)]
mod loopback;
#[cfg(test)]
mod scripted;

use futures_util::future::BoxFuture;

pub use budget::{Budget, Tokens};
pub use call::{Call, HeaderText, Method, SentRequest};
pub use cassette::{
    Cassette, Difference, Nearest, Piecing, Playback, Recut, cut_short, differences, recut,
};
pub use crowd::{Crowd, Crowded};
pub use error::{CloseStage, Oversize, TransportError};
pub use exchange::{
    Attempt, AttemptEnd, Body, EXCHANGE_VERSION, Exchange, NotJson, Outcome, Response, TimedFrame,
    Timing,
};
pub use http::{HttpTransport, Pool, SetupError};
pub use limits::EndpointLimits;
pub use patient::{Jitter, Patience, Patient};
pub use receive::SizeLimits;
pub use retry::{Decision, Facts, Hope, Judgement, Progress, RetryPolicy, decide};
pub use secret::{MIN_SCRUBBED_LEN, SECRET_MARK, Scrubber, Secret};
pub use timeouts::{Phase, Timeouts};

/// Says of a complete response what its status cannot: whether what is inside may pass on a retry.
pub type Judge<'a> = &'a (dyn Fn(&Response) -> Judgement + Send + Sync);

/// Goes by status and headers alone.
pub fn by_status(_response: &Response) -> Judgement {
    Judgement::ByStatus
}

/// Carries calls to an endpoint. Implemented by HTTP, by [`Patient`] around another transport, and
/// by [`Cassette`], which replays recorded exchanges.
///
/// `send` always gives a record: failure is an [`Outcome`], and a record holds no secret. Dropping
/// the future cancels the exchange; nothing of it goes on in the background.
pub trait Transport: Send + Sync {
    /// The part of a call that may be stored, as the record will hold it.
    fn redact(&self, call: &Call) -> SentRequest;

    /// Carries one call. Transports that do not retry need not ask the judge.
    fn send<'a>(&'a self, call: &'a Call, judge: Judge<'a>) -> BoxFuture<'a, Exchange>;
}

impl<T: Transport + ?Sized> Transport for std::sync::Arc<T> {
    fn redact(&self, call: &Call) -> SentRequest {
        (**self).redact(call)
    }

    fn send<'a>(&'a self, call: &'a Call, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        (**self).send(call, judge)
    }
}
