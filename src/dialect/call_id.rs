//! The ids of calls.

use std::collections::HashSet;

use serde_json::Value;

use crate::ir::{CallId, Defect, Defects, Part};

/// The id as the endpoint gave it, if it gave one that can pair a call with its result.
pub(super) fn read(value: Option<&Value>, defects: &mut Defects) -> Option<CallId> {
    match value? {
        Value::Null => None,
        Value::String(id) if id.is_empty() => {
            defects.record(Defect::IdEmpty);
            None
        }
        Value::String(id) => Some(CallId::new(id)),
        other => {
            defects.record(Defect::IdNotString);
            Some(CallId::new(other.to_string()))
        }
    }
}

/// The id of a call in a dialect whose calls must carry one; made up where it does not.
pub(super) fn required(value: Option<&Value>, made_up: String, defects: &mut Defects) -> CallId {
    if value.is_none_or(Value::is_null) {
        defects.record(Defect::IdMissing);
    }
    read(value, defects).unwrap_or_else(|| CallId::new(made_up))
}

/// Records that two calls of one reply carry the same id.
pub(super) fn note_duplicates(parts: &[Part], defects: &mut Defects) {
    let mut seen = HashSet::new();
    if !parts.iter().filter_map(of).all(|id| seen.insert(id)) {
        defects.record(Defect::IdDuplicate);
    }
}

/// The id of a call or of an attempt at one.
pub(super) fn of(part: &Part) -> Option<&CallId> {
    match part {
        Part::Call(call) => Some(&call.id),
        Part::BrokenCall(call) => Some(&call.id),
        Part::Text(_) | Part::Reasoning(_) | Part::Result(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_id_that_is_no_text_is_kept_as_text() {
        let mut defects = Defects::default();
        assert_eq!(read(Some(&json!(7)), &mut defects), Some(CallId::new("7")));
        assert_eq!(read(Some(&json!("")), &mut defects), None);
        assert_eq!(read(Some(&json!(null)), &mut defects), None);
        assert_eq!(defects.iter().collect::<Vec<_>>(), [Defect::IdNotString, Defect::IdEmpty]);
    }
}
