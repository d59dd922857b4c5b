//! Stream events: a frame as JSON that can be changed, or as it is.

use serde_json::Value;

use crate::wire::Frame;

/// A frame whose payload is JSON, or one that is left alone.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    Json { event: Option<String>, value: Value },
    Other(Frame),
}

impl Event {
    pub(super) fn of(frame: Frame) -> Self {
        match frame {
            Frame::Event { event, data } => match serde_json::from_str(&data) {
                Ok(value) => Self::Json { event, value },
                Err(_) => Self::Other(Frame::Event { event, data }),
            },
            comment @ Frame::Comment(_) => Self::Other(comment),
        }
    }

    pub(super) fn into_frame(self) -> Frame {
        match self {
            Self::Json { event, value } => Frame::Event { event, data: value.to_string() },
            Self::Other(frame) => frame,
        }
    }

    /// An event without a name.
    pub(super) fn json(value: Value) -> Self {
        Self::Json { event: None, value }
    }

    /// The payload, if it is JSON.
    pub(super) fn value(&self) -> Option<&Value> {
        match self {
            Self::Json { value, .. } => Some(value),
            Self::Other(_) => None,
        }
    }

    /// The payload, to be changed.
    pub(super) fn value_mut(&mut self) -> Option<&mut Value> {
        match self {
            Self::Json { value, .. } => Some(value),
            Self::Other(_) => None,
        }
    }

    /// The payload's `type`.
    pub(super) fn kind(&self) -> Option<&str> {
        self.value()?.get("type")?.as_str()
    }
}
