//! Thinking switches: how a model's thinking is turned on and off.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ir::Object;

/// The fields of a request that switch thinking on and off. Every provider has its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThinkingSwitch {
    /// What a request has that switches it on.
    pub on: Object,
    /// What a request has that switches it off.
    pub off: Object,
}
