//! Tests of the table: every row takes the pair of profiles in its fixture, and nothing else does.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::adapter::compare_sides;
use super::diff::IGNORED;
use super::passage::{PassageView, ReplyAspect, RequestAspect};
use super::{AdapterSide, AnswerKind, Change, ClientView, FieldChange, SeenAnswer, diff, rules};
use crate::ir::{Digest, Reply, Stop, StopKind};
use crate::profile::{FieldPath, Profile};
use crate::telemetry::MetricName;

/// `fixtures/diff/<code>.json`: what both sides have beyond the same base.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Pair {
    /// Where the profiles are from.
    provenance: Provenance,
    /// What happened, for people.
    about: String,
    /// What the pair yields the other way round.
    #[serde(default)]
    reverse: Vec<String>,
    old: Option<Value>,
    new: Option<Value>,
    old_answers: Option<Vec<Shown>>,
    new_answers: Option<Vec<Shown>>,
    /// What the adapter changed on its way.
    #[serde(default)]
    changed: Changed,
}

/// Aspects that changed between the two ends of an adapter.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Changed {
    requests: Vec<RequestAspect>,
    replies: Vec<ReplyAspect>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Provenance {
    Invented,
}

/// Which side of a pair is the older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forth,
    Back,
}

/// One answer of an endpoint: what a reply has beyond a plain one, or the words of a refusal.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    #[serde(default)]
    streamed: bool,
    #[serde(default)]
    cut: bool,
    #[serde(default)]
    failed: Option<u16>,
    #[serde(default)]
    emptied: bool,
    reply: Option<Value>,
    refusal: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diff")
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = folder().join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A profile of `acme/model` in which everything works, with a patch laid over it.
pub(super) fn profile(patch: &Value) -> Profile {
    let mut document: Value = read("base");
    merge(&mut document, patch);
    serde_json::from_value(document).unwrap()
}

/// The change that the fixture of a code yields.
pub(crate) fn change(code: &str) -> Change {
    changes(code, Direction::Forth).remove(0)
}

/// Both profiles of the fixture of a code.
pub(super) fn sides(code: &str) -> (Profile, Profile) {
    let pair: Pair = read(code);
    (profile(&pair.old.unwrap()), profile(&pair.new.unwrap()))
}

/// Both profiles with what happens in two fixtures; `None` where one of them needs more than profiles.
pub(super) fn sides_of_both(one: &str, two: &str) -> Option<(Profile, Profile)> {
    let (one, two): (Pair, Pair) = (read(one), read(two));
    if one.old_answers.is_some() || two.old_answers.is_some() {
        return None;
    }
    let side = |one: &Value, two: &Value| {
        let mut patch = one.clone();
        merge_patches(&mut patch, two);
        profile(&patch)
    };
    Some((side(&one.old?, &two.old?), side(&one.new?, &two.new?)))
}

/// Lays one patch over another; what takes away still does.
fn merge_patches(patch: &mut Value, other: &Value) {
    match (patch.as_object_mut(), other.as_object()) {
        (Some(fields), Some(others)) => {
            for (key, value) in others {
                let empty = if value.is_object() { json!({}) } else { Value::Null };
                merge_patches(fields.entry(key.clone()).or_insert(empty), value);
            }
        }
        _ => *patch = other.clone(),
    }
}

/// The changes of a pair. Where answers are given, the newer side stands behind an adapter.
fn changes(code: &str, direction: Direction) -> Vec<Change> {
    let pair: Pair = read(code);
    let mut old = (pair.old.as_ref().map(profile), pair.old_answers);
    let mut new = (pair.new.as_ref().map(profile), pair.new_answers);
    if direction == Direction::Back {
        std::mem::swap(&mut old, &mut new);
    }
    match (old, new) {
        ((Some(old), Some(direct)), (Some(new), Some(through))) => {
            let side = |profile, answers: &[Shown], passages| AdapterSide {
                profile,
                seen: seen(answers),
                passages,
            };
            let passages = match direction {
                Direction::Forth => pair.changed.view(),
                Direction::Back => PassageView::default(),
            };
            let direct = side(old, &direct, PassageView::default());
            compare_sides(&direct, &side(new, &through, passages))
        }
        ((old, _), (new, _)) => diff(old.as_slice(), new.as_slice()).changes,
    }
}

impl Changed {
    fn view(&self) -> PassageView {
        let mut view = PassageView::default();
        self.requests.iter().for_each(|aspect| view.note_request(*aspect));
        for aspect in &self.replies {
            view.note(*aspect, "in 1 of 1 exchanges".to_owned(), vec![Digest::of("0")]);
        }
        view
    }
}

