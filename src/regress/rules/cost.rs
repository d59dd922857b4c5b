//! Rows about time and money.
//!
//! Compared only between answers to the same questions. Of a simulated model only the tokens are
//! known; how fast it is says nothing but how busy the machine was.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const LATENCY: &[&str] = &["cost.medianLatencyMs"];
const TOKENS: &[&str] = &["cost.tokensPerTurn"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "latency-grew",
        fields: LATENCY,
        when: When::Grows(1.5, 200.0),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "half of the replies take at least one and a half times as long, and 200 ms more",
        remedy: "compare the load of the two runs before blaming the model",
    },
    Rule {
        code: "latency-shrank",
        fields: LATENCY,
        when: When::Shrinks(1.5, 200.0),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "replies are at least one and a half times as fast, and 200 ms faster",
        remedy: "nothing",
    },
    Rule {
        code: "tokens-grew",
        fields: TOKENS,
        when: When::Grows(1.5, 50.0),
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "the same questions cost at least one and a half times the tokens",
        remedy: "look for longer reasoning or a template that renders tools at greater length",
    },
    Rule {
        code: "tokens-shrank",
        fields: TOKENS,
        when: When::Shrinks(1.5, 50.0),
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "the same questions cost at least one and a half times fewer tokens",
        remedy: "check that nothing is cut off before it reaches the model",
    },
];
