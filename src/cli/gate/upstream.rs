//! The upstream of a gateway: simulated models, or recordings.

use std::path::Path;
use std::sync::Arc;

use crate::campaign::{Pair, RunSettings};
use crate::cli::args::asking::AskingArgs;
use crate::cli::args::scope::serve;
use crate::cli::args::transcripts::read_transcripts;
use crate::cli::shell::error::CliError;
use crate::dialect::DialectId;
use crate::regress::Unrecorded;
use crate::replay::{Recordings, Transcript, find_unrecorded, recorded_target};
use crate::sim::{Fleet, Options, Running, Sim};
use crate::target::{Defaults, Target, simulated};
use crate::transport::RecordedExchange;

/// The models behind a gateway.
pub(super) enum Upstream {
    Simulated(Fleet),
    Recorded(Vec<Transcript>),
}

impl Upstream {
    pub(super) fn load(
        models: Option<&Path>,
        transcripts: Option<&Path>,
    ) -> Result<Self, CliError> {
        match (transcripts, models) {
            (Some(folder), _) => Ok(Self::Recorded(alike(read_transcripts(folder)?)?)),
            (None, Some(folder)) => {
                Ok(Self::Simulated(Fleet::from_dir(folder).map_err(CliError::usage)?))
            }
            (None, None) => Ok(Self::Simulated(Fleet::embedded().map_err(CliError::usage)?)),
        }
    }

    /// Serves the models as they are without the gateway.
    pub(super) async fn serve(&self) -> Result<Running, CliError> {
        match self {
            Self::Simulated(fleet) => serve(fleet).await,
            Self::Recorded(transcripts) => {
                let recordings = Arc::new(Recordings::of(transcripts));
                Ok(Sim::replay(recordings, "127.0.0.1:0", Options::default()).await?)
            }
        }
    }

    /// What is asked: of recordings, what was asked when they were made.
    pub(super) fn settings(&self, asking: &AskingArgs) -> Result<RunSettings, CliError> {
        match self {
            Self::Recorded(transcripts) => match transcripts.first() {
                Some(first) => asking.settings_of_transcript(first),
                None => asking.settings(&Defaults::default()),
            },
            Self::Simulated(_) => asking.settings(&Defaults::default()),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::Simulated(fleet) => fleet.get(name).is_some(),
            Self::Recorded(transcripts) => transcripts.iter().any(|it| it.subject.model == name),
        }
    }

    /// The names of the recorded models; simulated ones are too many to be asked for unless they are
    /// named.
    pub(super) fn recorded_names(&self) -> Option<Vec<String>> {
        match self {
            Self::Simulated(_) => None,
            Self::Recorded(transcripts) => {
                Some(transcripts.iter().map(|it| it.subject.model.clone()).collect())
            }
        }
    }

    /// The model of this name, as it is without the gateway, at this address.
    pub(super) fn target(&self, name: &str, base_url: &str) -> Result<Target, CliError> {
        let unknown = || CliError::usage(format!("no model is called '{name}'"));
        match self {
            Self::Simulated(fleet) => {
                let model = fleet.get(name).ok_or_else(unknown)?;
                simulated(model, base_url, &Defaults::default()).map_err(CliError::usage)
            }
            Self::Recorded(transcripts) => {
                let known = transcripts.iter().find(|it| it.subject.model == name);
                recorded_target(known.ok_or_else(unknown)?, base_url).map_err(CliError::usage)
            }
        }
    }

    /// What was asked through the gateway, under this name, that has no recording.
    pub(super) fn unrecorded(
        &self,
        pairs: &[Pair],
        name: &str,
        dialect: DialectId,
        exchanges: &[RecordedExchange],
    ) -> Option<Unrecorded> {
        let Self::Recorded(transcripts) = self else { return None };
        let pair = pairs.iter().find(|pair| pair.through.target.name == name)?;
        let model = &pair.direct.target.model;
        let transcript = transcripts.iter().find(|it| it.subject.model == *model)?;
        find_unrecorded(transcript, dialect, exchanges)
    }

    /// What is to be said of the recordings: probes that have changed since ask what was not recorded.
    pub(super) fn note(&self, settings: &RunSettings) -> Option<String> {
        let Self::Recorded(transcripts) = self else { return None };
        let version = settings.suite.version();
        let older = transcripts.iter().find(|it| it.probe_version != version)?;
        Some(format!(
            "{} was recorded with the probes {}, and these are {version}: what is asked otherwise now \
             has no recording; record it again",
            older.name(),
            older.probe_version
        ))
    }
}

/// The transcripts, where one run can ask all of them.
fn alike(transcripts: Vec<Transcript>) -> Result<Vec<Transcript>, CliError> {
    let asked = |it: &Transcript| (it.suite, it.seed, it.trials, it.manner, it.tools.clone());
    let Some(first) = transcripts.first() else { return Ok(transcripts) };
    match transcripts.iter().find(|it| asked(it) != asked(first)) {
        None => Ok(transcripts),
        Some(other) => Err(CliError::usage(format!(
            "{} and {} were recorded with different suites, seeds, trials or tools; put them into \
             folders of their own, or record them alike",
            first.name(),
            other.name()
        ))),
    }
}
