//! The changes between two sets of profiles.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::cause::{Cause, find_causes};
use super::differences::differences;
use super::rules::weigh_defect;
use super::{Change, ChangeClass, FieldChange, Severity, Sides};
use crate::ir::Digest;
use crate::profile::{Confirmation, FieldPath, Profile, Subject, predecessor, slug};

/// What changed, gravest first.
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
                |it: &&Confirmation| it.profile == change.file && it.field == change.at.field;
            change.confirmation = confirmations.iter().find(about).cloned();
        }
        self
    }

    /// Whether something got worse.
    pub fn has_regression(&self) -> bool {
        self.changes.iter().any(|change| change.class == ChangeClass::Regression)
    }
}

/// Compares two sets of profiles. Targets are paired by their tuple and dialect.
pub fn diff(old: &[Profile], new: &[Profile]) -> Diff {
    let mut diff = Diff::default();
    let mut replaced = BTreeSet::new();
    for target in new {
        let same = old.iter().find(|other| file(other) == file(target));
        if let Some(before) = same {
            diff.compared += 1;
            diff.changes.extend(compare_profiles(before, target));
        } else {
            let before = predecessor_of(target, old, new);
            replaced.extend(before.map(file));
            diff.changes.extend(target_appears(target, before));
        }
    }
    let has = |name: &String| new.iter().any(|target| file(target) == *name);
    for target in old {
        let name = file(target);
        if !has(&name) && !replaced.contains(&name) {
            diff.changes.extend(target_vanishes(target));
        }
    }
    diff.changes.sort_by(|a, b| order(a).cmp(&order(b)));
    diff
}

/// The profiles that a run of these subjects could have measured again: those of the same provider
/// at the same endpoint, and those that the subjects replace. The run says nothing of the others.
pub fn in_scope(old: Vec<Profile>, asked: &[&Subject]) -> Vec<Profile> {
    let related = |subject: &Subject| {
        asked.iter().any(|other| {
            let same_place =
                (&other.provider, &other.endpoint) == (&subject.provider, &subject.endpoint);
            let same_model = (&other.provider, &other.model) == (&subject.provider, &subject.model);
            same_place || same_model
        })
    };
    old.into_iter().filter(|profile| related(&profile.subject)).collect()
}

fn file(profile: &Profile) -> String {
    format!("{}.json", slug(&profile.subject, profile.dialect))
}

/// By class, the gravest first, then by target and place.
pub(super) fn order(change: &Change) -> (u8, Reverse<Severity>, &str, &str, &FieldPath) {
    let class = match change.class {
        ChangeClass::Regression => 0,
        ChangeClass::Missing => 1,
        ChangeClass::Drift => 2,
        ChangeClass::New => 3,
        ChangeClass::Improvement => 4,
    };
    let Change { severity, target, file, .. } = change;
    (class, Reverse(*severity), target, file, &change.at.field)
}

/// What a target replaces: a profile of the same model that the other side no longer has.
fn predecessor_of<'a>(
    target: &Profile,
    old: &'a [Profile],
    new: &[Profile],
) -> Option<&'a Profile> {
    let gone = old.iter().filter(|before| {
        let name = file(before);
        new.iter().all(|target| file(target) != name)
    });
    predecessor(gone, &target.subject)
}

/// The changes between two profiles, whatever they are profiles of.
fn compare_profiles(old: &Profile, new: &Profile) -> Vec<Change> {
    let (was, is) = documents(old, new);
    compare_documents(&was, &is, new)
}

/// The changes between two profiles as they are written, under the name of the newer one.
pub(super) fn compare_documents(old: &Value, new: &Value, profile: &Profile) -> Vec<Change> {
    let causes = find_causes(differences(old, new)).into_iter();
    causes.map(|cause| change(cause, profile, old, new)).collect()
}

/// Two profiles as they are written. Costs stay only where both answered the same questions.
pub(super) fn documents(old: &Profile, new: &Profile) -> (Value, Value) {
    let same_questions = answered(old) == answered(new);
    let document = |profile: &Profile| {
        let mut profile = profile.clone();
        profile.cost = profile.cost.filter(|_| same_questions);
        serde_json::to_value(&profile).unwrap_or_default()
    };
    (document(old), document(new))
}

/// The probes that were answered.
fn answered(profile: &Profile) -> BTreeSet<&str> {
    let answered = profile.results.outcomes().filter(|outcome| outcome.trials > 0);
    answered.map(|outcome| outcome.probe.as_str()).collect()
}

fn target_appears(profile: &Profile, before: Option<&Profile>) -> Option<Change> {
    let tuple = |profile: &Profile| {
        let Subject { endpoint, chat_template_hash, .. } = &profile.subject;
        json!({
            "endpoint": endpoint,
            "chatTemplateHash": chat_template_hash,
            "dialect": profile.dialect,
        })
    };
    let (field, old, new) = match before {
        None => ("profile", Value::Null, Value::from(file(profile))),
        Some(before) => ("subject", tuple(before), tuple(profile)),
    };
    let mut change = change_of_target(field, old, new, profile)?;
    change.predecessor = before.map(|before| before.subject.clone());
    Some(change)
}

fn target_vanishes(profile: &Profile) -> Option<Change> {
    change_of_target("profile", Value::from(file(profile)), Value::Null, profile)
}

/// A change that is about a target as a whole.
fn change_of_target(field: &str, old: Value, new: Value, profile: &Profile) -> Option<Change> {
    let at = FieldChange { field: FieldPath::of(&[field]), old, new };
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
        target: profile.subject.name(),
        file: file(profile),
        code: rule.into(),
        class,
        severity,
        probe: found_by.and_then(|object| word(object, "probe")),
        reason: Sides { old: reason(old), new: reason(new) },
        evidence: Sides { old: evidence(&at, &also, old), new: evidence(&at, &also, new) },
        at,
        also,
        predecessor: None,
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
