//! Which codec speaks a dialect?

use serde_json::Value;

use super::{
    AnthropicMessages, ApiError, BadRequest, Dialect, DialectId, Ollama, OpenAiChat,
    OpenAiResponses, Pieces, Route, Stamp, StreamDecoder,
};
use crate::ir::{Reply, Request};
use crate::wire::Frame;

impl DialectId {
    /// The codec of this dialect.
    pub fn codec(self) -> &'static dyn Dialect {
        match self {
            Self::AnthropicMessages => &AnthropicMessages,
            Self::OpenAiChat => &OpenAiChat,
            Self::OpenAiResponses => &OpenAiResponses,
            Self::Gemini => &Pending(Self::Gemini),
            Self::Ollama => &Ollama,
        }
    }
}

/// Holds the place of a dialect until its codec stands in the match above.
struct Pending(DialectId);

impl Dialect for Pending {
    fn id(&self) -> DialectId {
        self.0
    }

    fn encode_request(&self, _request: &Request) -> Value {
        unimplemented!()
    }

    fn decode_reply(&self, _body: &Value) -> Result<Reply, ApiError> {
        unimplemented!()
    }

    fn decode_request(&self, _body: &Value, _route: &Route) -> Result<Request, BadRequest> {
        unimplemented!()
    }

    fn encode_reply(&self, _reply: &Reply, _stamp: &Stamp) -> Value {
        unimplemented!()
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        unimplemented!()
    }

    fn encode_stream(&self, _reply: &Reply, _stamp: &Stamp, _pieces: Pieces) -> Vec<Frame> {
        unimplemented!()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codec_knows_its_own_name() {
        for id in DialectId::ALL {
            assert_eq!(id.codec().id(), id);
        }
    }
}
