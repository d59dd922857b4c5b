//! Transport: sends requests to endpoints and records what came back.
//!
//! One call in, one [`Exchange`] out: the evidence record of what was said, whatever went wrong.
//! Nothing here knows a provider's protocol.
//!
//! ```no_run
//! use toolprobe::transport::{
//!     HttpCall, HttpTransport, RetrySettings, Retrying, Scrubber, Secret, SizeLimits, Timeouts, Transport,
//!     by_status,
//! };
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let key = Secret::new(std::env::var("API_KEY")?);
//! let scrubber = Scrubber::new([key.clone()]);
//! let http = HttpTransport::new(Timeouts::default(), SizeLimits::default(), scrubber)?;
//! let endpoint = Retrying::new(http, RetrySettings::default());
//!
//! let url = "https://api.example.com/v1/chat/completions".parse()?;
//! let call = HttpCall::post(url, serde_json::json!({"model": "m", "messages": []}))
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
//! - `call`: what is sent, and what of it may be stored; `json_body`: its body, written once
//! - `exchange`, `error`: the evidence record with its digest, and the kinds of failure
//! - `headers`: which headers are kept, and which carry no credential
//! - `http`: one attempt over HTTP, alone with the HTTP client; `tls`: its certificates; `lane`: whose connections a
//!   thread uses
//! - `receive`, `sniff`: from pieces of a body to a text or frames, within size limits
//! - `apart`: work on long texts, one after the other, on a thread for such work
//! - `bounds`: how large each part of a reply may be; `in_flight`: how much of all replies together
//! - `cassette`: recorded exchanges, played back without a network
//! - `retrying`: retries, limits and budget around any transport
//! - `retry`, `health`, `timeouts`: the decisions that `retrying` follows
//! - `spending`: the budget of a run, what one attempt reserves of it, and what tokens cost
//! - `admission`: who is sent next, by the limits of a run, its providers and its endpoints
//! - `journal`: what is kept as it happens, and recalled by a resumed run
//! - `send_gate`: lets nothing new out once a run is to stop

mod admission;
mod apart;
mod bounds;
mod call;
mod cassette;
mod error;
mod exchange;
mod headers;
mod health;
mod http;
mod in_flight;
mod journal;
mod json_body;
mod lane;
mod receive;
mod retry;
mod retrying;
mod send_gate;
mod sniff;
mod spending;
mod timeouts;
mod tls;

#[cfg(test)]
pub(crate) mod testing;

use futures_util::future::BoxFuture;

pub(crate) use crate::secret::SECRET_MARK;
pub use crate::secret::{Scrubber, Secret};
pub(crate) use admission::RunLimits;
pub use admission::{EndpointLimits, SharedLimits};
pub(crate) use apart::{apart, apart_if_long, aside};
pub use bounds::{Oversize, SizeLimits};
pub(crate) use call::secrets_in_url;
pub use call::{HeaderText, HttpCall, Method, SentRequest};
pub(crate) use cassette::{Cassette, Playback, RequestKey, difference_size, differences};
pub use cassette::{JsonDifference, Nearest, Piecing, Recut, cut_short, recut};
pub use error::TransportError;
pub(crate) use exchange::EXCHANGE_VERSION;
pub use exchange::{
    Body, Exchange, HttpOutcome, Measurements, RecordedExchange, Response, TimedFrame, Timing,
};
pub(crate) use headers::is_open_header;
pub(crate) use http::is_loopback;
pub use http::{HttpTransport, Pool, SetupError};
pub use in_flight::InFlight;
pub(crate) use journal::Journaled;
pub use journal::{Journal, Spent, Standing};
pub use json_body::JsonBody;
pub(crate) use lane::{enter_lane, lanes};
pub use retry::{Judgement, RetryPolicy};
pub use retrying::{RetrySettings, Retrying};
pub use send_gate::SendGate;
pub(crate) use spending::in_tokens;
pub use spending::{Budget, BudgetLimits, Money, Price, TokenCount};
pub use timeouts::Timeouts;

/// Judges a complete response by its content: whether a retry may help is not always in the status.
pub type Judge<'a> = &'a (dyn Fn(&Response) -> Judgement + Send + Sync);

/// Judges by status and headers alone.
pub fn by_status(_response: &Response) -> Judgement {
    Judgement::ByStatus
}

/// Sends calls to an endpoint. Implemented by HTTP, by `Retrying`, `Journaled` and others around
/// another transport, and by `Cassette`, which replays recorded exchanges.
///
/// `send` always gives a record: failure is an [`HttpOutcome`], and a record holds no secret. Dropping
/// the future cancels the exchange; nothing of it goes on in the background.
pub trait Transport: Send + Sync {
    /// The part of a call that may be stored, as the record will hold it.
    fn redact(&self, call: &HttpCall) -> SentRequest;

    /// Sends one call. A transport that retries asks the judge about every response, last of all about
    /// the one it gives back; others need not ask.
    fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange>;
}
