//! Which codec speaks a dialect?

use super::{AnthropicMessages, Dialect, DialectId, Gemini, Ollama, OpenAiChat, OpenAiResponses};

impl DialectId {
    /// The codec of this dialect.
    pub fn codec(self) -> &'static dyn Dialect {
        match self {
            Self::AnthropicMessages => &AnthropicMessages,
            Self::OpenAiChat => &OpenAiChat,
            Self::OpenAiResponses => &OpenAiResponses,
            Self::Gemini => &Gemini,
            Self::Ollama => &Ollama,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
        let call = ToolCall {
            id: id.clone(),
            name: name.clone(),
            input: json!({}),
            format: CallFormat::OpenAi,
            raw: Value::Null,
        };
        let result = Part::Result(ToolResult {
            tool_call_id: id,
            name,
            content: json!("the result"),
            is_error: false,
            error_code: None,
        });
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
