//! What is a suspected regression about, and does a sample speak for it?

use serde_json::Value;

use super::{Change, Class};
use crate::profile::{Observed, Outcome, Profile, Results, capabilities};

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
        // What follows from a change may stand in the cases of another probe.
        let case = case_of(change).and_then(|id| Some((of_case(before, &probe, &id)?, id)));
        let is_rate = change.at.field.ends_with(".passes");
        let all = Observed { passes: was.trials, trials: was.trials };
        let (baseline, sign) = match case {
            Some((observed, _)) => (observed, Sign::Passes),
            None if is_rate || is.status > was.status => (observed(was), Sign::Passes),
            None => (all, Sign::Same(change.at.old.clone())),
        };
        let case = case.map(|(_, id)| id);
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
                Observed { passes: u32::from(*old == now), trials: 1 }
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
        .and_then(|steps| steps.iter().try_fold(profile.clone(), |at, step| inside(&at, step)));
    found.unwrap_or(Value::Null)
}

/// What stands at a step; a word of a list is there or it is not, as differences tell it.
fn inside(value: &Value, step: &str) -> Option<Value> {
    match value {
        Value::Array(words) => {
            words.iter().any(|word| word == step).then(|| Value::from("present"))
        }
        other => other.get(step).cloned(),
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
    use serde_json::json;

    use super::*;
    use crate::regress::FieldChange;
    use crate::regress::fixtures::{change, sides};

    #[test]
    fn the_steps_of_a_field_are_read_as_they_are_written() {
        assert_eq!(steps("schemaLevel"), Some(vec!["schemaLevel".to_owned()]));
        let quoted = steps(r#"results.extended.x.cases["auto, thinking on"].verdict"#).unwrap();
        assert_eq!(quoted, ["results", "extended", "x", "cases", "auto, thinking on", "verdict"]);
    }

    #[test]
    fn a_word_of_a_list_is_there_or_not() {
        let profile = json!({"results": {"streaming": {"defects": ["index-missing"]}}});
        let field = |word: &str| field_of(&profile, &format!("results.streaming.defects.{word}"));
        assert_eq!(field("index-missing"), "present");
        assert_eq!(field("index-reused"), Value::Null);
    }

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
        let field = "results.schema.cases.enum.verdict".to_owned();
        let (was, is) = (json!("accepted-valid"), json!("accepted-invalid"));
        change.also.push(FieldChange { field, old: was, new: is });
        let suspicion = Suspicion::of(&change, &old, &new).unwrap();
        assert_eq!((suspicion.probe.as_str(), suspicion.case), ("basic-format", None));
    }
}
