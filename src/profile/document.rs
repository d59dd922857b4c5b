//! The profile document: what stands in a profile file.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Correction, FalseClaim, JsonText, ReplayMode, Results, Rollout, SuiteName};
use crate::dialect::DialectId;
use crate::ir::CallFormat;
use crate::prompted::ToolDelivery;
use crate::telemetry::Metrics;

/// The version of the file format this binary writes. A field that older readers may pass over does
/// not raise it; what they would misread does.
pub(crate) const PROFILE_VERSION: u32 = 1;

/// How much of JSON Schema a model keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaLevel {
    /// Nothing: no call works.
    None,
    /// Strings arrive, other types do not.
    StringOnly,
    /// Flat objects of typed values.
    SimpleObject,
    /// Every keyword that was tried.
    StrictJsonSchema,
}

/// The form calls arrive in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolCallFormat {
    /// Content blocks.
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
    /// No call in any form.
    None,
}

impl From<CallFormat> for ToolCallFormat {
    fn from(format: CallFormat) -> Self {
        match format {
            CallFormat::Anthropic => Self::Anthropic,
            CallFormat::OpenAi => Self::OpenAi,
            CallFormat::Gemini => Self::Gemini,
            CallFormat::Xml => Self::Xml,
            CallFormat::JsonText => Self::JsonText,
        }
    }
}

/// Whether tool errors are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorRepair {
    /// Hardly ever or never.
    None,
    /// Some of the time.
    Limited,
    /// At least nine times of ten.
    Reliable,
}

/// What to do with reasoning when a conversation goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReasoningReplay {
    /// What the endpoint does with it; null while unknown.
    pub mode: Option<ReplayMode>,
    /// The field it stands in on the wire.
    pub field: Option<String>,
}

/// The fields that an adapter reads. Null means that no verdict was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// How much of JSON Schema is kept to.
    pub schema_level: Option<SchemaLevel>,
    /// The form calls arrive in.
    pub tool_call_format: Option<ToolCallFormat>,
    /// The text format to parse calls with, where they arrive as text.
    pub parser: Option<String>,
    /// How tools are to be made known.
    pub tool_delivery: Option<ToolDelivery>,
    /// The JSON of calls in text, where there were any.
    pub json_text: Option<JsonText>,
    /// True only on `pass`.
    pub supports_parallel_tool_use: Option<bool>,
    /// True only where omitting is refused and the faithful replay is not.
    pub requires_reasoning_replay: Option<bool>,
    /// What to do with reasoning.
    pub reasoning_replay: ReasoningReplay,
    /// True only on `pass`.
    pub supports_streaming_tool_use: Option<bool>,
    /// False where plain replies carry no calls as asked and streams do; absent in files from before it
    /// was asked.
    #[serde(default)]
    pub supports_plain_tool_use: Option<bool>,
    /// Whether tool errors are corrected.
    pub error_repair: Option<ErrorRepair>,
}

/// What a profile is about: if any of it changes, it is about something else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// Who runs the endpoint.
    pub provider: String,
    /// The model's name there.
    pub model: String,
    /// Where it is; `sim:` for simulated models, so that no port shows.
    pub endpoint: String,
    /// The hash of the chat template, where the server tells it.
    pub chat_template_hash: Option<String>,
    /// The settings it was asked with, where a target has several, such as `thinking-off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

impl Subject {
    /// What it is called where nobody gave it a name: `provider/model`, and its variant.
    pub fn name(&self) -> String {
        let Self { provider, model, variant, .. } = self;
        match variant {
            Some(variant) => format!("{provider}/{model}@{variant}"),
            None => format!("{provider}/{model}"),
        }
    }
}

/// One profile file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// The version of this format.
    pub profile_version: u32,
    /// The target's name, which runs find their snapshot by; absent in files from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is about.
    #[serde(flatten)]
    pub subject: Subject,
    /// The protocol it was probed over.
    pub dialect: DialectId,
    /// What the server tells of itself, by name: its build, the model's quantisation, its own parsers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub server: BTreeMap<String, String>,
    /// What an adapter reads.
    #[serde(flatten)]
    pub capabilities: Capabilities,
    /// When it was measured.
    #[schemars(with = "String")]
    pub verified_at: DateTime<Utc>,
    /// Which suite measured it: a hash of what all of its probes ask.
    pub probe_version: String,
    /// How much of that suite was asked; absent in files from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<SuiteName>,
    /// What each probe asked, by its id: its kind and a hash of its meaning. Absent in files from before
    /// probes were hashed one by one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probes: BTreeMap<String, String>,
    /// What each probe found.
    pub results: Results,
    /// How tool calling went over all turns; absent in files from before it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// What a turn cost; absent in files from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<UnitCost>,
    /// What an adapter must do about the results; nothing for a well-behaved model.
    #[serde(default)]
    pub corrections: Vec<Correction>,
    /// How far the model is trusted by this profile alone; absent in files from before it was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Rollout>,
    /// What the server says of the model, and the results contradict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub false_claims: Vec<FalseClaim>,
}

impl Profile {
    /// The target's name; made from provider and model in files from before it was kept.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.subject.name())
    }
}

/// What a turn cost on average, so that runs of any length can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnitCost {
    /// Tokens of the prompt and the reply together, rounded; null where the endpoint counts none.
    pub tokens_per_turn: Option<u64>,
    /// Milliseconds that half of the replies do not exceed. It says as much of the hour and of where
    /// the prober stood as of the model. Absent for simulated models, which are as fast as the
    /// machine that runs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_latency_ms: Option<u64>,
}
