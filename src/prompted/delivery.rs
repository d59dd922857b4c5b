//! How tools are made known to the model: native, with or without force, or taught in the prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Protocol;
use crate::ir::{ToolChoice, ToolSpec};

/// How tools are made known to the model: by the protocol, or taught in the system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub enum ToolDelivery {
    /// In the dialect's own field.
    Native,
    /// In the dialect's own field, with a choice that demands a call until there is a result.
    Forced(Force),
    /// In the system prompt, by this protocol.
    Prompted(Protocol),
}

/// How a call is demanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Force {
    /// Of any tool.
    Required,
    /// Of one tool by its name.
    Named,
}

impl Force {
    /// All of them, in the order they are worth trying.
    pub const ALL: [Self; 2] = [Self::Required, Self::Named];

    /// The choice that demands a call of one of these tools.
    pub fn choice(self, tools: &[ToolSpec]) -> ToolChoice {
        match (self, tools) {
            (Self::Named, [first, ..]) => ToolChoice::Named(first.name.clone()),
            (Self::Named, []) | (Self::Required, _) => ToolChoice::Required,
        }
    }
}

impl ToolDelivery {
    /// Whether tools stand in the dialect's own field.
    pub fn is_declared(self) -> bool {
        matches!(self, Self::Native | Self::Forced(_))
    }
}

impl From<ToolDelivery> for String {
    fn from(delivery: ToolDelivery) -> Self {
        match delivery {
            ToolDelivery::Native => "native".to_owned(),
            ToolDelivery::Forced(_) => "forced".to_owned(),
            ToolDelivery::Prompted(protocol) => format!("prompted:{}", protocol.as_str()),
        }
    }
}

impl TryFrom<String> for ToolDelivery {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let known = Protocol::ALL.into_iter().map(Self::Prompted);
        [Self::Native, Self::Forced(Force::Required)]
            .into_iter()
            .chain(known)
            .find(|delivery| String::from(*delivery) == text)
            .ok_or_else(|| {
                let names = Protocol::ALL.map(Protocol::as_str).join(", ");
                format!("'{text}' is not 'native', 'forced', or 'prompted:' and one of {names}")
            })
    }
}
