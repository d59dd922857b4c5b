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
