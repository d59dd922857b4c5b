//! The changes between two sets of profiles.
//!
//! - `pair`: which profiles are about the same target
//! - `subject`: what a target stands for; `questions`: what both sides were asked
//! - `differences`: which fields differ; `cause`: which difference explains the others

mod cause;
mod differences;
mod pair;
mod questions;
mod subject;

pub(crate) use pair::Pairs;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::rules::weigh_defect;
use super::{Change, ChangeClass, FieldChange, Severity, Sides};
use crate::cores::map_on_all_cores;
use crate::ir::Digest;
use crate::profile::{Confirmation, FieldPath, Profile};
use crate::store::ProfileFolder;
use cause::{Cause, find_causes};
#[cfg(test)]
pub(in crate::regress) use differences::IGNORED;
use differences::differences;
use questions::Questions;
use subject::subject_change;

/// What changed: what targets stand for first, then the gravest.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Diff {
    /// How many targets both sides have.
    pub compared: usize,
    /// Each change.
    pub changes: Vec<Change>,
}

impl Diff {
    /// Notes on each change what sampling it again showed.
    #[must_use]
    pub fn with_confirmations(mut self, confirmations: &[Confirmation]) -> Self {
        for change in &mut self.changes {
            let about =
                |it: &&Confirmation| it.target == change.target && it.field == change.at.field;
            change.confirmation = confirmations.iter().find(about).cloned();
        }
        self
    }

    /// Whether something got worse.
    pub fn has_regression(&self) -> bool {
        self.changes.iter().any(|change| change.class == ChangeClass::Regression)
    }
}

/// Compares two sets of profiles, target by target.
pub fn diff<'a>(
    old: impl IntoIterator<Item = &'a Profile>,
    new: impl IntoIterator<Item = &'a Profile>,
) -> Diff {
    let pairs = Pairs::of(old, new);
    let compared = map_on_all_cores(&pairs.both, |(before, after)| compare_profiles(before, after));
    let mut changes: Vec<Change> = compared.into_iter().flatten().collect();
    changes.extend(pairs.new.iter().filter_map(|target| target_appears(target)));
    changes.extend(pairs.gone.iter().filter_map(|target| target_vanishes(target)));
    changes.sort_by(|a, b| order(a).cmp(&order(b)));
    Diff { compared: pairs.both.len(), changes }
}

/// What targets stand for comes first; then by class, the gravest first, then by target and place.
pub(in crate::regress) fn order(
    change: &Change,
) -> (bool, u8, Reverse<Severity>, &str, &FieldPath) {
    let class = match change.class {
        ChangeClass::Regression => 0,
        ChangeClass::Missing => 1,
        ChangeClass::Drift => 2,
        ChangeClass::New => 3,
        ChangeClass::Improvement => 4,
    };
    let Change { severity, target, .. } = change;
    (!change.is_of_subject(), class, Reverse(*severity), target, &change.at.field)
}

/// The changes between two profiles of a target. Where the target stands for something else than
/// before, that is the first of them, and the likely cause of what got worse.
fn compare_profiles(old: &Profile, new: &Profile) -> Vec<Change> {
    let questions = Questions { old, new };
    let (was, mut is) = documents(old, new);
    questions.remove_other_kinds(&mut is);
    let found = differences(&was, &is).into_iter();
    let found = found.map(|at| questions.mark_incomparable(at, &was)).collect();
    let mut changes = name_changes(found, new, &was, &is);
    let subject = subject_change(old, new);
    for change in &mut changes {
        let probe = change.probe.as_deref();
        change.probe_changed = probe.is_some_and(|probe| questions.has_changed(probe));
        if matches!(change.class, ChangeClass::Regression | ChangeClass::Missing) {
            change.likely_cause = subject.as_ref().map(|it| it.words.clone());
        }
    }
    let whole = subject.map(|it| it.at).into_iter().chain(questions.suite_change());
    changes.extend(whole.filter_map(|at| change_of_target(at, new)));
    changes
}

/// The changes between two profiles as they are written, under the name of the newer one.
pub(in crate::regress) fn compare_documents(
    old: &Value,
    new: &Value,
    profile: &Profile,
) -> Vec<Change> {
    name_changes(differences(old, new), profile, old, new)
}

