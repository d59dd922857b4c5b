//! What changed between two sets of profiles?

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::cause::{Cause, causes};
use super::field::{Difference, Path, differences};
use super::{Change, Class, FieldChange, Seen, Severity, Sides};
use crate::ir::Digest;
use crate::profile::{Confirmation, Profile, Subject, predecessor, slug};

/// What one side knows of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its profile.
    pub profile: Profile,
    /// What its answers let a client see, where an adapter is the subject.
    pub seen: Option<Seen>,
}

impl From<Profile> for Measured {
    fn from(profile: Profile) -> Self {
        Self { profile, seen: None }
    }
}

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
    pub fn confirmed(mut self, confirmations: &[Confirmation]) -> Self {
        for change in &mut self.changes {
            let about =
                |it: &&Confirmation| it.profile == change.file && it.field == change.at.field;
            change.confirmation = confirmations.iter().find(about).cloned();
        }
        self
    }

    /// Whether something got worse.
    pub fn has_regression(&self) -> bool {
        self.changes.iter().any(|change| change.class == Class::Regression)
    }
}

/// Compares two sets of profiles. Targets are paired by their tuple and dialect.
pub fn diff(old: &[Measured], new: &[Measured]) -> Diff {
    let mut diff = Diff::default();
    let mut replaced = BTreeSet::new();
    for target in new {
        let same = old.iter().find(|other| file(&other.profile) == file(&target.profile));
        if let Some(before) = same {
            diff.compared += 1;
            diff.changes.extend(compared(before, target));
        } else {
            let before = predecessor_of(target, old, new);
            replaced.extend(before.map(file));
            diff.changes.extend(appeared(&target.profile, before));
        }
    }
    let has = |name: &String| new.iter().any(|target| file(&target.profile) == *name);
    for target in old {
        let name = file(&target.profile);
        if !has(&name) && !replaced.contains(&name) {
            diff.changes.extend(vanished(&target.profile));
        }
    }
    diff.changes.sort_by(|a, b| order(a).cmp(&order(b)));
    diff
}

/// The profiles that a run of these subjects could have measured again: those of the same provider
/// at the same endpoint, and what those subjects replace. Of other endpoints it says nothing.
pub fn in_scope(old: Vec<Measured>, asked: &[&Subject]) -> Vec<Measured> {
    let related = |subject: &Subject| {
        asked.iter().any(|other| {
            let same_place =
                (&other.provider, &other.endpoint) == (&subject.provider, &subject.endpoint);
            let same_model = (&other.provider, &other.model) == (&subject.provider, &subject.model);
            same_place || same_model
        })
    };
    old.into_iter().filter(|target| related(&target.profile.subject)).collect()
}

fn file(profile: &Profile) -> String {
    format!("{}.json", slug(&profile.subject, profile.dialect))
}

/// What a target is called: `provider/model`, and its variant.
pub fn target_name(subject: &Subject) -> String {
    subject.name()
}

/// By class, the gravest first, then by target and place.
pub(super) fn order(change: &Change) -> (u8, std::cmp::Reverse<Severity>, &str, &str, &str) {
    let class = match change.class {
        Class::Regression => 0,
        Class::Missing => 1,
        Class::Drift => 2,
        Class::New => 3,
        Class::Improvement => 4,
    };
    let Change { severity, target, file, .. } = change;
    (class, std::cmp::Reverse(*severity), target, file, &change.at.field)
}

/// What a target replaces: a profile of the same model that the other side no longer has.
fn predecessor_of<'a>(
    target: &Measured,
    old: &'a [Measured],
    new: &[Measured],
) -> Option<&'a Profile> {
    let gone = old.iter().map(|target| &target.profile).filter(|before| {
        let name = file(before);
        new.iter().all(|target| file(&target.profile) != name)
    });
    predecessor(gone, &target.profile.subject)
}

/// What differs between two profiles, whatever they are profiles of.
pub(super) fn compared(old: &Measured, new: &Measured) -> Vec<Change> {
    let cost = if asked(&old.profile) == asked(&new.profile) { Cost::Compared } else { Cost::Left };
    let (mut was, mut is) = (document(old, cost), document(new, cost));
    if let (Some(origin), Some(seen)) = (&old.seen, &new.seen) {
        insert(&mut was, &origin.beside(origin));
        insert(&mut is, &seen.beside(origin));
    }
    causes(differences(&was, &is))
        .into_iter()
        .map(|cause| change(cause, &new.profile, &was, &is))
        .collect()
}

