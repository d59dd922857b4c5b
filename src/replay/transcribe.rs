//! Making a transcript of the exchanges with a target.
//!
//! The exchanges are replayed at once. That puts them into the order in which a replay asks, leaves out
//! what a replay does not need, and shows that they replay before anything is written.

use std::sync::Arc;

use super::rejudge::{RecordedSettings, RejudgeError, rejudge, verdicts};
use super::transcript::{TRANSCRIPT_VERSION, Transcript};
use super::transcript_exchange::TranscriptExchange;
use crate::campaign::{ProbedTarget, RunSettings};
use crate::ir::Object;
use crate::sim::Provenance;
use crate::transport::{Cassette, JsonDifference, Playback, differences};

/// Where the bytes of a transcript are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// How they are known.
    pub provenance: Provenance,
    /// Where from.
    pub source: String,
}

/// Why exchanges cannot become a transcript.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TranscribeError {
    /// They cannot be judged.
    #[error(transparent)]
    Rejudge(#[from] RejudgeError),
    /// A replay asks for what was not said.
    #[error("the exchanges do not replay: a request to {path} was not among them")]
    Unrecorded {
        /// Where it went.
        path: String,
    },
    /// A replay finds something else.
    #[error("the exchanges do not replay to the same verdicts: {} differs", .0.path)]
    OtherVerdicts(Box<JsonDifference>),
}

/// The transcript of a target that was probed.
pub(crate) async fn transcribe(
    probed: ProbedTarget,
    extra_body: Object,
    settings: &RunSettings,
    origin: Origin,
) -> Result<Transcript, TranscribeError> {
    let ProbedTarget { profile, exchanges, thinking, .. } = probed;
    let recorded = RecordedSettings {
        subject: profile.subject.clone(),
        dialect: profile.dialect,
        extra_body,
        thinking,
        seed: settings.seed,
        trials: settings.trials,
        manner: settings.suite.manner(),
    };
    let cassette = Cassette::new(
        exchanges.into_iter().map(|it| Arc::new(it.into_exchange())),
        Playback::AsRecorded,
    );
    let played = rejudge(&recorded, &settings.probes(), Arc::new(cassette)).await?;
    if let Some((request, _)) = played.unrecorded().next() {
        return Err(TranscribeError::Unrecorded { path: request.path() });
    }
    let found = verdicts(&played.results);
    if let Some(first) = differences(&verdicts(&profile.results), &found).into_iter().next() {
        return Err(TranscribeError::OtherVerdicts(Box::new(first)));
    }
    Ok(Transcript {
        transcript_version: TRANSCRIPT_VERSION,
        provenance: origin.provenance,
        source: origin.source,
        name: profile.name.clone(),
        subject: recorded.subject,
        dialect: recorded.dialect,
        extra_body: recorded.extra_body,
        thinking: recorded.thinking,
        suite: settings.name,
        probe_version: settings.suite.version().to_owned(),
        seed: settings.seed,
        trials: settings.trials,
        manner: settings.suite.manner(),
        tools: settings.suite.own_tools().to_vec(),
        verdicts: found,
        exchanges: played
            .exchanges
            .iter()
            .map(|exchange| TranscriptExchange::from(&**exchange))
            .collect(),
    })
}
