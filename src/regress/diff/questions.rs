//! Questions: which probes asked the same on both sides, and what cannot be compared for lack of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::profile::{FieldPath, Profile, SuiteName};
use crate::regress::FieldChange;

/// Stands for a result that there is nothing to compare with.
const INCOMPARABLE: &str = "incomparable";

/// Where whole results stand.
const RESULTS: [&str; 2] = ["results.*", "results.extended.*"];

/// Where the parts of a result stand that one suite may ask and another may not.
const CASES: [&str; 5] = [
    "results.schema.cases.*",
    "results.streaming.twins.*",
    "results.extended.*.cases.*",
    "results.reasoningReplay.variants.*",
    "results.history.shapes.*",
];

/// What both sides were asked.
pub(super) struct Questions<'a> {
    pub(super) old: &'a Profile,
    pub(super) new: &'a Profile,
}

impl Questions<'_> {
    /// Whether a probe asks something else than before. Where probes were not hashed one by one, only
    /// the suite as a whole can tell.
    pub(super) fn has_changed(&self, probe: &str) -> bool {
        match (self.old.probes.get(probe), self.new.probes.get(probe)) {
            (Some(old), Some(new)) => old != new,
            _ => self.old.probe_version != self.new.probe_version,
        }
    }

    /// Takes the results of probes of another kind out of the newer profile: what they say has nothing
    /// in common with what was there.
    pub(super) fn remove_other_kinds(&self, new: &mut Value) {
        let kind = |hash: &str| hash.split(':').next().map(ToOwned::to_owned);
        let is_other = |id: &String| {
            let (old, new) = (self.old.probes.get(id), self.new.probes.get(id));
            old.zip(new).is_some_and(|(old, new)| kind(old) != kind(new))
        };
        let Some(extended) = new.pointer_mut("/results/extended") else { return };
        if let Some(results) = extended.as_object_mut() {
            results.retain(|id, _| !is_other(id));
        }
    }

    /// Tells what cannot be compared apart from what was left out on purpose, by asking a smaller suite.
    pub(super) fn mark_incomparable(&self, mut at: FieldChange, old: &Value) -> FieldChange {
        let is = |patterns: &[&str]| patterns.iter().any(|pattern| at.field.matches(pattern));
        let vanished = at.new.is_null();
        let worked = at.old == "pass" || at.old == "partial";
        let lost_result = is(&RESULTS) && worked && !self.asked_less();
        let lost_case = is(&CASES) && self.has_changed(&probe_of(&at.field, old));
        if vanished && (lost_result || lost_case) {
            at.new = json!(INCOMPARABLE);
        }
        at
    }

    fn asked_less(&self) -> bool {
        suite_of(self.new) < suite_of(self.old)
    }

    /// The probes that ask something else; the versions of the suites where that is not known.
    pub(super) fn suite_change(&self) -> Option<FieldChange> {
        if self.old.probes.is_empty() || self.new.probes.is_empty() {
            let (old, new) = (json!(self.old.probe_version), json!(self.new.probe_version));
            let field = FieldPath::of(&["probeVersion"]);
            return (old != new).then_some(FieldChange { field, old, new });
        }
        let both = self.old.probes.keys().filter(|id| self.new.probes.contains_key(*id));
        let changed: Vec<&String> = both.filter(|id| self.has_changed(id)).collect();
        let side = |probes: &BTreeMap<String, String>| -> Value {
            changed.iter().map(|id| ((*id).clone(), json!(probes.get(*id)))).collect()
        };
        let (old, new) = (side(&self.old.probes), side(&self.new.probes));
        let field = FieldPath::of(&["probes"]);
        (!changed.is_empty()).then_some(FieldChange { field, old, new })
    }
}

/// The probe that a field belongs to, as the profile says.
fn probe_of(field: &FieldPath, profile: &Value) -> String {
    let result = field.result();
    let object = result.as_ref().and_then(|path| path.witness(profile));
    let probe = object.and_then(|object| object.get("probe")).and_then(Value::as_str);
    probe.unwrap_or_default().to_owned()
}

/// How much was asked; read off the results where the profile does not say.
fn suite_of(profile: &Profile) -> SuiteName {
    let results = &profile.results;
    let light = ["basic-format", "closed-loop"];
    match profile.suite {
        Some(suite) => suite,
        None if !results.extended.is_empty() => SuiteName::Full,
        None if results.outcomes().all(|it| light.contains(&it.probe.as_str())) => SuiteName::Light,
        None => SuiteName::Standard,
    }
}
