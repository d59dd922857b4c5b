//! Which changes are of the target itself?

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

/// `profile` is the profile as a whole, `subject` the tuple it is about.
pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "target-changed",
        fields: &["subject"],
        when: When::Changes,
        class: ChangeClass::New,
        severity: Severity::Info,
        explains: Explains::Target,
        meaning: "the model is the same, but its endpoint, chat template or dialect is not: another \
                  subject, which is not compared with the one before it",
        remedy: "read the new profile; accept it if the move was meant, or compare the two files \
                 with `toolprobe diff`",
    },
    Rule {
        code: "target-new",
        fields: &["profile"],
        when: When::Appears,
        class: ChangeClass::New,
        severity: Severity::Info,
        explains: Explains::Target,
        meaning: "a target without a snapshot",
        remedy: "read its profile, then accept it",
    },
    Rule {
        code: "target-missing",
        fields: &["profile"],
        when: When::Vanishes,
        class: ChangeClass::Missing,
        severity: Severity::Major,
        explains: Explains::Target,
        meaning: "a target with a snapshot has no profile in the run, though the run asked others \
                  at the same endpoint",
        remedy: "if it was taken away on purpose, delete its snapshot; if not, look for why it was \
                 not asked",
    },
    Rule {
        code: "server-changed",
        fields: &["server.*"],
        when: When::Changes,
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "the server says another build, quantisation or parser of itself than before",
        remedy: "look here first for the cause of whatever else changed",
    },
    Rule {
        code: "suite-changed",
        fields: &["probeVersion"],
        when: When::Changes,
        class: ChangeClass::Drift,
        severity: Severity::Minor,
        explains: Explains::Target,
        meaning: "the two sides were asked different questions, so that nothing else of them can be \
                  called better or worse",
        remedy: "read what differs, then accept a run of the new suite",
    },
];
