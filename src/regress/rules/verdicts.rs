//! Rows about whether there is a verdict.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const STATUS: &[&str] = &["results.*.status", "results.extended.*.status"];

/// Where the answer to a single question stands.
const CASE: &[&str] = &[
    "results.schema.cases.*.verdict",
    "results.streaming.twins.*.verdict",
    "results.extended.*.cases.*.verdict",
    "results.reasoningReplay.variants.*.taken",
    "results.history.shapes.*.taken",
];

/// What a result may hold or not.
const CASE_AS_A_WHOLE: &[&str] = &[
    "results.schema.cases.*",
    "results.streaming.twins.*",
    "results.extended.*.cases.*",
    "results.reasoningReplay.variants.*",
    "results.history.shapes.*",
];

/// What a run may hold or not, by how much was asked.
const RESULT: &[&str] = &["results.*", "results.extended.*"];

/// What may be left without anything to compare it with.
const INCOMPARABLE: &[&str] = &[
    "results.*",
    "results.extended.*",
    "results.schema.cases.*",
    "results.streaming.twins.*",
    "results.extended.*.cases.*",
    "results.reasoningReplay.variants.*",
    "results.history.shapes.*",
];

/// What an adapter reads.
const CAPABILITY: &[&str] = &[
    "schemaLevel",
    "toolCallFormat",
    "parser",
    "toolDelivery",
    "supportsParallelToolUse",
    "requiresReasoningReplay",
    "reasoningReplay.mode",
    "reasoningReplay.field",
    "supportsStreamingToolUse",
    "supportsPlainToolUse",
    "errorRepair",
];

/// Without a first call there is nothing to compare.
pub(super) const FIRST_CALL: &[Rule] = &[Rule {
    code: "target-inconclusive",
    fields: &["results.singleTool.status"],
    when: When::Turns(&[], &["inconclusive"]),
    class: ChangeClass::Missing,
    severity: Severity::Minor,
    explains: Explains::Target,
    meaning: "not even a single call could be judged: infrastructure, budget, or interrupted",
    remedy: "see the reason (key, limit, outage), then run again; this is not a finding about the \
             model",
}];

/// Whether a probe has a verdict.
pub(super) const STATUSES: &[Rule] = &[
    Rule {
        code: "verdict-inconclusive",
        fields: STATUS,
        when: When::Turns(&[], &["inconclusive"]),
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "there was a verdict, and now infrastructure, budget or an interruption keeps \
                  it open",
        remedy: "run again; if it stays open, look at the evidence for limits and timeouts",
    },
    Rule {
        code: "verdict-blocked",
        fields: STATUS,
        when: When::Turns(&["pass", "partial", "fail"], &["skipped"]),
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "there was a verdict, and now what the probe builds on does not hold, so that \
                  it was not asked",
        remedy: "read the reason; what blocks it is often another line of the same target",
    },
    Rule {
        code: "verdict-new",
        fields: STATUS,
        when: When::Turns(&["inconclusive", "skipped"], &[]),
        class: ChangeClass::New,
        severity: Severity::Info,
        explains: Explains::Probe,
        meaning: "there is a verdict where there was none",
        remedy: "read it, then accept it",
    },
    Rule {
        code: "result-new",
        fields: RESULT,
        when: When::Appears,
        class: ChangeClass::New,
        severity: Severity::Info,
        explains: Explains::Probe,
        meaning: "a probe was asked that was not asked before, such as by a larger suite",
        remedy: "read its result, then accept it",
    },
    Rule {
        code: "result-incomparable",
        fields: INCOMPARABLE,
        when: When::Turns(&[], &["incomparable"]),
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "the suite no longer asks what this result answered, so that nobody knows whether it \
                  still holds",
        remedy: "restore the probe, or accept a run of the new suite",
    },
    Rule {
        code: "result-missing",
        fields: RESULT,
        when: When::Vanishes,
        class: ChangeClass::Missing,
        severity: Severity::Info,
        explains: Explains::Probe,
        meaning: "a probe was not asked that was asked before, such as by a smaller suite",
        remedy: "nothing, if less was asked on purpose; such a run should not become the \
                 snapshot",
    },
];

/// Whether a single case has a verdict.
pub(super) const CASES: &[Rule] = &[
    Rule {
        code: "case-inconclusive",
        fields: CASE,
        when: When::Turns(&[], &["inconclusive"]),
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "infrastructure keeps the verdict on one case open",
        remedy: "run again",
    },
    Rule {
        code: "case-blocked",
        fields: CASE,
        when: When::Turns(&[], &["skipped"]),
        class: ChangeClass::Missing,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "one case is no longer asked, because its control does not hold",
        remedy: "read the reason in the new profile",
    },
    Rule {
        code: "case-verdict-new",
        fields: CASE,
        when: When::Turns(&["inconclusive", "skipped"], &[]),
        class: ChangeClass::New,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "one case has a verdict where it had none",
        remedy: "read it, then accept it",
    },
    Rule {
        code: "case-new",
        fields: CASE_AS_A_WHOLE,
        when: When::Appears,
        class: ChangeClass::New,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a case was asked that was not asked before",
        remedy: "read it, then accept it",
    },
    Rule {
        code: "case-missing",
        fields: CASE_AS_A_WHOLE,
        when: When::Vanishes,
        class: ChangeClass::Missing,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a case was not asked that was asked before",
        remedy: "read the reason in the new profile",
    },
];

/// What no result accounts for.
pub(super) const CAPABILITIES: &[Rule] = &[
    Rule {
        code: "capability-unknown",
        fields: CAPABILITY,
        when: When::Vanishes,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "a setting that was known is not known any more",
        remedy: "judge the stored results again, or run again",
    },
    Rule {
        code: "capability-known",
        fields: CAPABILITY,
        when: When::Appears,
        class: ChangeClass::New,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a setting is known that was not",
        remedy: "read it, then accept it",
    },
];
