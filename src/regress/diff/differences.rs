//! The fields in which two profiles differ.
//!
//! The order of keys does not count, and a list of words is a set. [`IGNORED`] lists the fields that
//! never count as a change, each with the reason.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::profile::FieldPath;
use crate::regress::FieldChange;

/// The fields whose differences are not changes, and why.
pub(in crate::regress) const IGNORED: &[(&str, &str)] = &[
    ("profileVersion", "the form of the file"),
    ("name", "what profiles are paired by; `subject` tells a new one"),
    ("provider", "`subject` says it"),
    ("model", "`subject` says it"),
    ("endpoint", "`subject` says it"),
    ("chatTemplateHash", "`subject` says it"),
    ("variant", "`subject` says it"),
    ("dialect", "`subject` says it"),
    ("server", "`subject` says it"),
    ("probeVersion", "compared probe by probe"),
    ("probes", "compared probe by probe"),
    ("suite", "what was not asked is compared result by result"),
    ("verifiedAt", "a time"),
    ("corrections.**", "follow from the results"),
    ("rollout.**", "follows from the results and the metrics"),
    (
        "falseClaims.**",
        "what a server says is compared with the results, not with what it said before",
    ),
    ("results.singleTool.force", "how a call is demanded; that it must be is `toolDelivery`"),
    (
        "results.singleTool.schemaField",
        "part of how tools are declared; what follows shows in calls",
    ),
    ("results.**.probe", "a name"),
    ("results.**.passes", "a count; what follows from it is the status, or see `COUNTED`"),
    ("results.**.trials", "a count"),
    ("results.**.interval", "follows from the counts"),
    ("results.**.reason", "words"),
    ("results.**.control", "words"),
    ("results.**.said", "words"),
    ("results.**.evidence", "addresses"),
    ("results.**.breaks", "follows from the defects"),
    ("results.**.failures", "the cases say it"),
    ("results.**.promptTokens", "a count; the mode is what follows from it"),
    ("seen.**.reason", "words"),
    ("seen.**.evidence", "addresses"),
    ("seen.evidence", "addresses"),
    ("results.history.promptTokenDelta", "a count"),
    ("metrics.counts", "counts; the rates are what follows from them"),
    ("results.singleTool.rungs.**", "words"),
    ("results.singleTool.replies", "`supportsPlainToolUse` says it"),
    ("results.singleTool.plain.**", "`supportsPlainToolUse` says it"),
    ("results.singleTool.format", "`toolCallFormat` says it"),
    ("results.singleTool.parser", "`parser` says it"),
    ("results.singleTool.delivery", "`toolDelivery` says it"),
    ("results.singleTool.jsonText.**", "`jsonText` says it"),
    ("results.reasoningReplay.mode", "`reasoningReplay.mode` says it"),
    ("results.reasoningReplay.field", "`reasoningReplay.field` says it"),
];

/// Where the passes are compared with the trials they are of, while the status says the same.
const COUNTED: [&str; 2] = ["results.*", "results.extended.*"];

/// The fields that say in one word what an object is about. An object with one of them is compared
/// as a whole where one side does not have it.
const HEADLINES: [&str; 4] = ["status", "verdict", "taken", "strictness"];

/// All fields that differ, without the ignored ones.
pub(super) fn differences(old: &Value, new: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    if old != new {
        compare(&FieldPath::default(), old, new, &mut found);
    }
    found
}

/// Compares two values that differ.
fn compare(path: &FieldPath, old: &Value, new: &Value, found: &mut Vec<FieldChange>) {
    if IGNORED.iter().any(|(pattern, _)| path.matches(pattern)) {
        return;
    }
    match (ValueKind::of(old), ValueKind::of(new)) {
        (ValueKind::Container, ValueKind::Container | ValueKind::Nothing)
        | (ValueKind::Nothing, ValueKind::Container)
        | (ValueKind::Headed, ValueKind::Headed) => {
            found.extend(compare_counts(path, old, new));
            for key in keys(old).union(&keys(new)) {
                let (old, new) = (field(old, key), field(new, key));
                if old != new {
                    compare(&path.child(key), old, new, found);
                }
            }
        }
        (ValueKind::Words, ValueKind::Words | ValueKind::Nothing)
        | (ValueKind::Nothing, ValueKind::Words) => {
            for word in members(old).symmetric_difference(&members(new)) {
                let side = |value: &Value| {
                    if members(value).contains(word) { Value::from("present") } else { Value::Null }
                };
                let (old, new) = (side(old), side(new));
                found.push(FieldChange { field: path.child(word), old, new });
            }
        }
        _ => {
            let shown = |value| headline(value).unwrap_or(&Value::Null).clone();
            found.push(FieldChange { field: path.clone(), old: shown(old), new: shown(new) });
        }
    }
}