fn seen(answers: &[Shown]) -> ClientView {
    let reply = |patch: &Value| -> Reply {
        let plain = Reply::new(vec![], Stop::new(StopKind::EndTurn, "stop"));
        let mut document = serde_json::to_value(plain).unwrap();
        merge(&mut document, patch);
        serde_json::from_value(document).unwrap()
    };
    let replies: Vec<Option<Reply>> =
        answers.iter().map(|it| it.reply.as_ref().map(reply)).collect();
    let evidence: Vec<Digest> = (0..answers.len()).map(|nth| Digest::of(nth.to_string())).collect();
    let answers: Vec<SeenAnswer<'_>> = answers
        .iter()
        .zip(&replies)
        .zip(&evidence)
        .map(|((shown, reply), evidence)| {
            let what = match (reply, &shown.refusal) {
                (Some(reply), _) => AnswerKind::Reply(reply),
                (None, _) if shown.cut => AnswerKind::CutShort,
                (None, _) if shown.failed == Some(500) => AnswerKind::ServerError,
                (None, _) if shown.failed.is_some() => AnswerKind::Unavailable,
                (None, words) => AnswerKind::Refusal(words.as_deref().unwrap_or_default()),
            };
            SeenAnswer { evidence, streamed: shown.streamed, what, emptied: shown.emptied }
        })
        .collect();
    ClientView::of(&answers)
}

