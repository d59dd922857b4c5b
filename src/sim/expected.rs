//! Which profile must a probe find for a simulated model?
//!
//! The keys are those of a profile, so that the two can be compared by eye. What can be read off the
//! capability fields is not repeated: `results` names only the statuses that do not follow from them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::ir::Defect;
use crate::textcall::Protocol;

/// The declared outcome of probing a simulated model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Whether two calls come at once.
    pub supports_parallel_tool_use: bool,
    /// Whether leaving reasoning out of the history is refused.
    pub requires_reasoning_replay: bool,
    /// What becomes of reasoning that is sent back.
    pub reasoning_replay: ReasoningReplay,
    /// Whether streamed calls equal plain ones.
    pub supports_streaming_tool_use: bool,
    /// Whether a call is corrected after a structured error.
    pub error_repair: ErrorRepair,
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

/// `toolCallFormat` of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolCallFormat {
    /// `tool_use` blocks.
    Anthropic,
    /// `tool_calls` and its relatives.
    #[serde(rename = "openai")]
    OpenAi,
    /// `functionCall` parts.
    Gemini,
    /// Tags in text.
    Xml,
    /// JSON in text.
    JsonText,
    /// No calls in any form.
    None,
}

/// `toolDelivery` of a profile: `native` or `prompted:<protocol>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolDelivery {
    /// In the request's own field.
    Native,
    /// In the system prompt, with a text protocol.
    Prompted(Protocol),
}

impl fmt::Display for ToolDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native => f.write_str("native"),
            Self::Prompted(protocol) => write!(f, "prompted:{}", protocol.as_str()),
        }
    }
}

impl Serialize for ToolDelivery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ToolDelivery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let all = [Protocol::ToolCall, Protocol::ToolUse, Protocol::TildeFence];
        std::iter::once(Self::Native)
            .chain(all.map(Self::Prompted))
            .find(|delivery| delivery.to_string() == word)
            .ok_or_else(|| {
                de::Error::custom(format!(
                    "unknown tool delivery `{word}`, expected `native` or `prompted:` and one of \
                     {}",
                    all.map(Protocol::as_str).join(", ")
                ))
            })
    }
}

/// `schemaLevel` of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaLevel {
    /// Every keyword that was tried.
    StrictJsonSchema,
    /// Objects of plainly typed properties.
    SimpleObject,
    /// Strings only.
    StringOnly,
    /// Not even those.
    None,
}

/// `reasoningReplay` of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReasoningReplay {
    /// What becomes of it.
    pub mode: ReplayMode,
    /// The field's name on the wire, see [`crate::ir::ReasoningField::wire_name`].
    #[serde(default)]
    pub field: Option<String>,
}

/// What becomes of reasoning that is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayMode {
    /// Leaving it out is refused.
    Required,
    /// Both are accepted, and nothing shows that it was dropped.
    Accepted,
    /// Both are accepted, and it does not reach the model.
    Ignored,
    /// Sending it is refused.
    Rejected,
    /// There is none to send back.
    Absent,
}

/// `errorRepair` of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorRepair {
    /// Nearly always.
    Reliable,
    /// Sometimes.
    Limited,
    /// Never.
    None,
}

/// A key of a profile's `results`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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

/// The status of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// At least nine in ten conclusive trials.
    Pass,
    /// Some of them.
    Partial,
    /// None of them.
    Fail,
    /// No conclusive trial.
    Inconclusive,
    /// Blocked by something else that failed.
    Skipped,
}
