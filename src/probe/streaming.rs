//! Does a stream carry the same calls as the plain reply?

use std::collections::BTreeMap;

use super::bench::Trial;
use super::calls::displaced;
use super::outcome::outcome;
use crate::ir::{Defect, Digest, Layer};
use crate::profile::{CaseResult, CaseVerdict, Streaming};
use crate::telemetry::TurnEvent;
use crate::verdict::{Finding, Observation, Tally};
use crate::wire::Framing;

/// The streamed trials of one probe.
#[derive(Debug, Clone)]
pub(super) struct Twin {
    /// The probe that is repeated.
    id: String,
    trials: Vec<Trial<()>>,
    framing: Framing,
}

impl Twin {
    /// The streamed trials of a probe.
    pub(super) fn of<F>(id: &str, trials: Vec<Trial<F>>, framing: Framing) -> Self {
        Self { id: id.to_owned(), trials: trials.into_iter().map(Trial::bare).collect(), framing }
    }

    pub(super) fn telemetry(&self) -> impl Iterator<Item = &TurnEvent> {
        self.trials.iter().flat_map(|trial| &trial.telemetry)
    }
}

/// What a streamed trial showed. Doing the same by other means is not enough: a body that is no
/// stream, or a call in a place where plain ones do not stand, is lost on a client that streams. To
/// one that reads lines, a whole body is a stream of one.
fn observed(trial: &Trial<()>, framing: Framing, usual: Option<Layer>) -> Observation {
    if trial.is_displaced(usual) {
        return Observation::Negative(displaced(trial.layer));
    }
    match &trial.observation {
        Observation::Settled(Finding::Pass(_))
            if framing != Framing::Ndjson && trial.defects.contains(&Defect::StreamIgnored) =>
        {
            Observation::Negative("one whole body where a stream was asked for".to_owned())
        }
        observation => observation.clone(),
    }
}

/// The result: each streamed trial against the plain one with the same values.
pub(super) fn settle(
    probe: &str,
    twins: Vec<Twin>,
    plain: &BTreeMap<String, Vec<Finding>>,
    usual: Option<Layer>,
) -> Streaming {
    let (mut all, mut evidence): (Vec<Finding>, Vec<Digest>) = Default::default();
    let mut defects = Vec::new();
    let mut results = BTreeMap::new();
    for Twin { id, trials, framing } in twins {
        let controls = plain.get(&id).cloned().unwrap_or_default();
        let observations = trials.iter().map(|trial| observed(trial, framing, usual)).collect();
        let findings = compared(observations, &controls);
        let shown: Vec<Digest> = trials.iter().flat_map(|trial| trial.evidence.clone()).collect();
        results.insert(id, case(&findings, shown.clone()));
        all.extend(findings);
        evidence.extend(shown);
        defects.extend(trials.into_iter().flat_map(|trial| trial.defects));
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
