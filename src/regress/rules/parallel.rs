//! Rows about several calls in one reply.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const LADDER: &[&str] = &["pass", "partial", "fail"];
const STATUS: &[&str] = &["results.parallelTool.status"];
const SWITCH: &[&str] = &["results.parallelTool.offSwitch"];

/// What cannot be asked of a model that makes one call at a time.
const NEEDS_TWO: &[&str] = &[
    "results.streaming.twins.parallel.**",
    "results.history.shapes.missing-result.**",
    "results.history.shapes.orphan-result.**",
    "results.history.shapes.results-out-of-order.**",
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "parallel-lost",
        fields: &["supportsParallelToolUse"],
        when: When::Turns(&["true"], &["false"]),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(NEEDS_TWO),
        meaning: "two calls no longer come reliably in one reply",
        remedy: "ask for one call at a time, or expect the second in the next turn",
    },
    Rule {
        code: "parallel-gained",
        fields: &["supportsParallelToolUse"],
        when: When::Turns(&["false"], &["true"]),
        class: ChangeClass::Improvement,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(NEEDS_TWO),
        meaning: "two calls come in one reply",
        remedy: "make sure that the adapter runs all of them, then accept the profile",
    },
    Rule {
        code: "parallel-weakened",
        fields: STATUS,
        when: When::Falls(LADDER),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(NEEDS_TWO),
        meaning: "two calls in one reply came some of the time, and now they never do",
        remedy: "nothing, if the adapter already asks for one call at a time",
    },
    Rule {
        code: "parallel-strengthened",
        fields: STATUS,
        when: When::Climbs(LADDER),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::ProbeAnd(NEEDS_TWO),
        meaning: "two calls in one reply come some of the time",
        remedy: "accept the profile",
    },
    Rule {
        code: "parallel-switch-lost",
        fields: SWITCH,
        when: When::Turns(&["honoured"], &["ignored", "rejected", "absent"]),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "parallel calls can no longer be switched off",
        remedy: "run only the first call, or take all of them, whatever was asked for",
    },
    Rule {
        code: "parallel-switch-gained",
        fields: SWITCH,
        when: When::Turns(&["ignored", "rejected", "absent"], &["honoured"]),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "parallel calls can be switched off",
        remedy: "accept the profile",
    },
    Rule {
        code: "parallel-switch-changed",
        fields: SWITCH,
        when: When::Changes,
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "what becomes of the switch for parallel calls is different, or no longer known",
        remedy: "read the profile, then accept it",
    },
];
