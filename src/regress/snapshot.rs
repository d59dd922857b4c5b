//! Snapshots: what may become one, and how much of it is kept.

use serde_json::Value;

use crate::profile::{FieldPath, Profile};
use crate::store::Completion;

/// How many addresses of evidence a committed snapshot keeps for each result and each case. They
/// are enough to look at; all of them stand in the profile of the run.
const KEPT_EVIDENCE: usize = 2;

/// Why a run or a profile cannot become the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unacceptable {
    /// The run has not come to its end.
    #[error("the run has not ended: it is under way, or it was killed")]
    Running,
    /// The run ended before it was done.
    #[error("the run is incomplete: {0}")]
    Incomplete(String),
    /// A result is open.
    #[error("{target}: `{field}` is inconclusive: {because}")]
    Inconclusive {
        /// Whose result it is, by name.
        target: String,
        /// The result.
        field: FieldPath,
        /// Why.
        because: String,
    },
}

/// Whether a run that ended so, with these profiles, may become the snapshot.
pub(crate) fn check_acceptable<'a>(
    completion: &Completion,
    profiles: impl IntoIterator<Item = &'a Profile>,
) -> Result<(), Unacceptable> {
    match completion {
        Completion::Running => return Err(Unacceptable::Running),
        Completion::Incomplete { because } => {
            return Err(Unacceptable::Incomplete(because.clone()));
        }
        Completion::Complete => {}
    }
    profiles.into_iter().find_map(first_open_result).map_or(Ok(()), Err)
}

/// The first result of a profile that has no verdict though it was asked.
fn first_open_result(profile: &Profile) -> Option<Unacceptable> {
    let results = serde_json::to_value(&profile.results).ok()?;
    let (field, object) = find_open(&FieldPath::of(&["results"]), &results)?;
    let because = object.get("reason").or_else(|| object.get("said")).and_then(Value::as_str);
    Some(Unacceptable::Inconclusive {
        target: profile.name(),
        field,
        because: because.unwrap_or("no reason given").to_owned(),
    })
}

fn find_open<'a>(path: &FieldPath, value: &'a Value) -> Option<(FieldPath, &'a Value)> {
    let object = value.as_object()?;
    let is_open = |key: &str| object.get(key).and_then(Value::as_str) == Some("inconclusive");
    if ["status", "verdict", "taken"].into_iter().any(is_open) {
        return Some((path.clone(), value));
    }
    object.iter().find_map(|(key, inner)| find_open(&path.child(key), inner))
}

/// The profile as a snapshot keeps it: with a few addresses of evidence instead of all.
pub(crate) fn trim_evidence(profile: &Profile) -> Profile {
    let Ok(mut results) = serde_json::to_value(&profile.results) else { return profile.clone() };
    trim(&mut results);
    match serde_json::from_value(results) {
        Ok(results) => Profile { results, ..profile.clone() },
        Err(_) => profile.clone(),
    }
}

fn trim(value: &mut Value) {
    let Some(object) = value.as_object_mut() else { return };
    for (key, inner) in object.iter_mut() {
        match inner {
            Value::Array(list) if key == "evidence" => list.truncate(KEPT_EVIDENCE),
            inner => trim(inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::regress::fixtures::profile;

    #[test]
    fn a_run_that_did_not_end_well_cannot_be_accepted() {
        let none: [&Profile; 0] = [];
        assert_eq!(check_acceptable(&Completion::Complete, none), Ok(()));
        assert_eq!(check_acceptable(&Completion::Running, none), Err(Unacceptable::Running));
        let because = "interrupted".to_owned();
        let error = check_acceptable(&Completion::Incomplete { because }, none).unwrap_err();
        assert_eq!(error.to_string(), "the run is incomplete: interrupted");
    }

    #[test]
    fn an_open_verdict_anywhere_in_a_profile_cannot_be_accepted() {
        let case = json!({"results": {"schema": {"cases": {"enum": {
            "verdict": "inconclusive", "reason": "HTTP 503"}}}}});
        let error = check_acceptable(&Completion::Complete, [&profile(&case)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "acme/model: `results.schema.cases.enum` is inconclusive: HTTP 503"
        );
        let shape = json!({"results": {"history": {"shapes": {"dangling-call": {
            "taken": "inconclusive"}}}}});
        assert!(check_acceptable(&Completion::Complete, [&profile(&shape)]).is_err());
        assert_eq!(check_acceptable(&Completion::Complete, [&profile(&json!({}))]), Ok(()));
    }

    #[test]
    fn a_snapshot_keeps_few_addresses_and_everything_else() {
        let full = profile(&json!({}));
        let kept = trim_evidence(&full);
        let schema = kept.results.schema.as_ref().unwrap();
        assert_eq!(schema.outcome.evidence.len(), KEPT_EVIDENCE);
        let one = std::slice::from_ref::<Profile>;
        let again = |profile: &Profile| super::super::diff(one(&full), one(profile));
        assert_eq!(again(&kept).changes, []);
        assert_eq!(trim_evidence(&kept), kept);
    }
}
