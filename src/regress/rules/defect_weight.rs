//! Weight of a new defect: how many released clients it was seen to break.

use serde_json::Value;

use crate::dialect::DialectId;
use crate::ir::Defect;
use crate::profile::{ReplyMode, clients_broken_by};
use crate::regress::{ChangeClass, FieldChange, Severity};

/// Where defects stand, and in which mode their replies came.
const DEFECTS: &[(&str, ReplyMode)] = &[
    ("results.singleTool.defects.*", ReplyMode::Plain),
    ("seen.defects.*", ReplyMode::Plain),
    ("results.streaming.defects.*", ReplyMode::Streamed),
];

/// The class and severity of a defect that appeared; `None` for every other change.
pub(in crate::regress) fn weigh_defect(
    at: &FieldChange,
    dialect: DialectId,
) -> Option<(ChangeClass, Severity)> {
    let (_, mode) = DEFECTS.iter().find(|(pattern, _)| at.field.matches(pattern))?;
    if !at.old.is_null() {
        return None;
    }
    let code = Value::from(at.field.last()?);
    let defect: Defect = serde_json::from_value(code).ok()?;
    Some(match clients_broken_by(defect, dialect, *mode).count() {
        0 => (ChangeClass::Drift, Severity::Info),
        1 => (ChangeClass::Regression, Severity::Minor),
        _ => (ChangeClass::Regression, Severity::Major),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::FieldPath;

    fn weigh(result: &str, defect: &str) -> Option<(ChangeClass, Severity)> {
        let field = FieldPath::of(&["results", result, "defects", defect]);
        let at = FieldChange { field, old: Value::Null, new: Value::from("present") };
        weigh_defect(&at, DialectId::OpenAiChat)
    }

    #[test]
    fn a_defect_weighs_as_much_as_the_clients_it_breaks() {
        let major = Some((ChangeClass::Regression, Severity::Major));
        assert_eq!(weigh("streaming", "index-reused"), major);
        let minor = Some((ChangeClass::Regression, Severity::Minor));
        assert_eq!(weigh("streaming", "index-offset"), minor);
        let harmless = Some((ChangeClass::Drift, Severity::Info));
        assert_eq!(weigh("streaming", "finish-key-missing"), harmless);
        assert_eq!(weigh("singleTool", "index-reused"), harmless, "only streams have indexes");
    }
}
