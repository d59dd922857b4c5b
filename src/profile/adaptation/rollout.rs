//! Rollout tiers: how far a model is trusted with tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a model is trusted with tools, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, JsonSchema, strum::IntoStaticStr, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Tier {
    /// It gets no tools.
    Blocked,
    /// It is measured, and nothing it calls is run.
    Shadow,
    /// Tools that only look are run.
    ReadOnly,
    /// All tools are run.
    Full,
}

impl Tier {
    /// The one spelling used in data and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What one profile by itself says of trust. More than `shadow` takes repeated runs or telemetry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rollout {
    /// Where a model with this profile starts.
    pub tier: Tier,
    /// How far it may rise.
    pub ceiling: Tier,
    /// Why it may not rise further.
    pub because: Vec<String>,
}
