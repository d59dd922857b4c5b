//! Changes as GitLab's code-quality report, which a merge request shows.

use serde_json::{Value, json};

use super::sarif::fingerprint;
use super::{Changes, change_line};
use crate::regress::{Level, Severity};

/// One issue per change that is denied, open or warned of. Only what is denied is graver than minor.
pub(crate) fn changes_code_quality(changes: &Changes<'_>) -> Value {
    let entries = changes.entries.iter().filter(|entry| entry.level() != Level::Allow);
    let issue = |entry: &super::ChangeEntry<'_>| {
        let severity = match (entry.level(), entry.change.severity) {
            (Level::Deny, Severity::Critical) => "blocker",
            (Level::Deny, _) => "critical",
            (Level::Inconclusive, _) => "minor",
            (Level::Warn | Level::Allow, _) => "info",
        };
        json!({
            "description": change_line(entry),
            "check_name": entry.change.code.as_str(),
            "fingerprint": fingerprint(entry).hex(),
            "severity": severity,
            "location": {"path": changes.location(entry.change), "lines": {"begin": 1}},
        })
    };
    Value::Array(entries.map(issue).collect())
}
