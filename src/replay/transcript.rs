//! The transcript file: the exchanges with one target, and the verdicts they led to.

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rejudge::RecordedSettings;
use super::transcript_exchange::TranscriptExchange;
use crate::dialect::DialectId;
use crate::ir::{Object, ToolSpec};
use crate::probe::SuiteName;
use crate::profile::{Manner, Subject, ThinkingSwitch};
use crate::sim::Provenance;
use crate::store::{StoreError, VersionedFile};
use crate::transport::Exchange;

/// The version of the file format this binary writes.
pub(crate) const TRANSCRIPT_VERSION: u32 = 1;

const TRANSCRIPT: VersionedFile =
    VersionedFile { what: "transcript", field: "transcriptVersion", version: TRANSCRIPT_VERSION };

/// A transcript file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Transcript {
    /// The version of this format.
    pub transcript_version: u32,
    /// Where the bytes are known from.
    pub provenance: Provenance,
    /// Where exactly: an endpoint, or a simulated model and the page that its behaviour is from.
    pub source: String,
    /// The target's name; absent in files from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who was asked.
    pub subject: Subject,
    /// In which dialect.
    pub dialect: DialectId,
    /// Further fields of every request.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub extra_body: Object,
    /// How thinking was switched, where that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingSwitch>,
    /// Which suite was asked.
    pub suite: SuiteName,
    /// Which version of it.
    pub probe_version: String,
    /// Where the values of the trials came from.
    pub seed: u64,
    /// Trials of each case.
    pub trials: u32,
    /// What flags changed of how it was asked.
    #[serde(default, skip_serializing_if = "Manner::is_default")]
    pub manner: Manner,
    /// The user's own tools that were asked for as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// What the exchanges show.
    pub verdicts: Value,
    /// What was said, in the order that a replay asks for it.
    pub exchanges: Vec<TranscriptExchange>,
}

impl Transcript {
    /// The transcript in a file. One that a newer version wrote is refused: what it means may have
    /// changed.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        TRANSCRIPT.read(path)
    }

    /// Writes it. A newer file is not overwritten.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        TRANSCRIPT.write(path, self)
    }

    /// The target's name; made from provider and model in files from before it was kept.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.subject.name())
    }

    /// What was asked of whom.
    pub fn settings(&self) -> RecordedSettings {
        RecordedSettings {
            subject: self.subject.clone(),
            dialect: self.dialect,
            extra_body: self.extra_body.clone(),
            thinking: self.thinking.clone(),
            seed: self.seed,
            trials: self.trials,
            manner: self.manner,
        }
    }

    /// The exchanges, to be played back.
    pub fn exchanges(&self) -> impl Iterator<Item = Arc<Exchange>> {
        self.exchanges.iter().map(|exchange| Arc::new(exchange.into()))
    }
}