/// Whether what turns cost is compared: only between answers to the same questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cost {
    Compared,
    Left,
}

/// The probes that were answered.
fn asked(profile: &Profile) -> BTreeSet<&str> {
    let answered = profile.results.outcomes().filter(|outcome| outcome.trials > 0);
    answered.map(|outcome| outcome.probe.as_str()).collect()
}

/// The profile as it is written.
fn document(target: &Measured, cost: Cost) -> Value {
    let mut profile = target.profile.clone();
    profile.cost = profile.cost.filter(|_| cost == Cost::Compared);
    serde_json::to_value(&profile).unwrap_or_default()
}

fn insert(document: &mut Value, seen: &Seen) {
    if let Some(object) = document.as_object_mut() {
        object.insert("seen".to_owned(), json!(seen));
    }
}

fn appeared(profile: &Profile, before: Option<&Profile>) -> Option<Change> {
    let tuple = |profile: &Profile| {
        let Subject { endpoint, chat_template_hash, .. } = &profile.subject;
        json!({
            "endpoint": endpoint,
            "chatTemplateHash": chat_template_hash,
            "dialect": profile.dialect,
        })
    };
    let at = match before {
        None => Difference {
            path: Path::of(&["profile"]),
            old: Value::Null,
            new: Value::from(file(profile)),
        },
        Some(before) => {
            Difference { path: Path::of(&["subject"]), old: tuple(before), new: tuple(profile) }
        }
    };
    let cause = causes(vec![at]).pop()?;
    let mut change = change(cause, profile, &Value::Null, &Value::Null);
    change.predecessor = before.map(|before| before.subject.clone());
    Some(change)
}

fn vanished(profile: &Profile) -> Option<Change> {
    let (old, new) = (Value::from(file(profile)), Value::Null);
    let cause = causes(vec![Difference { path: Path::of(&["profile"]), old, new }]).pop()?;
    Some(change(cause, profile, &Value::Null, &Value::Null))
}

fn change(cause: Cause, profile: &Profile, old: &Value, new: &Value) -> Change {
    let Cause { rule, at, also } = cause;
    let result = at.path.result();
    let found_by = result.as_ref().and_then(|path| witness_of(path, new).or(witness_of(path, old)));
    let word = |object: &Map<String, Value>, key: &str| {
        object.get(key).and_then(Value::as_str).map(str::to_owned)
    };
    let reason = |side: &Value| witness_of(&at.path, side).and_then(|it| word(it, "reason"));
    Change {
        target: target_name(&profile.subject),
        file: file(profile),
        code: rule.into(),
        class: rule.class,
        severity: rule.severity,
        probe: found_by.and_then(|object| word(object, "probe")),
        reason: Sides { old: reason(old), new: reason(new) },
        evidence: Sides { old: evidence(&at, &also, old), new: evidence(&at, &also, new) },
        at: shown(&at),
        also: also.iter().map(shown).collect(),
        predecessor: None,
        confirmation: None,
        effect: None,
    }
}

fn shown(difference: &Difference) -> FieldChange {
    let Difference { path, old, new } = difference;
    FieldChange { field: path.to_string(), old: old.clone(), new: new.clone() }
}

/// The object with evidence that a field stands in or is read off.
fn witness_of<'a>(path: &Path, profile: &'a Value) -> Option<&'a Map<String, Value>> {
    path.witness(profile).or_else(|| path.result()?.witness(profile))
}

/// The evidence of the cases that changed, where cases did; else of the whole result.
fn evidence(at: &Difference, also: &[Difference], profile: &Value) -> Vec<Digest> {
    let result = at.path.result();
    let whole = result.as_ref().and_then(|path| path.witness(profile));
    let same_probe = also.iter().filter(|it| result.is_some() && it.path.result() == result);
    let cases = std::iter::once(at)
        .chain(same_probe)
        .filter_map(|it| it.path.witness(profile))
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
