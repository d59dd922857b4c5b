//! Decoder of streamed replies: the lines of one stream.

use serde_json::Value;

use super::draft::ReplyDraft;
use crate::dialect::{ApiError, Arrival, StreamDecoder};
use crate::ir::{Defect, Reply};
use crate::wire::Frame;

/// An Ollama stream as far as it has come.
#[derive(Debug, Default)]
pub(super) struct OllamaStream {
    draft: ReplyDraft,
    error: Option<ApiError>,
}

impl StreamDecoder for OllamaStream {
    fn push(&mut self, frame: &Frame) {
        match frame {
            Frame::Comment(_) => self.draft.defects.record(Defect::SseComment),
            Frame::Event { .. } if self.draft.done => {
                self.draft.defects.record(Defect::EventsAfterEnd);
            }
            Frame::Event { data, .. } => self.take_data(data),
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, ApiError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.draft.finish(Arrival::Streamed)),
        }
    }
}

impl OllamaStream {
    fn take_data(&mut self, data: &str) {
        let Ok(payload) = serde_json::from_str::<Value>(data) else {
            self.draft.defects.record(Defect::FrameInvalid);
            return;
        };
        match ApiError::in_payload(&payload) {
            Some(error) => {
                self.error.get_or_insert(error);
            }
            None => self.draft.take(&payload),
        }
    }
}
