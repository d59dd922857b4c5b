//! Outcomes: the verdict over settled trials, and the words for it.

use std::collections::BTreeMap;

use super::trial::{SettledCase, Trial};
use crate::conversation::excerpt;
use crate::ir::Digest;
use crate::profile::{CaseResult, CaseVerdict, Finding, ProbeOutcome, Tally, wilson};

/// How many exchanges a result names. All of them are kept; a profile must not grow with them.
const MAX_EVIDENCE: usize = 100;

/// How many characters a reason has.
const MAX_REASON: usize = 500;

/// The outcome of a probe over all of its cases.
pub(crate) fn outcome<F>(probe: &str, cases: &[SettledCase<F>]) -> ProbeOutcome {
    of_trials(probe, cases.iter().flat_map(|case| &case.trials))
}

/// The result of one case.
pub(crate) fn case_result<F>(case: &SettledCase<F>, verdict: CaseVerdict) -> CaseResult {
    let ProbeOutcome { passes, trials, reason, evidence, .. } = of_trials("", &case.trials);
    CaseResult { verdict, passes, trials, reason, evidence }
}

fn of_trials<'a, F: 'a>(
    probe: &str,
    trials: impl IntoIterator<Item = &'a Trial<F, Finding>> + Clone,
) -> ProbeOutcome {
    let mut evidence: Vec<Digest> =
        trials.clone().into_iter().flat_map(|trial| trial.evidence.clone()).collect();
    evidence.sort();
    evidence.dedup();
    evidence.truncate(MAX_EVIDENCE);
    let findings: Vec<&Finding> = trials.into_iter().map(|trial| &trial.shown).collect();
    let tally = Tally::of(findings.iter().copied());
    ProbeOutcome {
        probe: probe.to_owned(),
        status: tally.status(),
        passes: tally.passes,
        trials: tally.conclusive(),
        interval: wilson(tally.passes, tally.conclusive()),
        reason: excerpt(&reason(&findings), MAX_REASON),
        breaks: Vec::new(),
        control: findings.iter().find_map(|finding| match finding {
            Finding::Fail(negative) => Some(negative.control().to_owned()),
            _ => None,
        }),
        evidence,
    }
}

/// The words of the gravest kind of finding, the most frequent of them.
fn reason(findings: &[&Finding]) -> String {
    let mut counts: BTreeMap<(u8, &str), usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry((gravity(finding), finding.words())).or_default() += 1;
    }
    let gravest = counts.keys().map(|(gravity, _)| *gravity).min();
    counts
        .into_iter()
        .filter(|((gravity, _), _)| Some(*gravity) == gravest)
        .max_by_key(|(_, count)| *count)
        .map(|((_, words), _)| words.to_owned())
        .unwrap_or_default()
}

fn gravity(finding: &Finding) -> u8 {
    match finding {
        Finding::Fail(_) => 0,
        Finding::Pass(_) => 1,
        Finding::Inconclusive(_) => 2,
        Finding::Skipped(_) => 3,
    }
}
