//! Suite names: how much is asked.

use serde::{Deserialize, Serialize};

/// How much is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema, clap::ValueEnum, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "kebab-case")]
pub enum SuiteName {
    /// Format and closed loop: the refresh of a profile that ran out
    Light,
    /// The eight steps
    Standard,
    /// The eight steps and every extended case
    Full,
}

impl SuiteName {
    /// The one spelling used in data, flags and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
