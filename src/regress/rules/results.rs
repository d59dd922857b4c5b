//! Rows about tool results and tool errors.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const LADDER: &[&str] = &["pass", "partial", "fail"];
const CLOSED: &[&str] = &["results.closedLoop.status"];

/// Whether results are read, and whether those of several calls are taken.
const LOOPS: &[&str] = &["results.closedLoop.status", "results.parallelTool.resultsTaken"];

/// The words of both, best first.
const LOOP_LADDER: &[&str] = &["pass", "accepted", "partial", "fail", "rejected"];
const REPAIRED: &[&str] = &["results.errorRepair.status"];

/// What cannot be asked of a model that does not read results.
const NEEDS_RESULTS: &[&str] = &[
    "supportsParallelToolUse",
    "results.parallelTool.**",
    "errorRepair",
    "results.errorRepair.**",
    "reasoningReplay.**",
    "requiresReasoningReplay",
    "results.reasoningReplay.**",
    "supportsStreamingToolUse",
    "results.streaming.**",
    "results.history.**",
];

pub(super) const LOOP: &[Rule] = &[
    Rule {
        code: "closed-loop-lost",
        fields: LOOPS,
        when: When::Turns(&["pass", "partial", "accepted"], &["fail", "rejected"]),
        class: ChangeClass::Regression,
        severity: Severity::Critical,
        explains: Explains::ProbeAnd(NEEDS_RESULTS),
        meaning: "tool results are no longer taken or no longer read: they are refused, or the answer \
                  does not hold what only the result tells",
        remedy: "check how results are rendered by the chat template, and the ids they carry",
    },
    Rule {
        code: "closed-loop-weakened",
        fields: CLOSED,
        when: When::Turns(&["pass"], &["partial"]),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Probe,
        meaning: "tool results are read only some of the time",
        remedy: "run again with more `--trials`; if it stays, read the failing exchanges",
    },
    Rule {
        code: "closed-loop-regained",
        fields: LOOPS,
        when: When::Climbs(LOOP_LADDER),
        class: ChangeClass::Improvement,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(NEEDS_RESULTS),
        meaning: "tool results are taken, or read more often than before",
        remedy: "accept the profile",
    },
    Rule {
        code: "result-tokens-grew",
        fields: &["results.closedLoop.promptTokenDelta"],
        when: When::Grows(2.0, 50.0),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "a call and its result cost at least twice the prompt tokens",
        remedy: "look at how the template renders calls and results",
    },
    Rule {
        code: "result-tokens-shrank",
        fields: &["results.closedLoop.promptTokenDelta"],
        when: When::Shrinks(2.0, 50.0),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a call and its result cost at most half the prompt tokens",
        remedy: "accept the profile",
    },
];

pub(super) const REPAIR: &[Rule] = &[
    Rule {
        code: "repair-lost",
        fields: REPAIRED,
        when: When::Turns(&["pass", "partial"], &["fail"]),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Probe,
        meaning: "a call that came back as an error is no longer corrected",
        remedy: "correct what can be corrected before the tool runs; give up after one error",
    },
    Rule {
        code: "repair-weakened",
        fields: REPAIRED,
        when: When::Turns(&["pass"], &["partial"]),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "a call that came back as an error is corrected only some of the time",
        remedy: "bound the retries; word errors so that they say what would be right",
    },
    Rule {
        code: "repair-regained",
        fields: REPAIRED,
        when: When::Climbs(LADDER),
        class: ChangeClass::Improvement,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "a call that came back as an error is corrected more often than before",
        remedy: "accept the profile",
    },
    Rule {
        code: "repair-loops-new",
        fields: &["results.errorRepair.loops"],
        when: When::Begins,
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "the same failing call is repeated again and again",
        remedy: "detect repetition in the agent and stop it",
    },
    Rule {
        code: "repair-loops-gone",
        fields: &["results.errorRepair.loops"],
        when: When::Ends,
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "a failing call is no longer repeated again and again",
        remedy: "accept the profile",
    },
];
