//! Rows about the seven metrics.
//!
//! A metric that moves because of another change is a consequence of it.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

/// The more the better.
const SUCCESS: &[&str] = &["metrics.toolCallParseSuccessRate", "metrics.repairSuccessRate"];

/// The less the better.
const FAILURE: &[&str] = &["metrics.schemaValidationFailureRate", "metrics.parallelDowngradeRate"];

/// None is best.
const ERRORS: &[&str] = &[
    "metrics.toolResultClosureErrors",
    "metrics.reasoningReplayErrors",
    "metrics.unsafeExecutionsBlocked",
];

/// By how much a rate must move.
const STEP: f64 = 0.2;

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "success-rate-fell",
        fields: SUCCESS,
        when: When::Drops(STEP),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "over all turns, fewer attempts at a call can be read or fewer errors are \
                  corrected, by 20 points or more",
        remedy: "no single verdict changed yet: run again with more `--trials`",
    },
    Rule {
        code: "success-rate-rose",
        fields: SUCCESS,
        when: When::Rises(STEP),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "over all turns, more attempts at a call can be read or more errors are corrected, \
                  by 20 points or more",
        remedy: "accept the profile",
    },
    Rule {
        code: "failure-rate-rose",
        fields: FAILURE,
        when: When::Rises(STEP),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "over all turns, more calls break their schema or more calls come one by one, by \
                  20 points or more",
        remedy: "no single verdict changed yet: run again with more `--trials`",
    },
    Rule {
        code: "failure-rate-fell",
        fields: FAILURE,
        when: When::Drops(STEP),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "over all turns, fewer calls break their schema or come one by one, by 20 points \
                  or more",
        remedy: "accept the profile",
    },
    Rule {
        code: "errors-began",
        fields: ERRORS,
        when: When::Begins,
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "results that do not pair, refused replays or blocked calls occur, and did not",
        remedy: "`results` of the new profile says in which probe",
    },
    Rule {
        code: "errors-ended",
        fields: ERRORS,
        when: When::Ends,
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "results that do not pair, refused replays or blocked calls no longer occur",
        remedy: "accept the profile",
    },
];
