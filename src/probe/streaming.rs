//! Does a stream carry the same calls as the plain reply?

use std::collections::BTreeMap;

use super::bench::Trial;
use super::outcome::outcome;
use crate::ir::{Defect, Digest};
use crate::profile::{CaseResult, CaseVerdict, Streaming};
use crate::telemetry::TurnEvent;
use crate::verdict::{Finding, Observation, Tally};

/// The streamed trials of one probe, with what is needed to judge them.
#[derive(Debug, Clone)]
pub(super) struct Twin {
    /// The probe that is repeated.
    id: String,
    observations: Vec<Observation>,
    evidence: Vec<Digest>,
    defects: Vec<Defect>,
    pub(super) telemetry: Vec<TurnEvent>,
}

impl Twin {
    /// The streamed trials of a probe.
    pub(super) fn of<F>(id: &str, trials: Vec<Trial<F>>) -> Self {
        let mut twin = Self {
            id: id.to_owned(),
            observations: vec![],
            evidence: vec![],
            defects: vec![],
            telemetry: vec![],
        };
        for trial in trials {
            twin.observations.push(trial.observation);
            twin.evidence.extend(trial.evidence);
            twin.defects.extend(trial.defects);
            twin.telemetry.extend(trial.telemetry);
        }
        twin
    }
}

/// The result: each streamed trial against the plain one with the same values.
pub(super) fn settle(
    probe: &str,
    twins: Vec<Twin>,
    plain: &BTreeMap<String, Vec<Finding>>,
) -> Streaming {
    let mut all = Vec::new();
    let mut evidence = Vec::new();
    let mut defects = Vec::new();
    let mut results = BTreeMap::new();
    for twin in twins {
        let controls = plain.get(&twin.id).cloned().unwrap_or_default();
        let findings = compared(twin.observations, &controls);
        results.insert(twin.id, case(&findings, twin.evidence.clone()));
        all.extend(findings);
        evidence.extend(twin.evidence);
        defects.extend(twin.defects);
    }
    defects.sort();
    defects.dedup();
    Streaming { outcome: outcome(probe, &all, evidence), defects, twins: results }
}

/// A stream that does what its plain twin does passes. One that does not is a finding only where
/// the plain twin passed; where both fail, streaming is not to blame.
fn compared(streamed: Vec<Observation>, plain: &[Finding]) -> Vec<Finding> {
    let missing = Finding::Skipped("no plain run to compare with".to_owned());
    streamed
        .into_iter()
        .enumerate()
        .map(|(trial, observation)| {
            let control = plain.get(trial).unwrap_or(&missing);
            let reason = match observation {
                Observation::Settled(Finding::Pass(words)) => return Finding::Pass(words),
                Observation::Settled(Finding::Inconclusive(words)) => {
                    return Finding::Inconclusive(words);
                }
                Observation::Settled(Finding::Skipped(words)) => words,
                Observation::Settled(Finding::Fail(negative)) => negative.reason().to_owned(),
                Observation::Negative(reason) => reason,
            };
            Finding::fail_against(format!("streamed: {reason}"), control, "the plain twin")
        })
        .collect()
}

fn case(findings: &[Finding], evidence: Vec<Digest>) -> CaseResult {
    let tally = Tally::of(findings);
    let result = outcome("", findings, evidence);
    let verdict = match (tally.fails, tally.passes, tally.inconclusive) {
        (1.., _, _) => CaseVerdict::AcceptedInvalid,
        (0, 1.., _) => CaseVerdict::AcceptedValid,
        (0, 0, 1..) => CaseVerdict::Inconclusive,
        (0, 0, 0) => CaseVerdict::Skipped,
    };
    CaseResult {
        verdict,
        passes: tally.passes,
        trials: tally.conclusive(),
        reason: result.reason,
        evidence: result.evidence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_fails_only_against_a_plain_twin_that_passed() {
        let lost = || Observation::Negative("no call".to_owned());
        let plain = [Finding::pass("one call"), Finding::Inconclusive("HTTP 503".into())];
        let findings = compared(vec![lost(), lost()], &plain);
        assert!(matches!(findings[0], Finding::Fail(_)), "{}", findings[0]);
        assert!(matches!(findings[1], Finding::Skipped(_)), "{}", findings[1]);
    }
}
