//! What is a suspected regression about, and does a sample speak for it?

use serde_json::Value;

use super::{Change, Class};
use crate::profile::{Observed, Outcome, Profile, Results};
use crate::verdict::capabilities;

/// A change that may be noise, as a question to be asked again.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspicion {
    /// The name of the profile's file.
    pub profile: String,
    /// The field that changed.
    pub field: String,
    /// The probe that found it.
    pub probe: String,
    /// The one case that it is about, where it is one.
    pub case: Option<String>,
    /// The snapshot's trials.
    pub baseline: Observed,
    sign: Sign,
}

/// What of a sample is looked at.
#[derive(Debug, Clone, PartialEq)]
enum Sign {
    /// Whether its trials pass.
    Passes,
    /// Whether this field is as it was.
    Same(Value),
}

impl Suspicion {
    /// What to ask again; `None` for what no probe can show.
    pub fn of(change: &Change, before: &Profile, night: &Profile) -> Option<Self> {
        if change.class != Class::Regression {
            return None;
        }
        let probe = change.probe.clone()?;
        let (was, is) = (outcome(&before.results, &probe)?, outcome(&night.results, &probe)?);
        let case = case_of(change);
        let is_rate = change.at.field.ends_with(".passes");
        let all = Observed { passes: was.trials, trials: was.trials };
        let (baseline, sign) = match case.as_deref().and_then(|id| of_case(before, &probe, id)) {
            Some(observed) => (observed, Sign::Passes),
            None if is_rate || is.status > was.status => (observed(was), Sign::Passes),
            None => (all, Sign::Same(change.at.old.clone())),
        };
        let (profile, field) = (change.file.clone(), change.at.field.clone());
        Some(Self { profile, field, probe, case, baseline, sign })
    }

    /// How many trials of a sample there are, and how many of them are as in the snapshot. No
    /// trials stand for a sample that says nothing.
    pub fn read(&self, sample: &Results, before: &Profile, night: &Profile) -> Observed {
        let Some(found) = outcome(sample, &self.probe) else { return Observed::default() };
        if found.trials == 0 {
            return Observed::default();
        }
        match &self.sign {
            Sign::Passes if self.lies_elsewhere(sample, before) => {
                Observed { passes: 0, trials: found.trials }
            }
            Sign::Passes => match &self.case {
                Some(case) => of_case_in(sample, &self.probe, case).unwrap_or_default(),
                None => observed(found),
            },
            Sign::Same(old) => {
                let now = field_of(&with(night, sample), &self.field);
                Observed { passes: u32::from(is_same(old, &now)), trials: 1 }
            }
        }
    }

    /// A call that arrives in another layer than in the snapshot is one that its parser misses.
    fn lies_elsewhere(&self, sample: &Results, before: &Profile) -> bool {
        match (&sample.single_tool, &before.results.single_tool) {
            (Some(now), Some(was)) if now.outcome.probe == self.probe => {
                now.layer != was.layer || now.format != was.format
            }
            _ => false,
        }
    }
}

fn observed(outcome: &Outcome) -> Observed {
    Observed { passes: outcome.passes, trials: outcome.trials }
}

fn outcome<'a>(results: &'a Results, probe: &str) -> Option<&'a Outcome> {
    results.outcomes().find(|outcome| outcome.probe == probe)
}

/// The case that a field or one that follows from it stands in: `results.schema.cases.enum.verdict`.
fn case_of(change: &Change) -> Option<String> {
    let fields = std::iter::once(&change.at).chain(&change.also);
    fields.filter_map(|at| steps(&at.field)).find_map(|steps| {
        let at = steps.iter().position(|step| step == "cases")?;
        steps.get(at + 1).cloned()
    })
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

/// The night's profile with what a sample found in place of what the night did.
fn with(night: &Profile, sample: &Results) -> Value {
    let mut profile = night.clone();
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

fn field_of(profile: &Value, field: &str) -> Value {
    let found = steps(field)
        .and_then(|steps| steps.iter().try_fold(profile, |at, step| at.get(step)).cloned());
    found.unwrap_or(Value::Null)
}

/// A list is as it was if nothing in it is new.
fn is_same(old: &Value, now: &Value) -> bool {
    match (old, now) {
        (Value::Array(old), Value::Array(now)) => now.iter().all(|item| old.contains(item)),
        (Value::Null, Value::Array(now)) => now.is_empty(),
        _ => old == now,
    }
}

/// The steps of a field such as `results.extended.x.cases["a b"].verdict`.
fn steps(field: &str) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    let mut rest = field;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('[') {
            let end = quoted.find(']')?;
            steps.push(serde_json::from_str(quoted.get(..end)?).ok()?);
            rest = quoted.get(end + 1..)?;
        } else {
            let plain = rest.strip_prefix('.').unwrap_or(rest);
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            steps.push(plain.get(..end)?.to_owned());
            rest = plain.get(end..)?;
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_field_are_read_as_they_are_written() {
        assert_eq!(steps("schemaLevel"), Some(vec!["schemaLevel".to_owned()]));
        let quoted = steps(r#"results.extended.x.cases["auto, thinking on"].verdict"#).unwrap();
        assert_eq!(quoted, ["results", "extended", "x", "cases", "auto, thinking on", "verdict"]);
    }

    #[test]
    fn a_list_is_as_it_was_if_nothing_in_it_is_new() {
        let list = |items: &[&str]| Value::from(items.to_vec());
        assert!(is_same(&list(&["a", "b"]), &list(&["b"])));
        assert!(!is_same(&list(&["a"]), &list(&["a", "c"])));
        assert!(is_same(&Value::Null, &list(&[])));
    }
}
