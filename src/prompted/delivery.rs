//! How tools are made known to the model: native, or taught in the prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Protocol;

/// How tools are made known to the model: by the protocol, or taught in the system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub enum ToolDelivery {
    /// In the dialect's own field.
    Native,
    /// In the system prompt, by this protocol.
    Prompted(Protocol),
}

impl From<ToolDelivery> for String {
    fn from(delivery: ToolDelivery) -> Self {
        match delivery {
            ToolDelivery::Native => "native".to_owned(),
            ToolDelivery::Prompted(protocol) => format!("prompted:{}", protocol.as_str()),
        }
    }
}

impl TryFrom<String> for ToolDelivery {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let known = Protocol::ALL.into_iter().map(Self::Prompted);
        std::iter::once(Self::Native)
            .chain(known)
            .find(|delivery| String::from(*delivery) == text)
            .ok_or_else(|| {
                let names = Protocol::ALL.map(Protocol::as_str).join(", ");
                format!("'{text}' is neither 'native' nor 'prompted:' and one of {names}")
            })
    }
}
