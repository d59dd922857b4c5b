//! Requests to a model.

use serde::{Deserialize, Serialize};

use super::{Message, Object, Part, ToolSpec};

/// Which tools the model may, must or must not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// No call.
    None,
    /// Some call.
    Required,
    /// A call of this tool.
    Named(String),
    /// Only these tools; a call is required or not.
    Allowed {
        /// Whether one of them must be called.
        required: bool,
        /// The tools that may be called.
        names: Vec<String>,
    },
}

/// One request, in any dialect.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Request {
    /// The model's name at the endpoint.
    pub model: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<ToolSpec>,
    /// `None` leaves the field out, which is not the same as `Auto` everywhere.
    pub tool_choice: Option<ToolChoice>,
    /// Whether several calls at once are allowed; `None` leaves the switch out.
    pub parallel: Option<bool>,
    /// Whether the reply is to be streamed.
    pub stream: bool,
    /// The most tokens the reply may have.
    pub max_tokens: Option<u64>,
    /// Further top-level fields, sent as they are and merged into objects the dialect writes.
    pub extra: Object,
}

impl Request {
    /// The same request without any reasoning; `None` where it has none.
    pub fn without_reasoning(&self) -> Option<Self> {
        let mut bare = self.clone();
        for message in &mut bare.messages {
            message.parts.retain(|part| !matches!(part, Part::Reasoning(_)));
        }
        (bare != *self).then_some(bare)
    }
}
