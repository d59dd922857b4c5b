//! Which frames are in these bytes?
//!
//! Push readers without I/O: bytes in, frames out, `finish` says what was missing. Linear in the
//! input, whatever the chunking.

/// How a stream is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// A comment line of server-sent events, without its colon.
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
}
