//! Assessment of a stored run by the rules of today.
//!
//! The suite is asked again, of the run's own evidence. A trial whose request is not in the evidence
//! stays open: a new rule can judge old answers, but not questions that nobody asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::rejudge::{RecordedSettings, RejudgeError, Rejudgement, drop_evidence, rejudge};
use crate::adapt::complete;
use crate::ir::Digest;
use crate::probe::{Probe, Suite, SuiteName};
use crate::profile::{Profile, capabilities};
use crate::store::{Evidence, Manifest, RunFolder, RunTarget, StoreError};
use crate::telemetry::Counts;
use crate::transport::{Cassette, JsonDifference, Playback, RecordedExchange, differences};

/// The profile of one target, judged again.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Assessment {
    /// The target's name in the configuration.
    pub target: String,
    /// How many requests are not in the evidence.
    pub unrecorded: usize,
    /// Where the new profile differs from the stored one, evidence aside.
    pub changes: Vec<JsonDifference>,
    /// The new profile.
    pub profile: Profile,
}

/// Why a run cannot be judged again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AssessError {
    /// Its files cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was made by a suite that is not known here.
    #[error("the run asked the suite '{suite}', which this version does not have")]
    UnknownSuite {
        /// Its name in the manifest.
        suite: String,
    },
    /// The exchanges with a target cannot be judged.
    #[error("target '{target}'")]
    Target {
        /// Its name in the run.
        target: String,
        /// Why.
        source: RejudgeError,
    },
}

/// Judges every target of a run that has a profile.
pub(crate) async fn assess(run: &RunFolder, suite: &Suite) -> Result<Vec<Assessment>, AssessError> {
    let manifest = run.manifest()?;
    let name: SuiteName = serde_json::from_value(Value::from(manifest.suite.as_str()))
        .map_err(|_| AssessError::UnknownSuite { suite: manifest.suite.clone() })?;
    let suite = &suite.clone().with_tools(&manifest.tools, manifest.seed);
    let probes: Vec<&Probe> = suite.select(name).collect();
    let stored: BTreeMap<String, Profile> = run.profiles().read_all()?.into_iter().collect();
    let evidence = run.evidence();
    let mut assessed = Vec::new();
    for target in &manifest.targets {
        let Some(profile) = target.profile.as_ref().and_then(|file| stored.get(file)) else {
            continue;
        };
        let tape = tape_of(&evidence, target, profile)?;
        let settings = settings_of(&manifest, target, profile);
        let now = rejudge(&settings, &probes, Arc::new(tape)).await;
        let now =
            now.map_err(|source| AssessError::Target { target: target.name.clone(), source })?;
        assessed.push(compare(target, profile, &now, suite, &probes));
    }
    Ok(assessed)
}

fn settings_of(manifest: &Manifest, target: &RunTarget, profile: &Profile) -> RecordedSettings {
    RecordedSettings {
        subject: profile.subject.clone(),
        dialect: profile.dialect,
        extra_body: target.extra_body.clone(),
        thinking: target.thinking.clone(),
        seed: manifest.seed,
        trials: manifest.trials,
        manner: manifest.manner,
    }
}

fn compare(
    target: &RunTarget,
    stored: &Profile,
    now: &Rejudgement,
    suite: &Suite,
    probes: &[&Probe],
) -> Assessment {
    let profile = Profile {
        capabilities: capabilities(&now.results),
        results: now.results.clone(),
        metrics: Some(Counts::of(&now.telemetry).metrics()),
        probe_version: suite.version().to_owned(),
        probes: probes.iter().map(|it| (it.id.clone(), it.hash.clone())).collect(),
        ..stored.clone()
    };
    let profile = complete(profile);
    Assessment {
        target: target.name.clone(),
        unrecorded: now.unrecorded().count(),
        changes: differences(&without_evidence(stored), &without_evidence(&profile)),
        profile,
    }
}

/// A profile without its evidence and what it says of the suite.
fn without_evidence(profile: &Profile) -> Value {
    let mut value = serde_json::to_value(profile).unwrap_or_default();
    drop_evidence(&mut value);
    if let Value::Object(fields) = &mut value {
        fields.shift_remove("probeVersion");
        fields.shift_remove("probes");
    }
    value
}

/// The exchanges with a target.
///
/// Several exchanges may answer the same request, and the last one is repeated. So those that
/// results rest on come last: the others were asked again for a reason.
fn tape_of(
    evidence: &Evidence,
    target: &RunTarget,
    profile: &Profile,
) -> Result<Cassette, StoreError> {
    let cited: BTreeSet<Digest> = cited_exchanges(profile).into_iter().collect();
    let exchanges = evidence.of_target(&target.name)?.into_iter();
    let mut exchanges: Vec<RecordedExchange> = exchanges.map(Into::into).collect();
    exchanges.sort_by_key(|exchange| cited.contains(exchange.digest()));
    let exchanges = exchanges.into_iter().map(|exchange| Arc::new(exchange.into_exchange()));
    Ok(Cassette::new(exchanges, Playback::AsRecorded))
}

/// The exchanges that a profile names.
fn cited_exchanges(profile: &Profile) -> Vec<Digest> {
    fn collect(value: &Value, found: &mut Vec<Digest>) {
        match value {
            Value::Object(fields) => fields.values().for_each(|value| collect(value, found)),
            Value::Array(items) => items.iter().for_each(|value| collect(value, found)),
            Value::String(text) => found.extend(text.parse::<Digest>().ok()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    collect(&serde_json::to_value(&profile.results).unwrap_or_default(), &mut found);
    found
}