/// JSON Merge Patch: null takes away.
fn merge(document: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *document = patch.clone();
        return;
    };
    if !document.is_object() {
        *document = json!({});
    }
    let Some(object) = document.as_object_mut() else { return };
    for (key, value) in patch {
        match value {
            Value::Null => drop(object.shift_remove(key)),
            value => merge(object.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

#[test]
fn every_row_has_a_pair_that_yields_exactly_it() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let changes = changes(rule.code, Direction::Forth);
        let expected = [(rule.code, rule.class, rule.severity)];
        let found = changes.iter().map(|it| (it.code.as_str(), it.class, it.severity));
        let found: Vec<_> = found.collect();
        if found != expected {
            let at: Vec<String> = changes.iter().map(|it| it.at.field.to_string()).collect();
            wrong.push(format!("{}: {found:?} at {at:?}", rule.code));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_pair_says_what_it_is_and_what_it_yields_the_other_way_round() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let pair: Pair = read(rule.code);
        assert_eq!(pair.provenance, Provenance::Invented);
        assert!(!pair.about.is_empty(), "{}", rule.code);
        let changes = changes(rule.code, Direction::Back);
        let found: Vec<&str> = changes.iter().map(|it| it.code.as_str()).collect();
        if found != pair.reverse {
            wrong.push(format!("{}: {found:?}, not {:?}", rule.code, pair.reverse));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows_and_pairs_agree() {
    let rows: Vec<&str> = rules().map(|rule| rule.code).collect();
    let unique: BTreeSet<String> = rows.iter().map(|code| (*code).to_owned()).collect();
    assert_eq!(unique.len(), rows.len(), "a code stands on two rows");
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let names: BTreeSet<String> = files
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "base")
        .collect();
    assert_eq!(names, unique);
}

#[test]
fn a_profile_is_no_change_of_itself() {
    let same = [profile(&json!({}))];
    let diff = diff(&same, &same);
    assert_eq!((diff.compared, diff.changes), (1, vec![]));
}

#[test]
fn a_change_has_its_evidence_and_its_words_on_both_sides() {
    let change = change("parallel-lost");
    assert_eq!(change.probe.as_deref(), Some("parallel"));
    assert_eq!((change.evidence.old.len(), change.evidence.new.len()), (3, 1));
    assert_eq!(change.reason.old.as_deref(), Some("as asked"));
    assert_eq!(change.reason.new.as_deref(), Some("one call only"));
    let status = FieldPath::of(&["results", "parallelTool", "status"]);
    assert!(change.also.iter().any(|it| it.field == status), "{:?}", change.also);
}

/// Walks the JSON Schema of the profile, so that a field that is added later is found.
#[test]
fn every_field_of_a_profile_has_a_row_or_a_reason_for_none() {
    let schema = schemars::schema_for!(Profile).to_value();
    let mut leaves = Vec::new();
    collect(&schema, &schema, &mut Vec::new(), &mut leaves);
    assert!(leaves.len() > 60, "{leaves:#?}");
    for leaf in leaves {
        let steps: Vec<&str> = leaf.iter().map(String::as_str).collect();
        let path = FieldPath::of(&steps);
        let owned = rules().any(|rule| rule.owns(&path));
        let ignored = (1..=steps.len()).any(|depth| {
            let part = FieldPath::of(&steps[..depth]);
            IGNORED.iter().any(|(pattern, _)| part.matches(pattern))
        });
        assert!(owned || ignored, "no row and no reason: {path}");
    }
}

fn collect(root: &Value, at: &Value, steps: &mut Vec<String>, leaves: &mut Vec<Vec<String>>) {
    let mut inner = |key: &str, schema: &Value, leaves: &mut Vec<Vec<String>>| {
        steps.push(key.to_owned());
        collect(root, schema, steps, leaves);
        steps.pop();
    };
    if let Some(reference) = at.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap().clone();
        return collect(root, &target, steps, leaves);
    }
    let variants = |key: &str| at.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let some = variants("anyOf").into_iter().find(|variant| variant["type"] != "null");
    if let Some(some) = some {
        return collect(root, &some, steps, leaves);
    }
    if let Some(properties) = at.get("properties").and_then(Value::as_object) {
        for (key, schema) in properties {
            inner(key, schema, leaves);
        }
    } else if let Some(values) = at.get("additionalProperties").filter(|it| it.is_object()) {
        inner("entry", values, leaves);
    } else if at["type"] == "array" && at.get("prefixItems").is_none() {
        inner("member", &Value::Null, leaves);
    } else {
        leaves.push(steps.clone());
    }
}

#[test]
fn every_step_between_two_verdicts_has_a_row() {
    let statuses = ["pass", "partial", "fail", "inconclusive", "skipped"];
    let cases = ["accepted-valid", "accepted-invalid", "ignored", "rejected", "no-call"];
    let taken = ["accepted", "ignored", "rejected", "inconclusive", "skipped"];
    let modes = ["required", "accepted", "ignored", "rejected", "absent"];
    for (fields, words) in [
        (vec!["results.singleTool.status", "results.closedLoop.status"], &statuses),
        (vec!["results.parallelTool.status", "results.schema.status"], &statuses),
        (vec!["results.errorRepair.status", "results.reasoningReplay.status"], &statuses),
        (vec!["results.streaming.status", "results.history.status"], &statuses),
        (vec!["results.extended.x.status"], &statuses),
        (vec!["results.schema.cases.x.verdict", "results.streaming.twins.x.verdict"], &cases),
        (vec!["results.extended.x.cases.y.verdict"], &cases),
        (vec!["results.reasoningReplay.variants.x.taken"], &taken),
        (vec!["results.history.shapes.x.taken"], &taken),
    ] {
        for field in fields {
            let path = FieldPath::of(&field.split('.').collect::<Vec<_>>());
            each_pair(words, |old, new| {
                assert!(has_row(&path, old, new), "{path}: {old} -> {new}");
            });
        }
    }
    each_pair(&modes, |old, new| {
        let mode = FieldPath::of(&["reasoningReplay", "mode"]);
        let requires = FieldPath::of(&["requiresReasoningReplay"]);
        let is_required = |mode: &Value| json!(mode == "required");
        let by_flag = is_required(old) != is_required(new)
            && has_row(&requires, &is_required(old), &is_required(new));
        let by_mode = has_row(&mode, old, new);
        assert!(by_flag || by_mode, "{old} -> {new}");
    });
}

fn has_row(field: &FieldPath, old: &Value, new: &Value) -> bool {
    let at = FieldChange { field: field.clone(), old: old.clone(), new: new.clone() };
    rules().any(|rule| rule.takes(&at))
}

fn each_pair(words: &[&str], check: impl Fn(&Value, &Value)) {
    for old in words {
        for new in words.iter().filter(|new| *new != old) {
            check(&json!(old), &json!(new));
        }
    }
}

#[test]
fn good_news_never_covers_bad_news() {
    let old = profile(&json!({
        "schemaLevel": "string-only",
        "results": {"schema": {"status": "partial", "cases": {
            "integer": {"verdict": "accepted-invalid"}}}}
    }));
    let new = profile(&json!({
        "schemaLevel": "simple-object",
        "results": {"schema": {"status": "partial", "cases": {
            "enum": {"verdict": "rejected"}}}}
    }));
    let diff = diff(&[old], &[new]);
    let codes: Vec<&str> = diff.changes.iter().map(|change| change.code.as_str()).collect();
    assert_eq!(codes, ["schema-keyword-lost", "typed-arguments-regained"]);
}

#[test]
fn cost_is_compared_only_between_answers_to_the_same_questions() {
    let cheap = profile(&json!({"cost": {"tokensPerTurn": 300}}));
    let dear = |history: Value| {
        let patch = json!({"cost": {"tokensPerTurn": 900}, "results": {"history": history}});
        profile(&patch)
    };
    let codes = |new: Profile| -> Vec<&str> {
        let changes = diff(std::slice::from_ref(&cheap), &[new]).changes;
        changes.iter().map(|change| change.code.as_str()).collect()
    };
    assert_eq!(codes(dear(json!({}))), ["tokens-grew"]);
    assert_eq!(codes(dear(Value::Null)), ["result-incomparable"]);
}

#[test]
fn each_of_the_seven_metrics_is_compared() {
    for name in MetricName::ALL {
        let path = FieldPath::of(&["metrics", name.as_str()]);
        assert_eq!(rules().filter(|rule| rule.owns(&path)).count(), 2, "worse and better: {path}");
    }
}
