//! Is a call made as asked, case by case?

use std::collections::BTreeMap;

use futures_util::future::join_all;

use super::bench::{Bench, Known, Offer, Trial, unanswered, wanted};
use super::calls::{Fit, best, displaced, no_call};
use super::outcome::outcome;
use super::suite::{CallCase, CallJudge};
use super::{Probe, Seed, ask_for};
use crate::conversation::{Answer, excerpt};
use crate::ir::Digest;
use crate::profile::{CaseResult, CaseVerdict, Cases, Finding, Observation, Tally};
use crate::tools::ArgumentSchema;

/// The trials of each case, not yet settled.
pub(super) type CaseTrials = Vec<(String, Vec<Trial<CaseVerdict>>)>;

/// Asks for every case's call.
pub(super) async fn ask(bench: &Bench, probe: &Probe, cases: &[CallCase]) -> CaseTrials {
    join_all(cases.iter().map(|case| async {
        let seeds = bench.seeds(&probe.id, &case.id);
        (case.id.clone(), join_all(seeds.iter().map(|seed| trial(bench, probe, case, seed))).await)
    }))
    .await
}

async fn trial(bench: &Bench, probe: &Probe, case: &CallCase, seed: &Seed) -> Trial<CaseVerdict> {
    let wanted = wanted(&case.call, seed);
    let offer = Offer { probe, names: &[&wanted.tool], among: case.among, filler: 0 };
    let tools = match offer.tools(seed) {
        Ok(tools) => tools,
        Err(error) => return Trial::skipped(error.to_string(), CaseVerdict::Skipped),
    };
    let schema = tools.specs().next().and_then(|spec| ArgumentSchema::new(&spec.input_schema).ok());
    let mut conversation = bench.conversation(&tools, &ask_for(std::slice::from_ref(&wanted)));
    let said = conversation.turn().await;
    let (facts, observation) = missed(&said.answer).unwrap_or_else(|| {
        match best(&said.reading, &wanted, schema.as_ref()) {
            None => (CaseVerdict::NoCall, Observation::Negative(no_call(&said.reading))),
            Some((call, fit)) => judged(case.judge, &fit, &call.input.to_string()),
        }
    });
    Trial::of(&conversation, observation, facts)
}

/// How a case is to be called that got no reply; `None` where there is a reply to judge.
pub(super) fn missed(answer: &Answer) -> Option<(CaseVerdict, Observation)> {
    let verdict = match answer {
        Answer::Reply(_) => return None,
        Answer::Refused(_) => CaseVerdict::Rejected,
        Answer::OutputRejected(_) | Answer::CutShort(_) => CaseVerdict::AcceptedInvalid,
        Answer::Nothing(_) => CaseVerdict::Inconclusive,
    };
    Some((verdict, unanswered(answer)?))
}

fn judged(judge: CallJudge, fit: &Fit, input: &str) -> (CaseVerdict, Observation) {
    match (judge, fit) {
        (_, Fit::Exact) | (CallJudge::Valid, Fit::Valid) => {
            (CaseVerdict::AcceptedValid, Finding::pass("as asked").into())
        }
        (CallJudge::Exact, Fit::Valid) => (
            CaseVerdict::AcceptedInvalid,
            Observation::Negative(format!("other values than asked for: {}", excerpt(input, 120))),
        ),
        (_, Fit::Invalid(problem)) => {
            (CaseVerdict::AcceptedInvalid, Observation::Negative(problem.clone()))
        }
        (_, Fit::OtherTool(name)) => (
            CaseVerdict::AcceptedInvalid,
            Observation::Negative(format!("a call of '{name}', which was not asked for")),
        ),
    }
}

/// The result, now that it is known whether a single call works.
pub(super) fn settle(probe: &str, trials: CaseTrials, known: &Known, what: &str) -> Cases {
    let control = &known.control;
    let mut cases = BTreeMap::new();
    let mut failures = Vec::new();
    let (mut all, mut evidence): (Vec<Finding>, Vec<Digest>) = Default::default();
    for (id, mut trials) in trials {
        for trial in trials.iter_mut().filter(|trial| trial.is_displaced(known.layer)) {
            trial.facts = CaseVerdict::AcceptedInvalid;
            trial.observation = Observation::Negative(displaced(trial.layer));
        }
        let verdicts: Vec<CaseVerdict> = trials.iter().map(|trial| trial.facts).collect();
        let digests: Vec<Digest> = trials.iter().flat_map(|trial| trial.evidence.clone()).collect();
        let findings: Vec<Finding> =
            trials.into_iter().map(|trial| trial.observation.settle(control, what)).collect();
        let case = case(&findings, &verdicts, digests.clone());
        if case.trials > case.passes {
            failures.push(id.clone());
        }
        cases.insert(id, case);
        all.extend(findings);
        evidence.extend(digests);
    }
    Cases { outcome: outcome(probe, &all, evidence), failures, cases }
}

fn case(findings: &[Finding], verdicts: &[CaseVerdict], evidence: Vec<Digest>) -> CaseResult {
    let tally = Tally::of(findings);
    let result = outcome("", findings, evidence);
    let verdict = match (tally.conclusive(), tally.inconclusive) {
        (0, 0) => CaseVerdict::Skipped,
        (0, _) => CaseVerdict::Inconclusive,
        _ => worst(verdicts),
    };
    CaseResult {
        verdict,
        passes: tally.passes,
        trials: tally.conclusive(),
        reason: result.reason,
        evidence: result.evidence,
    }
}

/// What must be reckoned with: a case that fails in one trial fails an adapter sooner or later.
fn worst(verdicts: &[CaseVerdict]) -> CaseVerdict {
    let conclusive = verdicts
        .iter()
        .filter(|verdict| !matches!(verdict, CaseVerdict::Inconclusive | CaseVerdict::Skipped));
    conclusive.copied().max().unwrap_or(CaseVerdict::Skipped)
}
