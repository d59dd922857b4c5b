//! Decoder of streamed replies: the chunks of one stream.

use serde_json::Value;

use super::super::{ApiError, Arrival, StreamDecoder};
use super::collector::Collector;
use crate::ir::{Defect, Reply};
use crate::wire::Frame;

/// The state of one stream.
#[derive(Default)]
pub(super) struct GeminiStream {
    collector: Collector,
    error: Option<ApiError>,
}

impl StreamDecoder for GeminiStream {
    fn push(&mut self, frame: &Frame) {
        match frame {
            Frame::Comment(_) => self.note(Defect::SseComment),
            Frame::Event { data, .. } => match serde_json::from_str(data) {
                Ok(payload) => self.take(&payload),
                Err(_) if self.collector.is_finished() => self.note(Defect::EventsAfterEnd),
                Err(_) => self.note(Defect::FrameInvalid),
            },
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, ApiError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.collector.into_reply(Arrival::Streamed)),
        }
    }
}

impl GeminiStream {
    /// A chunk, an error, or a list of chunks where a proxy has gathered them.
    fn take(&mut self, payload: &Value) {
        if self.error.is_some() {
            return;
        }
        if let Some(error) = ApiError::in_payload(payload) {
            self.error = Some(error);
            return;
        }
        match payload {
            Value::Object(response) => self.collector.take(response),
            Value::Array(payloads) => payloads.iter().for_each(|payload| self.take(payload)),
            _ => self.note(Defect::EventUnknown),
        }
    }

    fn note(&mut self, defect: Defect) {
        self.collector.defects.record(defect);
    }
}