fn name_changes(
    found: Vec<FieldChange>,
    profile: &Profile,
    old: &Value,
    new: &Value,
) -> Vec<Change> {
    let causes = find_causes(found).into_iter();
    causes.map(|cause| change(cause, profile, old, new)).collect()
}

/// Two profiles as they are written. Costs stay only where both answered the same questions.
pub(in crate::regress) fn documents(old: &Profile, new: &Profile) -> (Value, Value) {
    let same_questions = answered_probes(old) == answered_probes(new);
    let document = |profile: &Profile| {
        let mut document = serde_json::to_value(profile).unwrap_or_default();
        if let (false, Some(object)) = (same_questions, document.as_object_mut()) {
            object.shift_remove("cost");
        }
        document
    };
    (document(old), document(new))
}

/// The probes that were answered.
fn answered_probes(profile: &Profile) -> BTreeSet<&str> {
    let answered = profile.results.outcomes().filter(|outcome| outcome.trials > 0);
    answered.map(|outcome| outcome.probe.as_str()).collect()
}

fn target_appears(profile: &Profile) -> Option<Change> {
    let (field, new) =
        (FieldPath::of(&["profile"]), Value::from(ProfileFolder::file_name(profile)));
    change_of_target(FieldChange { field, old: Value::Null, new }, profile)
}

fn target_vanishes(profile: &Profile) -> Option<Change> {
    let (field, old) =
        (FieldPath::of(&["profile"]), Value::from(ProfileFolder::file_name(profile)));
    change_of_target(FieldChange { field, old, new: Value::Null }, profile)
}

/// A change that is about a target as a whole.
fn change_of_target(at: FieldChange, profile: &Profile) -> Option<Change> {
    let cause = find_causes(vec![at]).pop()?;
    Some(change(cause, profile, &Value::Null, &Value::Null))
}

fn change(cause: Cause, profile: &Profile, old: &Value, new: &Value) -> Change {
    let Cause { rule, at, also } = cause;
    let result = at.field.result();
    let found_by = result.as_ref().and_then(|path| witness_of(path, new).or(witness_of(path, old)));
    let word = |object: &Map<String, Value>, key: &str| {
        object.get(key).and_then(Value::as_str).map(str::to_owned)
    };
    let reason = |side: &Value| witness_of(&at.field, side).and_then(|it| word(it, "reason"));
    let (class, severity) =
        weigh_defect(&at, profile.dialect).unwrap_or((rule.class, rule.severity));
    Change {
        target: profile.name(),
        file: ProfileFolder::file_name(profile),
        code: rule.into(),
        class,
        severity,
        probe: found_by.and_then(|object| word(object, "probe")),
        reason: Sides { old: reason(old), new: reason(new) },
        evidence: Sides { old: evidence(&at, &also, old), new: evidence(&at, &also, new) },
        at,
        also,
        likely_cause: None,
        probe_changed: false,
        confirmation: None,
        effect: None,
    }
}

/// The object with evidence that a field stands in or is read off.
fn witness_of<'a>(path: &FieldPath, profile: &'a Value) -> Option<&'a Map<String, Value>> {
    path.witness(profile).or_else(|| path.result()?.witness(profile))
}

/// The evidence of the cases that changed, where cases did; else of the whole result.
fn evidence(at: &FieldChange, also: &[FieldChange], profile: &Value) -> Vec<Digest> {
    let result = at.field.result();
    let whole = result.as_ref().and_then(|path| path.witness(profile));
    let same_probe = also.iter().filter(|it| result.is_some() && it.field.result() == result);
    let cases = std::iter::once(at)
        .chain(same_probe)
        .filter_map(|it| it.field.witness(profile))
        .filter(|object| whole != Some(object));
    let mut found: Vec<Digest> = cases.flat_map(digests).collect();
    if found.is_empty() {
        found = whole.map(digests).unwrap_or_default();
    }
    found.sort();
    found.dedup();
    found
}

fn digests(object: &Map<String, Value>) -> Vec<Digest> {
    let list = object.get("evidence").and_then(Value::as_array);
    let addresses = list.into_iter().flatten().filter_map(Value::as_str);
    addresses.filter_map(|address| address.parse().ok()).collect()
}
