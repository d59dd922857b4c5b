//! Merging: the snapshot of a target of which some changes are accepted and others are not.
//!
//! What is accepted is taken from the newer profile field by field, and as a whole result where nothing
//! of the result is left open. The merged profile then differs from the newer one by what is open.

use serde_json::Value;

use super::{Change, FieldChange};
use crate::profile::{FieldPath, Profile};

/// The fields that say what a target stands for.
const SUBJECT: [&str; 8] =
    ["name", "provider", "model", "endpoint", "chatTemplateHash", "variant", "dialect", "server"];

/// What sums up a result, and goes together.
const COUNTS: [&str; 4] = ["status", "passes", "trials", "interval"];

/// The older profile with the accepted changes taken over; the open ones are all others between the two.
pub(crate) fn merge_accepted(
    old: &Profile,
    new: &Profile,
    accepted: &[&Change],
    open: &[&Change],
) -> Result<Profile, serde_json::Error> {
    let (mut merged, newer) = (serde_json::to_value(old)?, serde_json::to_value(new)?);
    for at in accepted.iter().flat_map(|change| fields(change)) {
        copy_field(at, &newer, &mut merged);
    }
    for result in accepted.iter().flat_map(|change| results(change)) {
        if !open.iter().flat_map(|change| results(change)).any(|it| it == result) {
            copy_result(&result, &newer, &mut merged);
        }
    }
    if accepted.iter().any(|change| is_of_suite(change)) {
        copy_suite(old, new, open, &mut merged);
        if open.is_empty() {
            copy_keys(&["probeVersion", "suite"], &newer, &mut merged);
        }
    }
    serde_json::from_value(merged)
}

/// All fields that a change is about.
fn fields(change: &Change) -> impl Iterator<Item = &FieldChange> {
    std::iter::once(&change.at).chain(&change.also)
}

/// The results that a change is about.
fn results(change: &Change) -> impl Iterator<Item = FieldPath> {
    fields(change).filter_map(|at| at.field.result())
}

fn is_of_suite(change: &Change) -> bool {
    change.code.as_str() == "suite-changed"
}

fn copy_field(at: &FieldChange, from: &Value, to: &mut Value) {
    let field = &at.field;
    if field.matches("subject") {
        copy_keys(&SUBJECT, from, to);
    } else if let Some(result) = field.result().filter(|it| sums_up(field, it)) {
        for key in COUNTS {
            result.child(key).copy(from, to);
        }
    } else if !field.matches("probes") && !field.matches("probeVersion") {
        field.copy(from, to);
    }
}

fn sums_up(field: &FieldPath, result: &FieldPath) -> bool {
    COUNTS.iter().any(|key| *field == result.child(key))
}

fn copy_keys(keys: &[&str], from: &Value, to: &mut Value) {
    for key in keys {
        FieldPath::of(&[key]).copy(from, to);
    }
}

/// Takes over a result with its words and its evidence, and what its probe asks.
fn copy_result(result: &FieldPath, from: &Value, to: &mut Value) {
    let probe = [from, to].into_iter().find_map(|side| {
        let object = result.witness(side)?;
        object.get("probe")?.as_str().map(ToOwned::to_owned)
    });
    result.copy(from, to);
    if let Some(probe) = probe {
        FieldPath::of(&["probes", &probe]).copy(from, to);
    }
}

/// Takes over what probes ask, but for those of which something is open.
fn copy_suite(old: &Profile, new: &Profile, open: &[&Change], to: &mut Value) {
    let Ok(from) = serde_json::to_value(new) else { return };
    let is_open =
        |id: &&String| open.iter().any(|change| change.probe.as_deref() == Some(id.as_str()));
    let ids = old.probes.keys().chain(new.probes.keys());
    for id in ids.filter(|id| !is_open(id)) {
        FieldPath::of(&["probes", id]).copy(&from, to);
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;
    use crate::regress::fixtures::sides_of_both;
    use crate::regress::{diff, rules};

    /// The changes by name and place. Which probes ask something else goes with their results.
    fn names<'a>(changes: impl Iterator<Item = &'a Change>) -> Vec<(&'a str, String)> {
        let changes = changes.filter(|change| !is_of_suite(change));
        let mut names: Vec<_> =
            changes.map(|it| (it.code.as_str(), it.at.field.to_string())).collect();
        names.sort();
        names
    }

    /// Accepts each of several changes alone. Gives what is left, where it is not exactly the others.
    fn check(old: &Profile, new: &Profile) -> Vec<String> {
        let changes = diff(from_ref(old), from_ref(new)).changes;
        let mut wrong = Vec::new();
        for accepted in &changes {
            let open: Vec<&Change> = changes.iter().filter(|it| *it != accepted).collect();
            let merged = merge_accepted(old, new, &[accepted], &open).unwrap();
            let left = diff(from_ref(&merged), from_ref(new)).changes;
            let (left, open) = (names(left.iter()), names(open.into_iter()));
            if left != open {
                wrong.push(format!("accepted {}: {left:?}, not {open:?}", accepted.code));
            }
        }
        wrong
    }

    #[test]
    fn what_is_accepted_is_no_change_any_more_and_everything_else_still_is() {
        let others = ["parallel-lost", "subject-changed", "repair-lost"];
        let pairs = rules().flat_map(|rule| others.map(|other| sides_of_both(rule.code, other)));
        let wrong: Vec<String> = pairs.flatten().flat_map(|(old, new)| check(&old, &new)).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
