//! Messages of a conversation: who said what.

use serde::{Deserialize, Serialize};

use super::{BrokenCall, ReasoningState, ToolCall, ToolResult};

/// Who speaks. The system prompt is not a message: see [`super::Request::system`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The host that ran the tools; its messages hold results only.
    Tool,
}

/// One piece of a message, in the order it stood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Visible text.
    Text(String),
    /// Provider state to be replayed verbatim.
    Reasoning(ReasoningState),
    /// A complete call.
    Call(ToolCall),
    /// An attempted call whose arguments are not JSON.
    BrokenCall(BrokenCall),
    /// What a call gave.
    Result(ToolResult),
}

/// A turn, or the part of one that one side spoke.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
}

impl Message {
    /// A message of the person with one piece of text.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, parts: vec![Part::Text(text.into())] }
    }

    /// A message of the model.
    pub fn assistant(parts: Vec<Part>) -> Self {
        Self { role: Role::Assistant, parts }
    }

    /// The results of one turn's calls.
    pub fn results(results: impl IntoIterator<Item = ToolResult>) -> Self {
        Self { role: Role::Tool, parts: results.into_iter().map(Part::Result).collect() }
    }

    /// The complete calls of this message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        calls(&self.parts)
    }

    /// The visible text of this message.
    pub fn text(&self) -> String {
        text(&self.parts)
    }
}

pub(super) fn calls(parts: &[Part]) -> impl Iterator<Item = &ToolCall> {
    parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        _ => None,
    })
}

pub(super) fn text(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
