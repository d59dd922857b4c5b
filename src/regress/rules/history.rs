//! Rows about trimmed histories.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const LADDER: &[&str] = &["pass", "partial", "fail"];
const STATUS: &[&str] = &["results.history.status"];
const SHAPE: &[&str] = &["results.history.shapes.*.taken"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "history-lost",
        fields: STATUS,
        when: When::Turns(&["pass", "partial"], &["fail"]),
        class: ChangeClass::Regression,
        severity: Severity::Critical,
        explains: Explains::Probe,
        meaning: "even a well-formed history of calls and results is refused",
        remedy: "read the endpoint's words in the evidence",
    },
    Rule {
        code: "history-weakened",
        fields: STATUS,
        when: When::Turns(&["pass"], &["partial"]),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Probe,
        meaning: "a well-formed history is taken only some of the time",
        remedy: "run again with more `--trials`; if it stays, read the failing exchanges",
    },
    Rule {
        code: "history-regained",
        fields: STATUS,
        when: When::Climbs(LADDER),
        class: ChangeClass::Improvement,
        severity: Severity::Major,
        explains: Explains::Probe,
        meaning: "a well-formed history is taken more often than before",
        remedy: "accept the profile",
    },
    Rule {
        code: "history-rule-tightened",
        fields: SHAPE,
        when: When::Turns(&["accepted", "ignored"], &["rejected"]),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Nothing,
        meaning: "a history trimmed in this way is refused, and was not",
        remedy: "trim whole exchanges: a call, its results and its reasoning go together",
    },
    Rule {
        code: "history-results-unread",
        fields: SHAPE,
        when: When::Turns(&["accepted", "rejected"], &["ignored"]),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "a history trimmed in this way is taken, but its results are silently not read",
        remedy: "never send this shape: nothing tells when it goes wrong",
    },
    Rule {
        code: "history-rule-relaxed",
        fields: SHAPE,
        when: When::Turns(&["rejected", "ignored"], &["accepted"]),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a history trimmed in this way is taken and read",
        remedy: "accept the profile",
    },
];
