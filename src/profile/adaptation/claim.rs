//! Claims: what a server or a table says of a model, and whether the measurement agrees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What can be claimed of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Claim {
    /// It calls tools natively.
    Tools,
    /// It makes several calls in one reply.
    Parallel,
    /// A tool choice is honoured.
    ToolChoice,
    /// It gives reasoning.
    Reasoning,
    /// Reasoning that is sent back reaches it.
    ReasoningReplay,
}

impl Claim {
    /// The one spelling used in data and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// It is said to be so, and is not.
    FalseYes,
    /// It is said not to be so, and is.
    FalseNo,
    /// It holds.
    Holds,
    /// Nothing was measured that could say.
    Unmeasured,
}

impl ClaimVerdict {
    /// Whether the measurement says otherwise.
    pub fn is_false(self) -> bool {
        matches!(self, Self::FalseYes | Self::FalseNo)
    }
}

/// What the server says of the model, and the measurement contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FalseClaim {
    /// The path where the server says it, as `props`.
    pub source: String,
    /// What is claimed.
    pub claim: Claim,
    /// How it is wrong.
    pub verdict: ClaimVerdict,
}
