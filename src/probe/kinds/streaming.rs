//! `[ask.streaming]`: does a stream carry the same calls as the plain reply?
//!
//! Other probes are asked again with streamed replies, and each trial is compared with the plain one
//! that has the same values. Where the whole suite is streamed, its probes are their own twins.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Asking, Bench, Blocked, Case, Costing, Estimate, Known, Probe, ProbeKind, SettledCase,
    SettledTrial, Trial, TrialId, case_result, describe_displaced, hold_together, outcome,
};
use crate::ir::{Defect, Layer};
use crate::profile::{
    CaseVerdict, Finding, Mode, Observation, ProbeResult, ReplyMode, Status,
    Streaming as StreamingResult, Tally,
};

/// A stream that ends before its reply does is asked for once more.
const ATTEMPTS: u64 = 2;

/// The streamed twins of other probes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Streaming {
    /// The probes to repeat in a stream.
    twins: Vec<String>,
    /// Further ones, of which each case is repeated once; what fails is asked with all trials.
    #[serde(default)]
    once: Vec<String>,
}

/// Which trial of the twin it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    id: TrialId,
    /// Whether its twin is asked only once.
    is_once: bool,
    /// Whether one whole body came where a stream was asked for.
    is_whole: bool,
}

impl ProbeKind for Streaming {
    const NAME: &'static str = "streaming";
    type Facts = Facts;

    /// Each twin is a case.
    async fn ask(&self, asking: Asking<'_>) -> Vec<Case<Facts>> {
        let twins = self.twins_among(asking.probes);
        if asking.bench.replies == ReplyMode::Streamed {
            return twins.map(|probe| self.own_twins(probe)).collect();
        }
        let bench = &Bench { is_twin: true, ..asking.bench.clone() };
        hold_together(twins.map(|probe| self.ask_twin(Asking { bench, probe, ..asking }))).await
    }

    fn block(&self, why: &Blocked) -> Vec<Case<Facts>> {
        let id = self.twins.first().cloned().unwrap_or_default();
        vec![Case { id, trials: vec![Trial::unheld(why.finding.clone(), Facts::default())] }]
    }

    fn revise(cases: &mut [Case<Facts>], known: &Known) {
        for case in cases {
            let settled = known.settled.get(&case.id).map(Vec::as_slice).unwrap_or_default();
            match known.replies {
                ReplyMode::Plain => compare(&mut case.trials, settled, known.layer),
                ReplyMode::Streamed => {
                    let is_once = case.trials.iter().any(|trial| trial.facts.is_once);
                    let own = |it| own_twin(it, is_once, known.streams_by_line);
                    case.trials = settled.iter().map(own).collect();
                }
            }
        }
    }

    fn result(probe: &str, cases: &[SettledCase<Facts>]) -> ProbeResult {
        let trials = cases.iter().flat_map(|case| &case.trials);
        let defects: BTreeSet<Defect> = trials.flat_map(|trial| trial.defects.clone()).collect();
        let twins = cases.iter().map(|case| (case.id.clone(), case_result(case, verdict(case))));
        let mut result = StreamingResult {
            outcome: outcome(probe, &telling(cases)),
            defects: defects.into_iter().collect(),
            twins: twins.collect(),
        };
        lower_by_twin(&mut result);
        ProbeResult::Streaming(result)
    }

    fn turns(&self) -> u32 {
        // Those of its twins.
        3
    }

    fn estimate(&self, costing: &Costing<'_>) -> Estimate {
        if costing.mode == Mode::Stream {
            return Estimate::default();
        }
        let of_twin = |probe: &Probe| {
            let twin = Costing { probe, is_twin: true, ..*costing };
            let Estimate { likely, most } = probe.question.estimate(&twin);
            let times = if self.is_once(&probe.id) { 1 } else { costing.trials };
            Estimate { likely: likely * times, most: most * costing.trials * ATTEMPTS }
        };
        self.twins_among(costing.probes).map(of_twin).fold(Estimate::default(), |a, b| a + b)
    }

    fn keep_case(&mut self, case: &str) {
        self.twins.retain(|twin| twin == case);
        self.once.retain(|twin| twin == case);
    }

    fn twins(&self) -> Vec<&str> {
        self.twins.iter().chain(&self.once).map(String::as_str).collect()
    }
}

