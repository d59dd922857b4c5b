//! Replies of a model, and how they ended.

use serde::{Deserialize, Serialize};

use super::{Defects, Part, ToolCall, message};

/// How a reply ended, across dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopKind {
    /// The model was done.
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The token limit was reached.
    MaxTokens,
    /// A stop sequence was written.
    StopSequence,
    /// The provider or the model declined.
    Refusal,
    /// The provider paused a long turn.
    Pause,
    /// The context window is full.
    ContextExceeded,
    /// The provider says that the model's own call could not be read.
    MalformedCall,
    /// A label this version does not know.
    Other,
    /// The reply carried no label at all.
    Missing,
    /// The stream ended before its terminal event: this is not a finished reply.
    Truncated,
}

/// How a reply ended: a fact to record, never the test for whether there were calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// The meaning.
    pub kind: StopKind,
    /// The provider's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl Stop {
    /// A stop with the provider's word for it.
    pub fn new(kind: StopKind, label: impl Into<String>) -> Self {
        Self { kind, label: Some(label.into()) }
    }

    /// A stop that the provider gave no word for.
    pub fn unlabelled(kind: StopKind) -> Self {
        Self { kind, label: None }
    }
}

/// Token counts; `None` where the endpoint does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// All prompt tokens, cached ones included.
    pub input: Option<u64>,
    /// All generated tokens, reasoning included.
    pub output: Option<u64>,
    /// Prompt tokens read from a cache.
    pub cached: Option<u64>,
    /// Prompt tokens written to a cache.
    pub cache_write: Option<u64>,
    /// Generated tokens that were reasoning.
    pub reasoning: Option<u64>,
}

/// One reply, in any dialect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The provider's id of the reply.
    pub id: Option<String>,
    /// Text, reasoning and calls in the order they stood.
    pub parts: Vec<Part>,
    /// How it ended.
    pub stop: Stop,
    /// Token counts.
    pub usage: Usage,
    /// The model the endpoint says it is.
    pub model_echo: Option<String>,
    /// `system_fingerprint` or the like.
    pub fingerprint: Option<String>,
    /// What a strict client would not have taken.
    pub defects: Defects,
}

impl Reply {
    /// A reply with these parts and this ending, and nothing else known of it.
    pub fn new(parts: Vec<Part>, stop: Stop) -> Self {
        Self {
            id: None,
            parts,
            stop,
            usage: Usage::default(),
            model_echo: None,
            fingerprint: None,
            defects: Defects::default(),
        }
    }

    /// The complete calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        message::calls(&self.parts)
    }

    /// The visible text.
    pub fn text(&self) -> String {
        message::text(&self.parts)
    }

    /// The readable reasoning.
    pub fn reasoning_text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning(state) => Some(state.text()),
                _ => None,
            })
            .collect()
    }
}
