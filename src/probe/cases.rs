//! Cases: how probes that are lists of cases judge each, and what their result is.

use super::calls::describe_displaced;
use super::kind::Known;
use super::outcome::{case_result, outcome};
use super::trial::{Case, SettledCase, missing_reply};
use crate::conversation::Answer;
use crate::profile::{CaseVerdict, Cases, Observation, Status, Tally};

/// How a case that got no reply was taken; `None` where there is a reply to judge.
pub(crate) fn missing_case_reply(answer: &Answer) -> Option<(CaseVerdict, Observation)> {
    let verdict = match answer {
        Answer::Reply(_) => return None,
        Answer::Refused(_) => CaseVerdict::Rejected,
        Answer::OutputRejected(_) | Answer::CutShort(_) => CaseVerdict::AcceptedInvalid,
        Answer::Nothing(_) => CaseVerdict::Inconclusive,
    };
    Some((verdict, missing_reply(answer)?))
}

/// A call that stands elsewhere than single ones is one that a client misses.
pub(crate) fn mark_displaced(cases: &mut [Case<CaseVerdict>], known: &Known) {
    for trial in cases.iter_mut().flat_map(|case| &mut case.trials) {
        if trial.is_displaced(known.layer) {
            trial.facts = CaseVerdict::AcceptedInvalid;
            trial.shown = Observation::Negative(describe_displaced(trial.layer));
        }
    }
}

/// The result of a probe that is a list of cases.
pub(crate) fn list_cases(probe: &str, cases: &[SettledCase<CaseVerdict>]) -> Cases {
    let results = cases.iter().map(|case| (case.id.clone(), case_result(case, verdict(case))));
    let mut result = Cases::of(outcome(probe, cases), results);
    lower_by_case(&mut result);
    result
}

/// A list passes case by case: one that fails in every trial makes it partial, however many pass.
fn lower_by_case(result: &mut Cases) {
    let lost = result.cases.iter().filter(|(_, case)| case.trials > 0 && case.passes == 0);
    let lost: Vec<String> = lost.map(|(id, case)| format!("{id}: {}", case.reason)).collect();
    if !lost.is_empty() && result.outcome.status == Status::Pass {
        result.outcome.status = Status::Partial;
        result.outcome.reason = lost.join("; ");
    }
}

/// The worst verdict, which must be reckoned with: a case that fails in one trial fails an adapter
/// sooner or later.
fn verdict(case: &SettledCase<CaseVerdict>) -> CaseVerdict {
    let tally = Tally::of(case.trials.iter().map(|trial| &trial.shown));
    match (tally.conclusive(), tally.inconclusive) {
        (0, 0) => CaseVerdict::Skipped,
        (0, _) => CaseVerdict::Inconclusive,
        _ => {
            let verdicts = case.trials.iter().map(|trial| trial.facts).filter(|verdict| {
                !matches!(verdict, CaseVerdict::Inconclusive | CaseVerdict::Skipped)
            });
            verdicts.max().unwrap_or_default()
        }
    }
}
