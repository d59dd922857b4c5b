//! Causes and effects: which of a target's differences explains the others.

use crate::profile::FieldPath;
use crate::regress::{ChangeClass, Explains, FieldChange, Rule, rules};

/// A difference with its row, and what follows from it.
#[derive(Debug, Clone)]
pub(super) struct Cause {
    pub(super) rule: &'static Rule,
    pub(super) at: FieldChange,
    pub(super) also: Vec<FieldChange>,
}

/// Names each difference, and puts those that follow from another under it.
pub(super) fn find_causes(differences: Vec<FieldChange>) -> Vec<Cause> {
    let mut found: Vec<(usize, Cause)> =
        differences.into_iter().filter_map(name_difference).collect();
    found.sort_by(|(a, cause_a), (b, cause_b)| (a, &cause_a.at.field).cmp(&(b, &cause_b.at.field)));
    let mut causes: Vec<Cause> = Vec::new();
    for (_, effect) in found {
        match causes.iter_mut().find(|cause| cause.explains(&effect)) {
            Some(cause) => cause.also.push(effect.at),
            None => causes.push(effect),
        }
    }
    causes
}

/// The first row that takes a difference, with its place in the table.
fn name_difference(at: FieldChange) -> Option<(usize, Cause)> {
    let (place, rule) = rules().enumerate().find(|(_, rule)| rule.takes(&at))?;
    Some((place, Cause { rule, at, also: Vec::new() }))
}

/// The streamed twin of each probe: it is skipped where its plain run fails.
const TWINS: [(&str, &str); 7] = [
    ("results.singleTool.**", "results.streaming.twins.basic-format.**"),
    ("results.schema.**", "results.streaming.twins.schema.**"),
    ("results.closedLoop.**", "results.streaming.twins.closed-loop.**"),
    ("results.parallelTool.**", "results.streaming.twins.parallel.**"),
    ("results.errorRepair.**", "results.streaming.twins.error-repair.**"),
    ("results.reasoningReplay.**", "results.streaming.twins.reasoning-replay.**"),
    ("results.history.**", "results.streaming.twins.history.**"),
];

impl Cause {
    fn explains(&self, effect: &Self) -> bool {
        self.reaches(&effect.at.field) && self.may_hide(effect.rule)
    }

    fn reaches(&self, path: &FieldPath) -> bool {
        let is_twin =
            |(plain, twin): &(&str, &str)| self.at.field.matches(plain) && path.matches(twin);
        let same_probe = || {
            let probe = self.at.field.result();
            (probe.is_some() && probe == path.result()) || TWINS.iter().any(is_twin)
        };
        if path.matches("metrics.*") {
            return true;
        }
        match self.rule.explains {
            Explains::Nothing => false,
            Explains::Status => {
                let summed_up = ["results.**.status", "results.**.passes"];
                same_probe() && summed_up.iter().any(|pattern| path.matches(pattern))
            }
            Explains::Probe => same_probe(),
            Explains::ProbeAnd(fields) => {
                same_probe() || fields.iter().any(|pattern| path.matches(pattern))
            }
            Explains::Target => true,
        }
    }

    /// Good news never covers bad news, unless nothing can be compared at all.
    fn may_hide(&self, effect: &Rule) -> bool {
        effect.class != ChangeClass::Regression
            || matches!(self.rule.class, ChangeClass::Regression | ChangeClass::Missing)
            || self.rule.explains == Explains::Target
    }
}
