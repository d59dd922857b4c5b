//! Does a stream carry the same calls as the plain reply?

use std::collections::BTreeMap;

use super::bench::Trial;
use super::calls::displaced;
use super::outcome::outcome;
use crate::ir::{Defect, Digest, Layer};
use crate::profile::{CaseResult, CaseVerdict, Finding, Observation, Streaming, Tally};
use crate::telemetry::TurnEvent;

/// The streamed trials of one probe.
#[derive(Debug, Clone)]
pub(super) struct Twin {
    /// The probe that is repeated.
    id: String,
    trials: Vec<Trial<()>>,
    /// Whether the dialect's streams are lines of JSON, to whose readers a whole body is a stream of
    /// one.
    pub(super) by_lines: bool,
}

impl Twin {
    /// The streamed trials of a probe.
    pub(super) fn of<F>(id: &str, trials: Vec<Trial<F>>) -> Self {
        let trials = trials.into_iter().map(Trial::bare).collect();
        Self { id: id.to_owned(), trials, by_lines: false }
    }

    pub(super) fn telemetry(&self) -> impl Iterator<Item = &TurnEvent> {
        self.trials.iter().flat_map(|trial| &trial.telemetry)
    }

    /// A stream that does what its plain twin does passes. One that does not is a finding only where
    /// the plain twin passed; where both fail, streaming is not to blame.
    fn compared(&self, plain: &[Plain], usual: Option<Layer>) -> Vec<Finding> {
        let finding = Finding::Skipped("no plain run to compare with".to_owned());
        let missing = Plain { finding, is_exact: false };
        let compared = |(number, trial): (usize, &Trial<()>)| {
            let control = plain.get(number).unwrap_or(&missing);
            let reason = match self.observed(trial, control, usual) {
                Observation::Settled(Finding::Pass(_)) => {
                    return Finding::pass("the same as without streaming");
                }
                Observation::Settled(Finding::Inconclusive(words)) => {
                    return Finding::Inconclusive(words);
                }
                Observation::Settled(Finding::Skipped(words)) => words,
                Observation::Settled(Finding::Fail(negative)) => negative.reason().to_owned(),
                Observation::Negative(reason) => reason,
            };
            Finding::fail_against(format!("streamed: {reason}"), &control.finding, "the plain twin")
        };
        self.trials.iter().enumerate().map(compared).collect()
    }

    /// What a streamed trial showed. Doing the same by other means is not enough: a body that is no
    /// stream, or a call in a place where plain ones do not stand, is lost on a client that streams,
    /// and values that are right in the plain reply must not suffer.
    fn observed(&self, trial: &Trial<()>, plain: &Plain, usual: Option<Layer>) -> Observation {
        if trial.is_displaced(usual) {
            return Observation::Negative(displaced(trial.layer));
        }
        let is_whole = trial.defects.contains(&Defect::StreamIgnored);
        let shortcoming = match &trial.observation {
            Observation::Settled(Finding::Pass(_)) if is_whole && !self.by_lines => {
                "one whole body where a stream was asked for"
            }
            Observation::Settled(Finding::Pass(_)) if plain.is_exact && !trial.is_exact => {
                "other values than asked for, which the plain reply has"
            }
            observation => return observation.clone(),
        };
        Observation::Negative(shortcoming.to_owned())
    }
}

/// What a plain trial showed, to compare its streamed twin with.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    finding: Finding,
    is_exact: bool,
}

impl Plain {
    /// Those of trials, in their order, once they are settled.
    pub(super) fn of(findings: Vec<Finding>, exact: Vec<bool>) -> Vec<Self> {
        let exact = exact.into_iter().chain(std::iter::repeat(false));
        findings
            .into_iter()
            .zip(exact)
            .map(|(finding, is_exact)| Self { finding, is_exact })
            .collect()
    }
}

/// The result: each streamed trial against the plain one with the same values.
pub(super) fn settle(
    probe: &str,
    twins: Vec<Twin>,
    plain: &BTreeMap<String, Vec<Plain>>,
    usual: Option<Layer>,
) -> Streaming {
    let (mut all, mut evidence): (Vec<Finding>, Vec<Digest>) = Default::default();
    let mut defects = Vec::new();
    let mut results = BTreeMap::new();
    for twin in twins {
        let controls = plain.get(&twin.id).map(Vec::as_slice).unwrap_or_default();
        let findings = twin.compared(controls, usual);
        let Twin { id, trials, .. } = twin;
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
        let lost = || Trial { observation: Observation::Negative("no call".into()), ..held(false) };
        let plain = vec![Finding::pass("one call"), Finding::Inconclusive("HTTP 503".into())];
        let findings = twin(vec![lost(), lost()]).compared(&Plain::of(plain, vec![]), None);
        assert!(matches!(findings[0], Finding::Fail(_)), "{}", findings[0]);
        assert!(matches!(findings[1], Finding::Skipped(_)), "{}", findings[1]);
    }

    #[test]
    fn values_that_only_the_stream_got_wrong_are_the_streams_fault() {
        let plain = |exact| Plain::of(vec![Finding::pass("2 calls")], vec![exact]);
        let of =
            |streamed, exact| twin(vec![held(streamed)]).compared(&plain(exact), None).remove(0);
        let wrong = of(false, true);
        assert!(matches!(wrong, Finding::Fail(_)), "{wrong}");
        assert!(matches!(of(true, true), Finding::Pass(_)));
        assert!(matches!(of(false, false), Finding::Pass(_)), "a model that is free with values");
    }

    fn twin(trials: Vec<Trial<()>>) -> Twin {
        Twin::of("parallel", trials)
    }

    fn held(is_exact: bool) -> Trial<()> {
        Trial::settled(Finding::pass("2 calls"), ()).exactly(is_exact)
    }
}