impl Streaming {
    /// The probes to repeat; one that repeats others itself would have no end.
    fn twins_among<'a>(&self, probes: &[&'a Probe]) -> impl Iterator<Item = &'a Probe> {
        let is_twin = |probe: &&Probe| {
            let is_named = self.twins.contains(&probe.id) || self.is_once(&probe.id);
            is_named && probe.twins().is_empty()
        };
        probes.iter().copied().filter(is_twin)
    }

    fn is_once(&self, probe: &str) -> bool {
        self.once.iter().any(|id| id == probe)
    }

    /// What stands in for the trials of a probe that is streamed itself, until they are settled.
    fn own_twins(&self, probe: &Probe) -> Case<Facts> {
        let facts = Facts { is_once: self.is_once(&probe.id), ..Facts::default() };
        let unasked = Finding::Skipped("the whole suite is streamed".to_owned());
        Case { id: probe.id.clone(), trials: vec![Trial::unheld(unasked, facts)] }
    }

    async fn ask_twin(&self, asking: Asking<'_>) -> Case<Facts> {
        let id = asking.probe.id.clone();
        if !self.is_once(&id) {
            return Case { id, trials: hold(asking, false).await };
        }
        let bench = &Bench { trials: 1, ..asking.bench.clone() };
        let mut trials = hold(Asking { bench, ..asking }, true).await;
        // One failure proves little: what failed is asked as often as everything else.
        let failed: BTreeSet<String> =
            trials.iter().filter(|it| has_failed(it)).map(|it| it.facts.id.case.clone()).collect();
        let more = asking.bench.trials.saturating_sub(1);
        let bench = &Bench { trials: more, first_trial: 1, ..asking.bench.clone() };
        let again = failed.iter().filter(|_| more > 0).map(async |case| {
            let probe = &asking.probe.narrow(case);
            hold(Asking { bench, probe, ..asking }, true).await
        });
        trials.extend(hold_together(again).await.into_iter().flatten());
        Case { id, trials }
    }
}

/// Holds the streamed trials of a probe.
async fn hold(asking: Asking<'_>, is_once: bool) -> Vec<Trial<Facts>> {
    // To readers of lines, a whole body is a stream of one.
    let by_line = asking.bench.client.dialect().streams_by_line();
    let asked = asking.probe.question.ask(asking).await;
    let first = usize::try_from(asking.bench.first_trial).unwrap_or_default();
    let trials = asked.into_trials().into_iter().map(|trial| {
        let is_whole = is_whole(&trial.defects, by_line);
        let TrialId { case, number } = trial.facts.clone();
        let id = TrialId { case, number: number + first };
        trial.with_facts(Facts { id, is_once, is_whole })
    });
    trials.collect()
}

fn is_whole(defects: &[Defect], by_line: bool) -> bool {
    defects.contains(&Defect::StreamIgnored) && !by_line
}

fn has_failed(trial: &Trial<Facts>) -> bool {
    matches!(trial.shown, Observation::Negative(_) | Observation::Settled(Finding::Fail(_)))
}

/// A stream that does what its plain twin does passes. One that does not is a finding only where
/// the plain twin passed; where both fail, streaming is not to blame.
fn compare(streamed: &mut [Trial<Facts>], plain: &[SettledTrial], usual: Option<Layer>) {
    for trial in streamed {
        let plain = plain.iter().find(|plain| plain.id == trial.facts.id);
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
        let missing = Finding::Skipped("no plain run to compare with".to_owned());
        let control = plain.map_or(&missing, |plain| &plain.finding);
        trial.shown = Finding::fail_against(reason, control, "the plain twin").into();
    }
}

/// What a streamed trial showed. A client that streams loses a call that comes in a whole body, or
/// stands where plain ones do not; and values that are right in the plain reply must stay right.
fn judge(trial: &Trial<Facts>, plain: Option<&SettledTrial>, usual: Option<Layer>) -> Observation {
    if trial.is_displaced(usual) {
        return Observation::Negative(describe_displaced(trial.layer));
    }
    let shortcoming = if trial.is_pass() && trial.facts.is_whole {
        WHOLE_BODY
    } else if trial.is_pass() && plain.is_some_and(|plain| plain.is_exact) && !trial.is_exact {
        "other values than asked for, which the plain reply has"
    } else {
        return trial.shown.clone();
    };
    Observation::Negative(shortcoming.to_owned())
}

const WHOLE_BODY: &str = "one whole body where a stream was asked for";

/// A trial of a suite that is streamed as a whole, as a twin of its own. What fails has no plain trial
/// that would show whether the stream is to blame.
fn own_twin(settled: &SettledTrial, is_once: bool, by_line: bool) -> Trial<Facts> {
    let is_whole = is_whole(&settled.defects, by_line);
    let finding = match &settled.finding {
        Finding::Pass(_) if is_whole => {
            let reason = format!("streamed: {WHOLE_BODY}");
            Finding::fail_against(reason, &settled.finding, "the same call in that body")
        }
        Finding::Pass(_) => Finding::pass("a stream carries it"),
        Finding::Inconclusive(words) => Finding::Inconclusive(words.clone()),
        Finding::Fail(_) | Finding::Skipped(_) => {
            Finding::Skipped(format!("no plain run to compare with: {}", settled.finding))
        }
    };
    let facts = Facts { id: settled.id.clone(), is_once, is_whole };
    Trial {
        evidence: settled.evidence.clone(),
        defects: settled.defects.clone(),
        ..Trial::unheld(finding, facts)
    }
}

