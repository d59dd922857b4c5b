//! The ids of the dialects.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::suggest::did_you_mean;

/// A provider protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DialectId {
    /// Anthropic's `/v1/messages`.
    AnthropicMessages,
    /// OpenAI's `/chat/completions`, and everything compatible with it.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI's `/responses`.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Google's `models/M:generateContent`.
    Gemini,
    /// Ollama's `/api/chat`.
    Ollama,
}

impl DialectId {
    /// All of them, in the order they are listed to people.
    pub const ALL: [Self; 5] = [
        Self::AnthropicMessages,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Gemini,
        Self::Ollama,
    ];

    /// The one spelling used in data, flags and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Whether a request can say which tool must, may or must not be called.
    pub fn has_tool_choice(self) -> bool {
        self != Self::Ollama
    }

    /// Whether a request can forbid several calls in one reply.
    pub fn has_parallel_switch(self) -> bool {
        match self {
            Self::AnthropicMessages | Self::OpenAiChat | Self::OpenAiResponses => true,
            Self::Gemini | Self::Ollama => false,
        }
    }

    /// Whether servers know the token limit by two names.
    pub fn has_two_limit_fields(self) -> bool {
        self == Self::OpenAiChat
    }

    /// Whether a stream is lines of JSON, so that its readers take a whole body as well.
    pub fn streams_by_line(self) -> bool {
        self == Self::Ollama
    }
}

impl fmt::Display for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that no dialect has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect '{name}'{} (one of: {})", did_you_mean(name, names()), names().join(", "))]
pub struct UnknownDialect {
    /// What was asked for.
    pub name: String,
}

fn names() -> [&'static str; DialectId::ALL.len()] {
    DialectId::ALL.map(DialectId::as_str)
}

impl FromStr for DialectId {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let known = Self::ALL.into_iter().find(|id| id.as_str() == name);
        known.ok_or_else(|| UnknownDialect { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_dialect_gets_a_suggestion_and_the_list() {
        let error = "opnai-chat".parse::<DialectId>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown dialect 'opnai-chat'; did you mean 'openai-chat'? (one of: \
             anthropic-messages, openai-chat, openai-responses, gemini, ollama)"
        );
    }

    #[test]
    fn names_in_data_and_in_flags_are_the_same() {
        for id in DialectId::ALL {
            assert_eq!(serde_json::to_value(id).unwrap(), id.as_str());
            assert_eq!(id.as_str().parse(), Ok(id));
        }
    }
}
