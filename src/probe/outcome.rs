//! How do trials become a result?

use std::collections::BTreeMap;

use super::bench::Trial;
use crate::ir::Digest;
use crate::profile::{Finding, Outcome, Tally, wilson};

/// The result of trials whose findings are known.
pub(super) fn outcome<'a>(
    probe: &str,
    findings: impl IntoIterator<Item = &'a Finding> + Clone,
    evidence: impl IntoIterator<Item = Digest>,
) -> Outcome {
    let tally = Tally::of(findings.clone());
    let mut evidence: Vec<Digest> = evidence.into_iter().collect();
    evidence.sort();
    evidence.dedup();
    Outcome {
        probe: probe.to_owned(),
        status: tally.status(),
        passes: tally.passes,
        trials: tally.conclusive(),
        interval: wilson(tally.passes, tally.conclusive()),
        reason: reason(findings.clone()),
        control: findings.into_iter().find_map(|finding| match finding {
            Finding::Fail(negative) => Some(negative.control().what().to_owned()),
            _ => None,
        }),
        evidence,
    }
}

/// Settles trials against one control and makes the result of them.
pub(super) fn settled<F>(
    probe: &str,
    trials: Vec<Trial<F>>,
    control: &Finding,
    what: &str,
) -> (Outcome, Vec<Finding>) {
    let evidence: Vec<Digest> = trials.iter().flat_map(|trial| trial.evidence.clone()).collect();
    let findings: Vec<Finding> =
        trials.into_iter().map(|trial| trial.observation.settle(control, what)).collect();
    (outcome(probe, &findings, evidence), findings)
}

/// The words of the gravest kind of finding, the most frequent of them.
fn reason<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
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
