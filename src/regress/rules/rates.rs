//! Rows about how often a probe passes.
//!
//! The verdict is the same, `partial` most of the time, and the passes of both sides tell more.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

/// What everything else builds on.
const CALLS: &[&str] = &["results.singleTool.passes", "results.closedLoop.passes"];
const ANY: &[&str] = &["results.*.passes", "results.extended.*.passes"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "call-rate-fell",
        fields: CALLS,
        when: When::Rarer,
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Nothing,
        meaning: "a call or its result works less often than before, further than chance explains, \
                  though the verdict is the same",
        remedy: "read the failing exchanges; `toolprobe drift` shows whether it goes on falling",
    },
    Rule {
        code: "pass-rate-fell",
        fields: ANY,
        when: When::Rarer,
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "a probe passes less often than before, further than chance explains, though the \
                  verdict is the same",
        remedy: "read the failing exchanges; `toolprobe drift` shows whether it goes on falling",
    },
    Rule {
        code: "pass-rate-rose",
        fields: ANY,
        when: When::Oftener,
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a probe passes more often than before, further than chance explains, though the \
                  verdict is the same",
        remedy: "accept the profile",
    },
];
