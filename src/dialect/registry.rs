//! The registry of dialects: the codec of each, made of the functions of its folder.

use serde_json::Value;

use super::{
    ApiError, BadRequest, DeltaLength, Dialect, DialectId, Route, Stamp, StreamDecoder,
    anthropic_messages, gemini, ollama, openai_chat, openai_responses,
};
use crate::ir::{Reply, Request};
use crate::wire::{Frame, Framing};

impl DialectId {
    /// The codec of this dialect.
    pub fn codec(self) -> &'static dyn Dialect {
        match self {
            Self::AnthropicMessages => &anthropic_messages::CODEC,
            Self::OpenAiChat => &openai_chat::CODEC,
            Self::OpenAiResponses => &openai_responses::CODEC,
            Self::Gemini => &gemini::CODEC,
            Self::Ollama => &ollama::CODEC,
        }
    }

    /// The codec that declares tools in an older field, for the dialect that has one.
    pub fn older_schema_codec(self) -> Option<&'static dyn Dialect> {
        match self {
            Self::Gemini => Some(&gemini::OLDER_SCHEMA_CODEC),
            _ => None,
        }
    }
}

/// A dialect made of the functions of its folder.
pub(super) struct Codec {
    pub(super) id: DialectId,
    pub(super) framing: Framing,
    pub(super) encode_request: fn(&Request) -> Value,
    pub(super) decode_reply: fn(&Value) -> Result<Reply, ApiError>,
    pub(super) decode_request: fn(&Value, &Route) -> Result<Request, BadRequest>,
    pub(super) encode_reply: fn(&Reply, &Stamp) -> Value,
    pub(super) stream_decoder: fn() -> Box<dyn StreamDecoder>,
    pub(super) encode_stream: fn(&Reply, &Stamp, DeltaLength) -> Vec<Frame>,
}

impl Dialect for Codec {
    fn id(&self) -> DialectId {
        self.id
    }

    fn framing(&self) -> Framing {
        self.framing
    }

    fn encode_request(&self, request: &Request) -> Value {
        (self.encode_request)(request)
    }

    fn decode_reply(&self, body: &Value) -> Result<Reply, ApiError> {
        (self.decode_reply)(body)
    }

    fn decode_request(&self, body: &Value, route: &Route) -> Result<Request, BadRequest> {
        (self.decode_request)(body, route)
    }

    fn encode_reply(&self, reply: &Reply, stamp: &Stamp) -> Value {
        (self.encode_reply)(reply, stamp)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        (self.stream_decoder)()
    }

    fn encode_stream(&self, reply: &Reply, stamp: &Stamp, deltas: DeltaLength) -> Vec<Frame> {
        (self.encode_stream)(reply, stamp, deltas)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ir::{CallFormat, CallId, Message, Part, Request, Role, ToolCall, ToolResult};

    #[test]
    fn every_codec_knows_its_own_name() {
        for id in DialectId::ALL {
            assert_eq!(id.codec().id(), id);
        }
    }

    #[test]
    fn results_among_a_persons_words_are_sent_and_keep_their_place() {
        let (id, name) = (CallId::new("call_1"), "f".to_owned());
        let call = ToolCall::new(id.clone(), name.clone(), json!({}), CallFormat::OpenAi);
        let result = Part::Result(ToolResult::success(id, name, json!("the result")));
        let text = |text: &str| Part::Text(text.to_owned());
        let parts = vec![text("words before"), result, text("words after")];
        let messages =
            vec![Message::assistant(vec![Part::Call(call)]), Message { role: Role::User, parts }];
        for id in DialectId::ALL {
            let body = id
                .codec()
                .encode_request(&Request { messages: messages.clone(), ..Request::default() });
            let body = body.to_string();
            let places = ["words before", "the result", "words after"].map(|it| body.find(it));
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{id}: {body}");
        }
    }

    #[test]
    fn every_dialect_has_fixtures_and_no_others_have() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/dialect");
        let mut folders: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        folders.sort();
        let mut ids = DialectId::ALL.map(DialectId::as_str);
        ids.sort_unstable();
        assert_eq!(folders, ids);
    }
}
