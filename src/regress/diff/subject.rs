//! Subject changes: what a target stands for, and what of that changed.

use serde_json::{Map, Value, json};

use crate::profile::{EndpointId, FieldPath, Profile};
use crate::regress::FieldChange;

/// A target whose name stands for something else than before.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SubjectChange {
    /// The parts that changed, by their names in a profile.
    pub(super) at: FieldChange,
    /// The parts in words.
    pub(super) words: String,
}

/// What changed of a target beside its answers; `None` where nothing did.
pub(super) fn subject_change(old: &Profile, new: &Profile) -> Option<SubjectChange> {
    let (mut was, mut is, mut words) = (Map::new(), Map::new(), Vec::new());
    for (part, label, old, new) in parts(old, new) {
        was.insert(part.clone(), old);
        is.insert(part, new);
        words.push(label);
    }
    let at = FieldChange { field: FieldPath::of(&["subject"]), old: was.into(), new: is.into() };
    (!words.is_empty())
        .then(|| SubjectChange { at, words: format!("{} changed", words.join(", ")) })
}

/// The parts that changed: name in a profile, name in words, before and after.
fn parts(old: &Profile, new: &Profile) -> Vec<(String, String, Value, Value)> {
    let (was, is) = (&old.subject, &new.subject);
    let place = |profile: &Profile| EndpointId::of(&profile.subject.endpoint, new.dialect);
    let moved = place(old) != place(new);
    let renamed = old.name.is_some() && old.name != new.name;
    let known = [
        ("name", "name", json!(old.name), json!(new.name), renamed),
        ("provider", "provider", json!(was.provider), json!(is.provider), true),
        ("model", "model", json!(was.model), json!(is.model), true),
        ("endpoint", "endpoint", json!(was.endpoint), json!(is.endpoint), moved),
        (
            "chatTemplateHash",
            "chat template",
            json!(was.chat_template_hash),
            json!(is.chat_template_hash),
            true,
        ),
        ("variant", "variant", json!(was.variant), json!(is.variant), true),
        ("dialect", "dialect", json!(old.dialect), json!(new.dialect), true),
    ];
    let known = known.into_iter().filter(|(_, _, old, new, counts)| *counts && old != new);
    let known =
        known.map(|(part, label, old, new, _)| (part.to_owned(), label.to_owned(), old, new));
    // What a server no longer tells, or tells for the first time, need not have changed.
    let told = old.server.iter().filter_map(|(fact, was)| Some((fact, was, new.server.get(fact)?)));
    let told = told.filter(|(_, was, is)| was != is).map(|(fact, was, is)| {
        (format!("server.{fact}"), format!("server {fact}"), json!(was), json!(is))
    });
    known.chain(told).collect()
}
