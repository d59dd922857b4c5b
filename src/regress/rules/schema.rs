//! Rows about keeping to a tool's schema.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const LEVELS: &[&str] = &["strict-json-schema", "simple-object", "string-only", "none"];
const CASE: &[&str] = &["results.schema.cases.*.verdict"];
const STATUS: &[&str] = &["results.schema.status"];
const BAD: &[&str] = &["accepted-invalid", "ignored", "rejected", "no-call"];

const NUMBERS: &[&str] = &["strict-json-schema", "simple-object"];
const NO_NUMBERS: &[&str] = &["string-only", "none"];

/// What cannot be asked, or not be answered as asked, without a number.
const NEEDS_NUMBERS: &[&str] = &[
    "supportsParallelToolUse",
    "results.parallelTool.**",
    "results.closedLoop.**",
    "errorRepair",
    "results.errorRepair.**",
    "reasoningReplay.**",
    "requiresReasoningReplay",
    "results.reasoningReplay.**",
    "supportsStreamingToolUse",
    "results.streaming.**",
    "results.history.**",
];

/// Without numbers, much of the rest cannot be asked.
pub(super) const TYPES: &[Rule] = &[
    Rule {
        code: "typed-arguments-lost",
        fields: &["schemaLevel"],
        when: When::Turns(NUMBERS, NO_NUMBERS),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(NEEDS_NUMBERS),
        meaning: "numbers and booleans no longer arrive as such, but as text or not at all",
        remedy: "convert arguments by the tool's schema before it runs, or declare them as strings",
    },
    Rule {
        code: "typed-arguments-regained",
        fields: &["schemaLevel"],
        when: When::Turns(NO_NUMBERS, NUMBERS),
        class: ChangeClass::Improvement,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(NEEDS_NUMBERS),
        meaning: "numbers and booleans arrive as such, and what needs them could be asked",
        remedy: "accept the profile",
    },
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "schema-level-lowered",
        fields: &["schemaLevel"],
        when: When::Falls(LEVELS),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Probe,
        meaning: "less of JSON Schema is kept to than before",
        remedy: "simplify tool schemas to the level that the profile names, and validate arguments",
    },
    Rule {
        code: "schema-level-raised",
        fields: &["schemaLevel"],
        when: When::Climbs(LEVELS),
        class: ChangeClass::Improvement,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "more of JSON Schema is kept to than before",
        remedy: "accept the profile",
    },
    Rule {
        code: "schema-keyword-lost",
        fields: CASE,
        when: When::Turns(&["accepted-valid"], BAD),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Status,
        meaning: "a schema keyword that was kept to is refused or not kept to",
        remedy: "do without this keyword in tool schemas, or validate and send the error back",
    },
    Rule {
        code: "schema-keyword-gained",
        fields: CASE,
        when: When::Turns(BAD, &["accepted-valid"]),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a schema keyword is kept to that was not",
        remedy: "accept the profile",
    },
    Rule {
        code: "schema-keyword-changed",
        fields: CASE,
        when: When::Turns(BAD, BAD),
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a schema keyword still does not work, but in another way",
        remedy: "check what the adapter does with it: a refusal is an error, a wrong call is not",
    },
    Rule {
        code: "schema-weakened",
        fields: STATUS,
        when: When::Falls(&["pass", "partial", "fail"]),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "arguments keep to the schema less often, though no single keyword stands out",
        remedy: "run again with more `--trials`",
    },
    Rule {
        code: "schema-strengthened",
        fields: STATUS,
        when: When::Climbs(&["pass", "partial", "fail"]),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Probe,
        meaning: "arguments keep to the schema more often",
        remedy: "accept the profile",
    },
];