/// The twins that the verdict is about: the first ones decide, and the further ones can only lower a
/// pass.
fn telling(cases: &[SettledCase<Facts>]) -> Vec<SettledCase<Facts>> {
    let is_first = |case: &&SettledCase<Facts>| case.trials.iter().any(|it| !it.facts.is_once);
    let first: Vec<SettledCase<Facts>> = cases.iter().filter(is_first).cloned().collect();
    let shown = first.iter().flat_map(|case| &case.trials).map(|trial| &trial.shown);
    let is_decided = !first.is_empty() && Tally::of(shown).status() != Status::Pass;
    if is_decided { first } else { cases.to_vec() }
}

/// A twin is wrong where one of its cases is lost in every trial, or trials fail too often.
fn verdict(twin: &SettledCase<Facts>) -> CaseVerdict {
    let of = |case: Option<&str>| {
        let is_of_case =
            |trial: &&Trial<Facts, Finding>| case.is_none_or(|case| trial.facts.id.case == case);
        Tally::of(twin.trials.iter().filter(is_of_case).map(|trial| &trial.shown))
    };
    let is_lost = |trial: &Trial<Facts, Finding>| {
        let tally = of(Some(&trial.facts.id.case));
        tally.conclusive() > 0 && tally.passes == 0
    };
    let tally = of(None);
    match tally.status() {
        Status::Partial | Status::Fail => CaseVerdict::AcceptedInvalid,
        Status::Pass if twin.trials.iter().any(is_lost) => CaseVerdict::AcceptedInvalid,
        Status::Pass => CaseVerdict::AcceptedValid,
        Status::Inconclusive => CaseVerdict::Inconclusive,
        Status::Skipped => CaseVerdict::Skipped,
    }
}

/// Streams pass twin by twin: one that is wrong makes the result partial, however many are right.
fn lower_by_twin(result: &mut StreamingResult) {
    let wrong = result.twins.iter().filter(|(_, it)| it.verdict == CaseVerdict::AcceptedInvalid);
    let wrong: Vec<String> = wrong.map(|(id, twin)| format!("{id}: {}", twin.reason)).collect();
    if !wrong.is_empty() && result.outcome.status == Status::Pass {
        result.outcome.status = Status::Partial;
        result.outcome.reason = wrong.join("; ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(finding: Finding, is_exact: bool) -> SettledTrial {
        let (id, defects, evidence) = (TrialId::default(), Vec::new(), Vec::new());
        SettledTrial { id, finding, is_exact, defects, evidence }
    }

    /// What comparing one streamed trial with a plain one gives.
    fn compared(streamed: Trial<Facts>, finding: Finding, is_exact: bool) -> Observation {
        let mut streamed = [streamed];
        compare(&mut streamed, &[plain(finding, is_exact)], None);
        streamed[0].shown.clone()
    }

    fn held(is_exact: bool) -> Trial<Facts> {
        Trial { is_exact, ..Trial::unheld(Finding::pass("2 calls"), Facts::default()) }
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

    #[test]
    fn without_plain_trials_a_stream_can_pass_and_not_fail() {
        let shown = |finding| match own_twin(&plain(finding, true), false, false).shown {
            Observation::Settled(finding) => finding,
            Observation::Negative(reason) => panic!("{reason}"),
        };
        assert!(matches!(shown(Finding::pass("one call")), Finding::Pass(_)));
        let lost = Finding::fail_against("no call", &Finding::pass("a reply"), "a reply");
        assert!(matches!(shown(lost), Finding::Skipped(_)));
        let whole = SettledTrial {
            defects: vec![Defect::StreamIgnored],
            ..plain(Finding::pass("one call"), true)
        };
        let shown = own_twin(&whole, false, false).shown;
        assert!(matches!(shown, Observation::Settled(Finding::Fail(_))), "{shown:?}");
    }

    #[test]
    fn one_keyword_that_no_stream_carries_makes_the_twin_wrong() {
        let lost = Finding::fail_against("no call", &Finding::pass("one call"), "the plain twin");
        let trial = |case: usize, shown: &Finding| {
            let id = TrialId { case: case.to_string(), number: 0 };
            let facts = Facts { id, ..Facts::default() };
            let unheld = Trial::unheld(Finding::pass(""), facts.clone()).with_facts(facts);
            Case {
                id: String::new(),
                trials: vec![Trial { shown: shown.clone().into(), ..unheld }],
            }
            .settle(&Finding::pass(""), "")
            .trials
            .remove(0)
        };
        let twin = |lost: &Finding| {
            let passes = (1..20).map(|case| trial(case, &Finding::pass("")));
            let trials = passes.chain([trial(0, lost)]).collect();
            verdict(&Case { id: "schema".to_owned(), trials })
        };
        assert_eq!(twin(&lost), CaseVerdict::AcceptedInvalid);
        assert_eq!(twin(&Finding::pass("")), CaseVerdict::AcceptedValid);
    }
}
