//! `[ask.streaming]`: does a stream carry the same calls as the plain reply?
//!
//! Other probes are asked again with streamed replies, and each trial is compared with the plain one
//! that has the same values.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, Bench, Blocked, Case, Costing, Estimate, Known, Load, PlainTrial, Probe, ProbeKind,
    SettledCase, Trial, case_result, displaced, hold_together, outcome,
};
use crate::ir::{Defect, Layer};
use crate::profile::{
    CaseVerdict, Finding, Observation, ProbeResult, Streaming as StreamingResult, Tally,
};

/// A stream that ends before its reply does is asked for once more.
const ATTEMPTS: u64 = 2;

/// The streamed twins of other probes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Streaming {
    /// The probes to repeat in a stream.
    twins: Vec<String>,
}

impl ProbeKind for Streaming {
    const NAME: &'static str = "streaming";
    /// Whether one whole body came where a stream was asked for.
    type Facts = bool;

    /// Each twin is a case.
    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<bool>> {
        let bench = &Bench { stream: true, ..asking.bench.clone() };
        let twins = self.twins_among(asking.probes);
        hold_together(twins.map(|probe| ask_twin(Asking { bench, probe, ..asking }))).await
    }

    fn block(&self, why: &Blocked) -> Vec<Case<bool>> {
        let id = self.twins.first().cloned().unwrap_or_default();
        vec![Case { id, trials: vec![Trial::unheld(why.finding.clone(), false)] }]
    }

    fn revise(cases: &mut [Case<bool>], known: &Known) {
        for case in cases {
            let plain = known.plain.get(&case.id).map(Vec::as_slice).unwrap_or_default();
            compare(&mut case.trials, plain, known.layer);
        }
    }

    fn result(probe: &str, cases: &[SettledCase<bool>]) -> ProbeResult {
        let trials = cases.iter().flat_map(|case| &case.trials);
        let defects: BTreeSet<Defect> = trials.flat_map(|trial| trial.defects.clone()).collect();
        let twins = cases.iter().map(|case| (case.id.clone(), case_result(case, verdict(case))));
        ProbeResult::Streaming(StreamingResult {
            outcome: outcome(probe, cases),
            defects: defects.into_iter().collect(),
            twins: twins.collect(),
        })
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        let twins = self.twins_among(costing.probes);
        let streamed = |probe| Costing { probe, stream: true, ..*costing };
        let once: Load = twins.map(|it| it.question.estimate(&streamed(it)).most).sum();
        Estimate { likely: once, most: once * ATTEMPTS }
    }

    fn twins(&self) -> &[String] {
        &self.twins
    }
}

impl Streaming {
    /// The probes to repeat; one that repeats others itself would have no end.
    fn twins_among<'a>(&self, probes: &[&'a Probe]) -> impl Iterator<Item = &'a Probe> {
        let is_twin = |probe: &&Probe| self.twins.contains(&probe.id) && probe.twins().is_empty();
        probes.iter().copied().filter(is_twin)
    }
}

async fn ask_twin(asking: Asking<'_>) -> Case<bool> {
    // To readers of lines, a whole body is a stream of one.
    let by_line = asking.bench.client.dialect().streams_by_line();
    let asked = asking.probe.question.ask(asking).await;
    let trials = asked.into_trials().into_iter().map(|trial| {
        let is_whole = trial.defects.contains(&Defect::StreamIgnored) && !by_line;
        trial.with_facts(is_whole)
    });
    Case { id: asking.probe.id.clone(), trials: trials.collect() }
}

/// A stream that does what its plain twin does passes. One that does not is a finding only where
/// the plain twin passed; where both fail, streaming is not to blame.
fn compare(streamed: &mut [Trial<bool>], plain: &[PlainTrial], usual: Option<Layer>) {
    let finding = Finding::Skipped("no plain run to compare with".to_owned());
    let missing = PlainTrial { finding, is_exact: false };
    for (number, trial) in streamed.iter_mut().enumerate() {
        let plain = plain.get(number).unwrap_or(&missing);
        let reason = match judge(trial, plain, usual) {
            Observation::Settled(Finding::Pass(_)) => {
                trial.shown = Finding::pass("the same as without streaming").into();
                continue;
            }
            Observation::Settled(Finding::Inconclusive(words)) => {
                trial.shown = Finding::Inconclusive(words).into();
                continue;
            }
            Observation::Settled(finding) => finding.words().to_owned(),
            Observation::Negative(reason) => reason,
        };
        let reason = format!("streamed: {reason}");
        trial.shown = Finding::fail_against(reason, &plain.finding, "the plain twin").into();
    }
}

/// What a streamed trial showed. A client that streams loses a call that comes in a whole body, or
/// stands where plain ones do not; and values that are right in the plain reply must stay right.
fn judge(trial: &Trial<bool>, plain: &PlainTrial, usual: Option<Layer>) -> Observation {
    if trial.is_displaced(usual) {
        return Observation::Negative(displaced(trial.layer));
    }
    let shortcoming = if trial.is_pass() && trial.facts {
        "one whole body where a stream was asked for"
    } else if trial.is_pass() && plain.is_exact && !trial.is_exact {
        "other values than asked for, which the plain reply has"
    } else {
        return trial.shown.clone();
    };
    Observation::Negative(shortcoming.to_owned())
}

fn verdict(case: &SettledCase<bool>) -> CaseVerdict {
    let tally = Tally::of(case.trials.iter().map(|trial| &trial.shown));
    match (tally.fails, tally.passes, tally.inconclusive) {
        (1.., _, _) => CaseVerdict::AcceptedInvalid,
        (0, 1.., _) => CaseVerdict::AcceptedValid,
        (0, 0, 1..) => CaseVerdict::Inconclusive,
        (0, 0, 0) => CaseVerdict::Skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comparing one streamed trial with a plain one gives.
    fn compared(streamed: Trial<bool>, finding: Finding, is_exact: bool) -> Observation {
        let mut streamed = [streamed];
        compare(&mut streamed, &[PlainTrial { finding, is_exact }], None);
        streamed[0].shown.clone()
    }

    fn held(is_exact: bool) -> Trial<bool> {
        Trial { is_exact, ..Trial::unheld(Finding::pass("2 calls"), false) }
    }

    #[test]
    fn a_stream_fails_only_against_a_plain_twin_that_passed() {
        let lost = || Trial { shown: Observation::Negative("no call".into()), ..held(false) };
        let failed = compared(lost(), Finding::pass("one call"), false);
        assert!(matches!(failed, Observation::Settled(Finding::Fail(_))), "{failed:?}");
        let skipped = compared(lost(), Finding::Inconclusive("HTTP 503".into()), false);
        assert!(matches!(skipped, Observation::Settled(Finding::Skipped(_))), "{skipped:?}");
    }

    #[test]
    fn values_that_only_the_stream_got_wrong_are_the_streams_fault() {
        let of = |streamed, plain| compared(held(streamed), Finding::pass("2 calls"), plain);
        let wrong = of(false, true);
        assert!(matches!(wrong, Observation::Settled(Finding::Fail(_))), "{wrong:?}");
        let is_pass = |shown| matches!(shown, Observation::Settled(Finding::Pass(_)));
        assert!(is_pass(of(true, true)));
        assert!(is_pass(of(false, false)), "a model that is free with values");
    }
}
