//! The manner in which a suite is asked, where flags change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the probes of a suite are asked. Runs and transcripts keep it, so that the same can be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manner {
    /// The most tokens that a reply may have, in place of what each probe says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}

impl Manner {
    /// Whether nothing is changed.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