/// The passes of both sides with the trials they are of. A status that changed says more.
fn compare_counts(path: &FieldPath, old: &Value, new: &Value) -> Option<FieldChange> {
    let is_result = COUNTED.iter().any(|pattern| path.matches(pattern));
    if !is_result || old.get("status")? != new.get("status")? {
        return None;
    }
    let counts = |side: &Value| {
        let count = |key| side.get(key).cloned();
        Some(json!({"passes": count("passes")?, "trials": count("trials")?}))
    };
    let (old, new) = (counts(old)?, counts(new)?);
    (old != new).then(|| FieldChange { field: path.child("passes"), old, new })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Nothing,
    Scalar,
    Words,
    Container,
    Headed,
}

impl ValueKind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Nothing,
            Value::Object(_) if headline(value).is_some() => Self::Headed,
            Value::Object(_) => Self::Container,
            Value::Array(_) => Self::Words,
            _ => Self::Scalar,
        }
    }
}

/// A scalar itself, or what an object says in one word.
fn headline(value: &Value) -> Option<&Value> {
    match value {
        Value::Object(object) => HEADLINES.iter().find_map(|key| object.get(*key)),
        other => Some(other),
    }
}

/// What stands under a key; null for nothing.
fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

fn members(value: &Value) -> BTreeSet<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &Value, new: &Value) -> Vec<String> {
        let shown = |it: &FieldChange| format!("{}: {} -> {}", it.field, it.old, it.new);
        differences(old, new).iter().map(shown).collect()
    }

    #[test]
    fn times_words_addresses_and_order_are_no_change() {
        let old = json!({"verifiedAt": 1, "results": {"schema": {
            "status": "pass", "passes": 3, "trials": 3, "reason": "a", "evidence": ["sha256:1"]}}});
        let new = json!({"results": {"schema": {
            "evidence": ["sha256:2"], "reason": "b", "trials": 3, "passes": 3, "status": "pass"}},
            "verifiedAt": 2});
        assert_eq!(shown(&old, &new), [""; 0]);
    }

    #[test]
    fn counts_are_compared_where_the_status_says_the_same() {
        let side = |status: &str, passes: u32| {
            json!({"results": {"schema": {"status": status, "passes": passes, "trials": 9,
                "cases": {"enum": {"verdict": "rejected", "passes": passes, "trials": 9}}}}})
        };
        assert_eq!(
            shown(&side("partial", 8), &side("partial", 2)),
            [r#"results.schema.passes: {"passes":8,"trials":9} -> {"passes":2,"trials":9}"#]
        );
        assert_eq!(
            shown(&side("partial", 8), &side("fail", 0)),
            [r#"results.schema.status: "partial" -> "fail""#]
        );
    }

    #[test]
    fn a_list_of_words_is_a_set() {
        let old = json!({"results": {"streaming": {"status": "pass", "defects": ["a", "b"]}}});
        let new = json!({"results": {"streaming": {"status": "pass", "defects": ["c", "b"]}}});
        assert_eq!(
            shown(&old, &new),
            [
                r#"results.streaming.defects.a: "present" -> null"#,
                r#"results.streaming.defects.c: null -> "present""#,
            ]
        );
    }

    #[test]
    fn what_one_side_does_not_have_is_one_difference() {
        let old = json!({"results": {"schema": {"status": "pass", "cases": {"enum": {
            "verdict": "accepted-valid"}}}}});
        assert_eq!(shown(&old, &json!({})), [r#"results.schema: "pass" -> null"#]);
        let new = json!({"results": {"schema": {"status": "pass", "cases": {"a, b": {
            "verdict": "rejected"}}}}});
        assert_eq!(
            shown(&old, &new),
            [
                r#"results.schema.cases["a, b"]: null -> "rejected""#,
                r#"results.schema.cases.enum: "accepted-valid" -> null"#,
            ]
        );
    }
}
