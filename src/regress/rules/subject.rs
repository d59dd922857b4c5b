//! Rows about the target itself.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

/// `profile` is the profile as a whole, `subject` the tuple it is about.
pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "subject-changed",
        fields: &["subject"],
        when: When::Changes,
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "the target stands for something else than before: its endpoint, model, server build, \
                  chat template or another part of what it is has changed",
        remedy: "look here first for the cause of whatever else changed; accept it if the move was \
                 meant",
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
        meaning: "a target with a snapshot is not part of a run of all targets",
        remedy: "restore it in the configuration, or accept it, which removes its snapshot; snapshots of \
                 another configuration belong into a folder of their own (--profiles)",
    },
    Rule {
        code: "suite-changed",
        fields: &["probes", "probeVersion"],
        when: When::Changes,
        class: ChangeClass::Drift,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "probes ask something else than those of the snapshot; their results are compared all \
                  the same, and marked",
        remedy: "read what differs, then accept a run of the new suite",
    },
];
