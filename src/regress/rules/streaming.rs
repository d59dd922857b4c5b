//! Rows about streamed calls.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const LADDER: &[&str] = &["pass", "partial", "fail"];
const STATUS: &[&str] = &["results.streaming.status"];
const TWIN: &[&str] = &["results.streaming.twins.*.verdict"];
const DEFECT: &[&str] = &["results.streaming.defects.*"];
const BAD: &[&str] = &["accepted-invalid", "ignored", "rejected", "no-call"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "streaming-lost",
        fields: &["supportsStreamingToolUse"],
        when: When::Turns(&["true"], &["false"]),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::Probe,
        meaning: "streamed calls no longer equal the plain ones",
        remedy: "do not stream turns that may call tools until the server is mended",
    },
    Rule {
        code: "streaming-gained",
        fields: &["supportsStreamingToolUse"],
        when: When::Turns(&["false"], &["true"]),
        class: ChangeClass::Improvement,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "streamed calls equal the plain ones",
        remedy: "accept the profile",
    },
    Rule {
        code: "streaming-weakened",
        fields: STATUS,
        when: When::Falls(LADDER),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Probe,
        meaning: "streamed calls equalled the plain ones some of the time, and now they never do",
        remedy: "do not stream turns that may call tools",
    },
    Rule {
        code: "streaming-strengthened",
        fields: STATUS,
        when: When::Climbs(LADDER),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Probe,
        meaning: "streamed calls equal the plain ones some of the time",
        remedy: "accept the profile",
    },
    Rule {
        code: "stream-twin-lost",
        fields: TWIN,
        when: When::Turns(&["accepted-valid"], BAD),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "one kind of conversation that worked when streamed no longer does",
        remedy: "do not stream such turns",
    },
    Rule {
        code: "stream-twin-gained",
        fields: TWIN,
        when: When::Turns(BAD, &["accepted-valid"]),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "one kind of conversation works when streamed, which it did not",
        remedy: "accept the profile",
    },
    Rule {
        code: "stream-twin-changed",
        fields: TWIN,
        when: When::Turns(BAD, BAD),
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "one kind of conversation still does not work when streamed, but in another way",
        remedy: "nothing",
    },
    Rule {
        code: "stream-defect-new",
        fields: DEFECT,
        when: When::Appears,
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "streams deviate from the documented shape in a way that they did not; how \
                  much it matters follows from the clients that it breaks",
        remedy: "`toolprobe explain` says what the named defect is and how to read such a stream",
    },
    Rule {
        code: "stream-defect-gone",
        fields: DEFECT,
        when: When::Vanishes,
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "streams no longer deviate in this way",
        remedy: "accept the profile",
    },
];
