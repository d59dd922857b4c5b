//! Rows about the cases beyond the eight steps.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const STATUS: &[&str] = &["results.extended.*.status"];
const CASE: &[&str] = &["results.extended.*.cases.*.verdict"];
const BAD: &[&str] = &["accepted-invalid", "ignored", "rejected", "no-call"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "extended-lost",
        fields: STATUS,
        when: When::Turns(&["pass", "partial"], &["fail"]),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Probe,
        meaning: "nothing of an extended probe works any more",
        remedy: "read the failing cases in the evidence",
    },
    Rule {
        code: "extended-case-lost",
        fields: CASE,
        when: When::Turns(&["accepted-valid"], BAD),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Status,
        meaning: "a case of an extended probe that worked is refused, ignored or done wrong",
        remedy: "read the failing exchange: the case's name says what was asked",
    },
    Rule {
        code: "extended-case-gained",
        fields: CASE,
        when: When::Turns(BAD, &["accepted-valid"]),
        class: ChangeClass::Improvement,
        severity: Severity::Minor,
        explains: Explains::Status,
        meaning: "a case of an extended probe works that did not",
        remedy: "accept the profile",
    },
    Rule {
        code: "extended-case-changed",
        fields: CASE,
        when: When::Turns(BAD, BAD),
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a case of an extended probe still does not work, but in another way",
        remedy: "check what the adapter does: a refusal is an error, a wrong call is not",
    },
    Rule {
        code: "extended-weakened",
        fields: STATUS,
        when: When::Falls(&["pass", "partial", "fail"]),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "an extended probe works less often, though no single case stands out",
        remedy: "run again with more `--trials`",
    },
    Rule {
        code: "extended-strengthened",
        fields: STATUS,
        when: When::Climbs(&["pass", "partial", "fail"]),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Probe,
        meaning: "an extended probe works more often",
        remedy: "accept the profile",
    },
];
