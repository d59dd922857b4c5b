//! What was a run, and did it come to its end?

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RunId;
use crate::dialect::DialectId;
use crate::profile::Subject;

/// The version of the file format this binary writes.
pub const MANIFEST_VERSION: u32 = 1;

/// `manifest.json`: what a run asked of whom, and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The version of this format.
    pub manifest_version: u32,
    /// The run.
    pub run: RunId,
    /// When it began.
    #[schemars(with = "String")]
    pub started_at: DateTime<Utc>,
    /// When it ended; null while it runs.
    #[schemars(with = "Option<String>")]
    pub finished_at: Option<DateTime<Utc>>,
    /// Which toolprobe ran.
    pub toolprobe_version: String,
    /// Which suite it asked.
    pub probe_version: String,
    /// How much of it: `light`, `standard` or `full`.
    pub suite: String,
    /// Where the values of the trials came from.
    pub seed: u64,
    /// How often each probe was tried.
    pub trials: u32,
    /// Whether it came to its end.
    pub completion: Completion,
    /// What it cost.
    pub totals: Totals,
    /// Who was asked.
    pub targets: Vec<RunTarget>,
}

/// Whether a run came to its end. Only a complete one can become the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Completion {
    /// It has not said so yet: it is under way, or it was killed.
    Running,
    /// Every probe of every target reached its end.
    Complete,
    /// It ended before that.
    Incomplete {
        /// Why.
        because: String,
    },
}

/// What a run cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Requests sent, retries among them.
    pub requests: u64,
    /// Tokens of all prompts, as far as endpoints count them.
    pub prompt_tokens: u64,
    /// Tokens of all replies.
    pub completion_tokens: u64,
}

/// One target of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunTarget {
    /// Its name in the configuration.
    pub name: String,
    /// What it is.
    pub subject: Subject,
    /// What it was spoken to in.
    pub dialect: DialectId,
    /// The name of its profile's file in `profiles/`; null where none was reached.
    pub profile: Option<String>,
}
