//! How much is asked?

use serde::{Deserialize, Serialize};

/// How much is asked.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
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
        match self {
            Self::Light => "light",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }
}
