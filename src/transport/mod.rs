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
//! - `call`: what is sent, and what of it may be stored
//! - `exchange`, `error`: the evidence record with its digest, and the kinds of failure
//! - `secret`, `headers`: removing secrets, and which headers are kept
//! - `http`: one attempt over HTTP; the only file that uses the HTTP client
//! - `receive`, `sniff`: from pieces of a body to a text or frames, within size limits
//! - `cassette`: recorded exchanges, played back without a network
//! - `retrying`: retries, limits and budget around any transport
//! - `retry`, `limits`, `budget`, `health`, `timeouts`: the decisions that `retrying` follows
//! - `concurrency_limit`: one limit over the requests to several endpoints

mod budget;
mod call;
mod cassette;
mod concurrency_limit;
mod error;
mod exchange;
mod headers;
mod health;
mod http;
mod limits;
mod receive;
mod retry;
mod retrying;
mod secret;
mod sniff;
mod timeouts;

#[cfg(test)]
mod loopback;
#[cfg(test)]
pub(crate) mod scripted;

use futures_util::future::BoxFuture;

pub use budget::{Budget, TokenCount};
pub use call::{HeaderText, HttpCall, Method, SentRequest};
pub use cassette::{
    Cassette, JsonDifference, Nearest, Piecing, Playback, Recut, cut_short, differences, recut,
};
pub use concurrency_limit::ConcurrencyLimit;
pub use error::TransportError;
pub use exchange::{
    Body, EXCHANGE_VERSION, Exchange, HttpOutcome, RecordedExchange, Response, TimedFrame, Timing,
};
pub use http::{HttpTransport, Pool, SetupError};
pub use limits::EndpointLimits;
pub use receive::SizeLimits;
pub use retry::{Judgement, RetryPolicy};
pub use retrying::{RetrySettings, Retrying};
pub use secret::{Scrubber, Secret};
pub use timeouts::Timeouts;

/// Judges a complete response by its content: whether a retry may help is not always in the status.
pub type Judge<'a> = &'a (dyn Fn(&Response) -> Judgement + Send + Sync);

/// Judges by status and headers alone.
pub fn by_status(_response: &Response) -> Judgement {
    Judgement::ByStatus
}

/// Sends calls to an endpoint. Implemented by HTTP, by [`Retrying`] and [`ConcurrencyLimit`] around
/// another transport, and by [`Cassette`], which replays recorded exchanges.
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
