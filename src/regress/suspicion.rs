//! Suspicions: what to ask again about a suspected regression, and how to read the samples.

use serde_json::Value;

use super::{Change, ChangeClass};
use crate::profile::{FieldPath, Observed, ProbeOutcome, Profile, Results, capabilities};

/// A change that may be noise, as a question to be asked again.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspicion {
    /// The target's name.
    pub target: String,
    /// The field that changed.
    pub field: FieldPath,
    /// The probe that found it.
    pub probe: String,
    /// The one case that it is about, where it is one.
    pub case: Option<String>,
    /// The snapshot's trials.
    pub baseline: Observed,
    sign: Sign,
}

/// How to tell whether a sample is as in the snapshot.
#[derive(Debug, Clone, PartialEq)]
enum Sign {
    /// Whether its trials pass.
    Passes,
    /// Whether this field is as it was.
    Same(Value),
}

impl Suspicion {
    /// What to ask again; `None` for what no probe can show.
    pub fn of(change: &Change, previous: &Profile, current: &Profile) -> Option<Self> {
        if change.class != ChangeClass::Regression {
            return None;
        }
        let probe = change.probe.clone()?;
        let (was, is) = (outcome(&previous.results, &probe)?, outcome(&current.results, &probe)?);
        // What follows from a change may stand in the cases of another probe.
        let case = case_of(change).and_then(|id| Some((of_case(previous, &probe, id)?, id)));
        let is_rate = change.at.field.matches("**.passes");
        let all = Observed { passes: was.trials, trials: was.trials };
        let (baseline, sign) = match case {
            Some((observed, _)) => (observed, Sign::Passes),
            None if is_rate || is.status > was.status => (count_observed(was), Sign::Passes),
            None => (all, Sign::Same(change.at.old.clone())),
        };
        let case = case.map(|(_, id)| id.to_owned());
        let (target, field) = (change.target.clone(), change.at.field.clone());
        Some(Self { target, field, probe, case, baseline, sign })
    }

    /// How many trials of a sample there are, and how many of them are as in the snapshot. No
    /// trials stand for a sample that says nothing.
    pub fn read(&self, sample: &Results, previous: &Profile, current: &Profile) -> Observed {
        let Some(found) = outcome(sample, &self.probe) else { return Observed::default() };
        if found.trials == 0 {
            return Observed::default();
        }
        match &self.sign {
            Sign::Passes
                if self.arrives_elsewhere(sample, previous)
                    || self.breaks_clients(found, previous) =>
            {
                Observed { passes: 0, trials: found.trials }
            }
            Sign::Passes => match &self.case {
                Some(case) => of_case_in(sample, &self.probe, case).unwrap_or_default(),
                None => count_observed(found),
            },
            Sign::Same(old) => {
                let now = self.field.value_in(&replace_results(current, sample));
                Observed { passes: u32::from(*old == now), trials: 1 }
            }
        }
    }

    /// A call that arrives in another layer than in the snapshot is one that its parser misses.
    fn arrives_elsewhere(&self, sample: &Results, previous: &Profile) -> bool {
        match (&sample.single_tool, &previous.results.single_tool) {
            (Some(now), Some(was)) if now.outcome.probe == self.probe => {
                now.layer != was.layer || now.format != was.format
            }
            _ => false,
        }
    }

    /// A sample that our decoder reads and ordinary clients do not, where they did in the snapshot.
    fn breaks_clients(&self, found: &ProbeOutcome, previous: &Profile) -> bool {
        let was = outcome(&previous.results, &self.probe);
        !found.breaks.is_empty() && was.is_some_and(|was| was.breaks.is_empty())
    }
}

fn count_observed(outcome: &ProbeOutcome) -> Observed {
    Observed { passes: outcome.passes, trials: outcome.trials }
}

fn outcome<'a>(results: &'a Results, probe: &str) -> Option<&'a ProbeOutcome> {
    results.outcomes().find(|outcome| outcome.probe == probe)
}

/// The case that a change or one that follows from it is about.
fn case_of(change: &Change) -> Option<&str> {
    std::iter::once(&change.at).chain(&change.also).find_map(|at| at.field.case())
}

fn of_case(profile: &Profile, probe: &str, case: &str) -> Option<Observed> {
    of_case_in(&profile.results, probe, case).filter(|it| it.passes > 0)
}

fn of_case_in(results: &Results, probe: &str, case: &str) -> Option<Observed> {
    let schema = results.schema.as_ref().filter(|cases| cases.outcome.probe == probe);
    let cases = schema.or_else(|| results.extended.get(probe))?;
    let case = cases.cases.get(case)?;
    Some(Observed { passes: case.passes, trials: case.trials })
}

/// The current profile with the results of a sample in place of its own.
fn replace_results(current: &Profile, sample: &Results) -> Value {
    let mut profile = current.clone();
    let (results, sample) = (&mut profile.results, sample.clone());
    results.single_tool = sample.single_tool.or(results.single_tool.take());
    results.schema = sample.schema.or(results.schema.take());
    results.closed_loop = sample.closed_loop.or(results.closed_loop.take());
    results.parallel_tool = sample.parallel_tool.or(results.parallel_tool.take());
    results.error_repair = sample.error_repair.or(results.error_repair.take());
    results.reasoning_replay = sample.reasoning_replay.or(results.reasoning_replay.take());
    results.streaming = sample.streaming.or(results.streaming.take());
    results.history = sample.history.or(results.history.take());
    results.extended.extend(sample.extended);
    profile.capabilities = capabilities(&profile.results);
    serde_json::to_value(&profile).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::regress::FieldChange;
    use crate::regress::fixtures::{change, sides};

    #[test]
    fn a_new_defect_that_samples_show_again_is_no_noise() {
        let (old, new) = sides("stream-defect-new");
        let change = change("stream-defect-new");
        let suspicion = Suspicion::of(&change, &old, &new).unwrap();
        let seen = suspicion.read(&new.results, &old, &new);
        assert_eq!(seen, Observed { passes: 0, trials: 1 });
        assert_eq!(suspicion.read(&old.results, &old, &new).passes, 1);
    }

    #[test]
    fn the_cases_of_another_probe_are_not_asked_again() {
        let (old, new) = sides("calls-wrong");
        let mut change = change("calls-wrong");
        let field = FieldPath::of(&["results", "schema", "cases", "enum", "verdict"]);
        let (was, is) = (json!("accepted-valid"), json!("accepted-invalid"));
        change.also.push(FieldChange { field, old: was, new: is });
        let suspicion = Suspicion::of(&change, &old, &new).unwrap();
        assert_eq!((suspicion.probe.as_str(), suspicion.case), ("basic-format", None));
    }
}
