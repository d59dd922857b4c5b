//! HTTP quirks: how a server misbehaves as an HTTP peer.

use serde::{Deserialize, Serialize};

/// A fault that has nothing to do with what the model can do.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HttpQuirk {
    /// Each distinct request gets 429 with `retry-after` first, and its answer on the retry.
    RateLimited {
        /// Seconds that `retry-after` asks for.
        retry_after: u32,
    },
    /// Each distinct request gets this 5xx first, and its answer on the retry.
    Flapping {
        /// The status of the first answer.
        status: u16,
    },
    /// Every request gets this status.
    Down {
        /// The status of every answer.
        status: u16,
    },
    /// Every request gets a web page with status 200.
    WebPage,
    /// Every request gets a body that is not UTF-8.
    #[serde(rename = "not-utf8")]
    NotUtf8,
    /// Every request gets a body of this many bytes.
    Flood {
        /// How many.
        bytes: usize,
    },
    /// No request ever gets an answer.
    Hangs,
    /// The connection is cut in the middle of every body.
    CutsBody,
    /// A request for a stream is answered with one JSON body.
    StreamIgnored,
    /// A request for a whole body is refused.
    OnlyStreams {
        /// What the refusal says.
        message: String,
    },
    /// The connection closes after each stream, though it was announced as kept alive.
    ClosesAfterStream,
}
