//! The status of a probe in one word, and how sure it is.

use serde::{Deserialize, Serialize};

/// The verdict on one probe or case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Status {
    /// At least 90 % of the conclusive trials passed.
    Pass,
    /// Some passed.
    Partial,
    /// None passed, and the control did.
    Fail,
    /// No trial reached a conclusion: infrastructure, budget, or interrupted.
    Inconclusive,
    /// Not asked, because something it builds on does not work.
    Skipped,
}

impl Status {
    /// The one spelling used in data and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the status says something about the endpoint.
    pub fn is_conclusive(self) -> bool {
        match self {
            Self::Pass | Self::Partial | Self::Fail => true,
            Self::Inconclusive | Self::Skipped => false,
        }
    }
}

/// The two ends of a 95 % confidence interval for a rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Interval(pub f64, pub f64);
