//! Transport errors: why there is no answer to judge.
//!
//! All of them are infrastructure: they make a result inconclusive, never a finding.

use serde::{Deserialize, Serialize};

use super::bounds::Oversize;
use super::cassette::Nearest;
use super::timeouts::Phase;
use crate::secret::Scrubber;
use crate::wire::WireError;

/// A failed attempt. Stored as evidence, so each variant carries plain data and no live error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[derive(Serialize, Deserialize, schemars::JsonSchema, thiserror::Error)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum TransportError {
    /// The host name has no address.
    #[error("cannot resolve the host name: {detail}")]
    Dns {
        /// The resolver's words.
        detail: String,
    },
    /// The connection was refused or could not be made.
    #[error("cannot connect: {detail}")]
    Connect {
        /// The system's words.
        detail: String,
    },
    /// The other side's certificate or handshake was not acceptable.
    #[error("no secure connection: {detail}")]
    Tls {
        /// The verifier's words.
        detail: String,
    },
    /// A limit of waiting was reached.
    #[error("{} within {limit_ms} ms; raise it with {}", phase.what(), phase.remedy())]
    Timeout {
        /// Which wait.
        phase: Phase,
        /// Its limit.
        limit_ms: u64,
    },
    /// The connection ended before the reply did.
    #[error("{}: {detail}", stage.what())]
    Closed {
        /// How far the reply had come.
        stage: CloseStage,
        /// The system's words.
        detail: String,
    },
    /// What came back is not HTTP, or has headers beyond the limits.
    #[error("the reply is not valid HTTP: {detail}")]
    NotHttp {
        /// What is wrong with it.
        detail: String,
    },
    /// The body, the stream or its frames are beyond the limits.
    #[error("too-large: {what} is beyond the limit of {limit}; raise it with --bound {}=N", what.name())]
    TooLarge {
        /// What was too large.
        what: Oversize,
        /// The limit: bytes, or a number of frames.
        limit: u64,
    },
    /// The body is not text.
    #[error("the body is not valid UTF-8 at byte {offset}")]
    NotUtf8 {
        /// The first invalid byte, after decompression.
        offset: u64,
    },
    /// The body could not be decompressed.
    #[error("cannot decompress the body: {detail}")]
    Decompression {
        /// What is wrong with it.
        detail: String,
    },
    /// A stream that its framing does not allow.
    #[error("{detail}")]
    NotTheFraming {
        /// What stands where.
        detail: String,
    },
    /// The endpoint points elsewhere. Never followed: the credentials are meant for this host.
    #[error(
        "the endpoint redirects ({status}) to {location}; give that address if it is the right one"
    )]
    Redirect {
        /// The status.
        status: u16,
        /// Where to, as given.
        location: String,
    },
    /// A header that HTTP cannot carry, such as a key with a line end in it.
    #[error(
        "the value of header '{name}' has characters that a header cannot carry, such as a line break; set it again without them"
    )]
    InvalidHeader {
        /// Its name.
        name: String,
    },
    /// The run has used up its requests.
    #[error("the budget of {limit} requests is used up; raise it with --max-requests")]
    Budget {
        /// The budget.
        limit: u64,
    },
    /// What is left of the run's tokens does not cover a request.
    #[error(
        "the budget of {limit} tokens is used up: what is left of it does not cover a request of up to {most}; \
         raise it with --max-tokens-total"
    )]
    TokenBudget {
        /// The budget.
        limit: u64,
        /// What the request can cost at most.
        #[serde(default)]
        most: u64,
    },
    /// What is left of the run's money does not cover a request.
    #[error(
        "the budget of {limit} is used up: what is left of it does not cover a request of up to {most}; \
         raise it with --max-cost"
    )]
    CostBudget {
        /// The budget, in the currency of the prices.
        limit: String,
        /// What the request can cost at most.
        most: String,
    },
    /// Not sent: the endpoint had stopped answering.
    #[error("not asked, because the endpoint does not answer: {because}")]
    GivenUp {
        /// What its last answer was.
        because: String,
    },
    /// Not sent: somebody stopped the command.
    #[error("not asked: the command was stopped")]
    Stopped,
    /// A replay was asked for what was not recorded: the request is not what it was.
    #[error("{}", not_recorded(nearest.as_deref()))]
    NotRecorded {
        /// The recorded request that is most like it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nearest: Option<Box<Nearest>>,
    },
    /// Anything else that the HTTP client reports.
    #[error("the exchange failed: {detail}")]
    Other {
        /// Its words.
        detail: String,
    },
}

fn not_recorded(nearest: Option<&Nearest>) -> String {
    let Some(nearest) = nearest else { return "nothing is recorded".to_owned() };
    let places: Vec<&str> = nearest.differences.iter().map(|it| it.path.as_str()).collect();
    match places.as_slice() {
        [] => format!("this request is not recorded; the nearest one goes to {}", nearest.path),
        [place] => format!("this request is not recorded; the nearest one differs at {place}"),
        [place, rest @ ..] => format!(
            "this request is not recorded; the nearest one differs at {place} and {} more",
            rest.len()
        ),
    }
}

/// How far a reply had come when its connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CloseStage {
    /// On a connection that may have been kept alive from an earlier exchange, before any of the
    /// reply: the server had probably closed it already, and the request was not looked at.
    BeforeReplyReused,
    /// On a fresh connection, before any of the reply.
    BeforeReply,
    /// In the middle of the body.
    MidBody,
}

impl CloseStage {
    fn what(self) -> &'static str {
        match self {
            Self::BeforeReplyReused => "the kept-alive connection was closed before the reply",
            Self::BeforeReply => "the connection was closed before the reply",
            Self::MidBody => "the connection broke in the middle of the body",
        }
    }
}

impl TransportError {
    /// The error without secrets in the texts it quotes.
    pub(super) fn scrub(mut self, scrubber: &Scrubber) -> Self {
        match &mut self {
            Self::Dns { detail: quoted }
            | Self::Connect { detail: quoted }
            | Self::Tls { detail: quoted }
            | Self::Closed { detail: quoted, .. }
            | Self::NotHttp { detail: quoted }
            | Self::Decompression { detail: quoted }
            | Self::NotTheFraming { detail: quoted }
            | Self::Redirect { location: quoted, .. }
            | Self::GivenUp { because: quoted }
            | Self::Other { detail: quoted } => *quoted = scrubber.text(std::mem::take(quoted)),
            Self::Timeout { .. }
            | Self::TooLarge { .. }
            | Self::NotUtf8 { .. }
            | Self::InvalidHeader { .. }
            | Self::Budget { .. }
            | Self::TokenBudget { .. }
            | Self::CostBudget { .. }
            | Self::Stopped
            // Made of redacted requests.
            | Self::NotRecorded { .. } => {}
        }
        self
    }
}

impl From<WireError> for TransportError {
    fn from(error: WireError) -> Self {
        let too_large = |what, limit: usize| Self::TooLarge { what, limit: limit as u64 };
        match error {
            WireError::NotUtf8 { offset } => Self::NotUtf8 { offset },
            WireError::FrameTooLarge { limit, .. } => too_large(Oversize::Frame, limit),
            WireError::TooDeep { limit, .. } => too_large(Oversize::Nesting, limit),
            WireError::NotAnArray { .. } => Self::NotTheFraming { detail: error.to_string() },
        }
    }
}
