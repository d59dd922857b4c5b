//! Reasoning state that the provider sent and that must be sent back unchanged.
//!
//! Reasoning is protocol state. The value is the provider's own JSON; [`ReasoningState::text`] and
//! the other readers are views of it, so that nothing can drift between what is shown and what is
//! replayed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where on the wire the state stood, and so where it must be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// `reasoning_content` of a chat message (DeepSeek, Kimi, GLM, Qwen, llama.cpp).
    ReasoningContent,
    /// `reasoning` of a chat message (OpenRouter, Groq, vLLM, Ollama's chat layer).
    Reasoning,
    /// The `reasoning_details` array of a chat message (OpenRouter, MiniMax).
    ReasoningDetails,
    /// The `thinking_blocks` array of a chat message: Anthropic's blocks behind a gateway (`LiteLLM`).
    ThinkingBlocks,
    /// A `thinking` chunk in a chat message's content list (Mistral).
    ThinkingChunk,
    /// `tool_calls[].extra_content.google.thought_signature`; belongs to the call after it.
    ExtraContentSignature,
    /// `thinking` of an Ollama message.
    Thinking,
    /// An Anthropic `thinking` content block.
    ThinkingBlock,
    /// An Anthropic `redacted_thinking` content block.
    RedactedThinkingBlock,
    /// A `reasoning` item of the Responses API.
    ReasoningItem,
    /// A Gemini part with `thought: true`.
    Thought,
    /// Gemini's `thoughtSignature`; belongs to the part after it.
    ThoughtSignature,
}

impl ReasoningField {
    /// The name on the wire, as a profile's `reasoningReplay.field` shows it.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
            Self::ReasoningDetails => "reasoning_details",
            Self::ThinkingBlocks => "thinking_blocks",
            Self::ThinkingChunk => "content[].thinking",
            Self::ExtraContentSignature => "extra_content.google.thought_signature",
            Self::Thinking => "thinking",
            Self::ThinkingBlock => "thinking block",
            Self::RedactedThinkingBlock => "redacted_thinking block",
            Self::ReasoningItem => "reasoning item",
            Self::Thought => "thought",
            Self::ThoughtSignature => "thoughtSignature",
        }
    }
}

/// One piece of reasoning state, kept as the provider sent it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReasoningState {
    /// Where it stood.
    pub field: ReasoningField,
    /// The provider's JSON: a string for plain fields and signatures, else the block, item, part
    /// or array.
    pub value: Value,
}

impl ReasoningState {
    /// Takes state as it stands on the wire.
    pub fn new(field: ReasoningField, value: impl Into<Value>) -> Self {
        Self { field, value: value.into() }
    }

    /// The readable reasoning, empty when there is none to read.
    pub fn text(&self) -> String {
        let mut out = String::new();
        match self.field {
            ReasoningField::ExtraContentSignature
            | ReasoningField::ThoughtSignature
            | ReasoningField::RedactedThinkingBlock => {}
            _ => collect_text(&self.value, &mut out),
        }
        out
    }

    /// The signature that vouches for the state, where the provider signs it.
    pub fn signature(&self) -> Option<&str> {
        match self.field {
            ReasoningField::ExtraContentSignature | ReasoningField::ThoughtSignature => {
                self.value.as_str()
            }
            ReasoningField::Thought => self.value.get("thoughtSignature")?.as_str(),
            ReasoningField::ReasoningDetails | ReasoningField::ThinkingBlocks => {
                self.value.as_array()?.iter().find_map(|d| d.get("signature")?.as_str())
            }
            _ => self.value.get("signature")?.as_str(),
        }
    }

    /// The opaque blob, where the provider encrypts or redacts the state.
    pub fn encrypted(&self) -> Option<&str> {
        match self.field {
            ReasoningField::RedactedThinkingBlock => self.value.get("data")?.as_str(),
            ReasoningField::ReasoningItem => self.value.get("encrypted_content")?.as_str(),
            ReasoningField::ReasoningDetails | ReasoningField::ThinkingBlocks => {
                self.value.as_array()?.iter().find_map(|d| d.get("data")?.as_str())
            }
            _ => None,
        }
    }

    /// The provider's id of the state, where it has one.
    pub fn id(&self) -> Option<&str> {
        self.value.get("id")?.as_str()
    }
}

/// Gathers the strings under the keys that providers use for readable reasoning.
fn collect_text(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(items) => items.iter().for_each(|item| collect_text(item, out)),
        Value::Object(map) => ["thinking", "text", "summary", "content"]
            .iter()
            .filter_map(|key| map.get(*key))
            .for_each(|inner| collect_text(inner, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn views_read_the_providers_own_value() {
        let block = ReasoningState::new(
            ReasoningField::ThinkingBlock,
            json!({"type": "thinking", "thinking": "hm", "signature": "Eo"}),
        );
        assert_eq!((block.text().as_str(), block.signature()), ("hm", Some("Eo")));

        let item = ReasoningState::new(
            ReasoningField::ReasoningItem,
            json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gA",
                   "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]}),
        );
        assert_eq!(
            (item.text().as_str(), item.id(), item.encrypted()),
            ("ab", Some("rs_1"), Some("gA"))
        );
    }

    #[test]
    fn a_signature_is_not_readable_text() {
        let state = ReasoningState::new(ReasoningField::ThoughtSignature, "c2ln");
        assert_eq!((state.text().as_str(), state.signature()), ("", Some("c2ln")));
    }
}
