//! Expected profiles: what a probe must find for a simulated model.
//!
//! The keys are those of a profile, so that the two can be compared by eye. What can be read off the
//! capability fields is not repeated: `results` names only the statuses that do not follow from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ir::Defect;
use crate::profile::{ErrorRepair, ReasoningReplay, SchemaLevel, Status, ToolCallFormat};
use crate::prompted::ToolDelivery;

/// The declared outcome of probing a simulated model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ExpectedProfile {
    /// The form in which calls arrive.
    pub tool_call_format: ToolCallFormat,
    /// The text format that reads them, where they arrive as text.
    #[serde(default)]
    pub parser: Option<String>,
    /// How tools are offered; nothing where no way works.
    #[serde(default)]
    pub tool_delivery: Option<ToolDelivery>,
    /// How much of JSON Schema is kept to.
    pub schema_level: SchemaLevel,
    /// Whether two calls come at once; nothing where no call works.
    #[serde(default)]
    pub supports_parallel_tool_use: Option<bool>,
    /// Whether leaving reasoning out of the history is refused.
    pub requires_reasoning_replay: bool,
    /// What becomes of reasoning that is sent back.
    pub reasoning_replay: ReasoningReplay,
    /// Whether streamed calls equal plain ones; nothing where no call works.
    #[serde(default)]
    pub supports_streaming_tool_use: Option<bool>,
    /// Whether plain replies carry calls; nothing where no call is as asked.
    #[serde(default)]
    pub supports_plain_tool_use: Option<bool>,
    /// Whether a call is corrected after a structured error; nothing where no call works.
    #[serde(default)]
    pub error_repair: Option<ErrorRepair>,
    /// What a lenient decoder records in plain replies of this model.
    #[serde(default)]
    pub defects: Vec<Defect>,
    /// What a lenient decoder records in its streams, beyond that.
    #[serde(default)]
    pub stream_defects: Vec<Defect>,
    /// Statuses of results that do not follow from the fields above.
    #[serde(default)]
    pub results: BTreeMap<ResultKey, Status>,
}

/// A key of a profile's `results`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ResultKey {
    /// Probe `basic-format`.
    SingleTool,
    /// Probe `schema`.
    Schema,
    /// Probe `closed-loop`.
    ClosedLoop,
    /// Probe `parallel`.
    ParallelTool,
    /// Probe `error-repair`.
    ErrorRepair,
    /// Probe `reasoning-replay`.
    ReasoningReplay,
    /// Probe `streaming`.
    Streaming,
    /// Probe `history`.
    History,
}
