//! Framings: bytes to frames and back (server-sent events, NDJSON, JSON arrays).
//!
//! Push readers without I/O: bytes in, frames out, `finish` gives what the end of the input
//! completes. Linear in the input, whatever the chunking: no byte is looked at twice.
//!
//! - `reader`: one reader for every framing, with its limits and its errors
//! - `sse`, `ndjson`, `json_array`: how each framing is read
//! - `line`: splitting chunks into lines, for the two framings that have lines
//! - `writer`: frames to bytes, for the simulator and for replays

mod json_array;
mod line;
mod ndjson;
mod reader;
mod sse;
mod writer;

#[cfg(test)]
mod properties;

use serde::{Deserialize, Serialize};

pub use reader::{FrameReader, WireError, WireLimits, read_all};
pub use writer::write_all;
pub(crate) use writer::{FrameWriter, LineEnd, SseStyle};

/// How a stream is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value per line.
    Ndjson,
    /// One JSON array whose elements arrive one by one.
    JsonArray,
}

/// One unit of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A payload, with the event name where the framing has names and the sender gave one.
    Event {
        /// The `event:` field of server-sent events.
        event: Option<String>,
        /// The payload: the joined `data:` lines, a line, or an array element.
        data: String,
    },
    /// A comment line of server-sent events, without its colon and the space after it.
    Comment(String),
}

impl Frame {
    /// A frame without an event name.
    pub fn data(data: impl Into<String>) -> Self {
        Self::Event { event: None, data: data.into() }
    }

    /// A frame with an event name.
    pub fn named(event: impl Into<String>, data: impl Into<String>) -> Self {
        Self::Event { event: Some(event.into()), data: data.into() }
    }

    /// The payload of an event.
    pub fn payload(&self) -> Option<&str> {
        match self {
            Self::Event { data, .. } => Some(data),
            Self::Comment(_) => None,
        }
    }

    /// The bytes of its payload.
    pub fn size(&self) -> usize {
        match self {
            Self::Event { data, .. } => data.len(),
            Self::Comment(text) => text.len(),
        }
    }
}
