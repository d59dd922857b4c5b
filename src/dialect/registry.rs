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
    use super::*;

    #[test]
    fn every_codec_knows_its_own_name() {
        for id in DialectId::ALL {
            assert_eq!(id.codec().id(), id);
        }
    }
}
