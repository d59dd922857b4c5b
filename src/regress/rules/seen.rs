//! Rows about what a client can see of a reply.
//!
//! Only an adapter is compared in this way: its answers stand beside those that the same model gave
//! directly.

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const SHOWN: &[&str] = &["shown"];
const ABSENT: &[&str] = &["absent"];
const HIDDEN: When = When::Turns(SHOWN, ABSENT);

/// What cannot be asked of reasoning that nobody sees.
const NEEDS_REASONING: &[&str] = &[
    "reasoningReplay.**",
    "requiresReasoningReplay",
    "results.reasoningReplay.**",
    "results.streaming.twins.reasoning-replay.**",
    "results.history.shapes.trimmed-reasoning.**",
    "seen.details.reasoning-seal.**",
    "seen.replies.reasoning.**",
    "seen.replies.reasoning-seal.**",
];

/// What is refused or ignored without its seal.
const NEEDS_SEAL: &[&str] = &[
    "reasoningReplay.**",
    "requiresReasoningReplay",
    "results.reasoningReplay.**",
    "results.streaming.twins.reasoning-replay.**",
    "results.history.shapes.trimmed-reasoning.**",
    "results.history.shapes.trimmed-reasoning",
    "seen.replies.reasoning-seal.**",
];

/// What is not worth telling of streams that only seem to be finished.
const SEEMS_FINISHED: &[&str] =
    &["supportsStreamingToolUse", "results.streaming.**", "seen.replies.**"];

/// What is judged by refusals, and stays open without them.
const NEEDS_REFUSALS: &[&str] = &[
    "seen.replies.**",
    "seen.details.server-error.**",
    "seen.details.refusal-words.**",
    "results.history.**",
    "results.reasoningReplay.**",
    "results.schema.**",
    "results.parallelTool.offSwitch",
    "results.extended.**",
    "reasoningReplay.**",
    "requiresReasoningReplay",
    "schemaLevel",
];

/// What looks mended where lost arguments look as if there were none.
const LOST_ARGUMENTS: &[&str] = &[
    "seen.defects.*",
    "results.**.defects.*",
    "results.singleTool.**",
    "results.streaming.**",
    "results.parallelTool.**",
    "supportsStreamingToolUse",
    "supportsParallelToolUse",
];

/// What is read off the counts of tokens.
const NEEDS_USAGE: &[&str] = &[
    "results.*.defects.usage-missing",
    "reasoningReplay.mode",
    "results.reasoningReplay.**",
    "results.**.promptTokenDelta",
    "cost.**",
    "seen.details.reasoning-tokens.**",
    "seen.details.cached-tokens.**",
];

/// What the adapter does by itself, whatever that keeps open.
pub(super) const ERRORS: &[Rule] = &[
    Rule {
        code: "stop-reason-hidden",
        fields: &["seen.details.stop-reason.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(&[
            "seen.replies.stop-reason.**",
            "seen.defects.finish-missing",
            "results.**.defects.finish-missing",
        ]),
        meaning: "the provider says why a reply ended, and the adapter does not",
        remedy: "translate the stop reason; agents decide by it whether a reply is finished",
    },
    Rule {
        code: "refusal-becomes-failure",
        fields: &["seen.details.refusals.verdict"],
        when: HIDDEN,
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(NEEDS_REFUSALS),
        meaning: "the provider refuses requests with a 400, and the adapter answers the same with a status \
              that blames the server (500, 502, …)",
        remedy: "pass the provider's status on: clients repeat a 502 in vain, and nobody learns what to mend",
    },
    Rule {
        code: "arguments-masked",
        fields: &["seen.details.masked-arguments.verdict"],
        when: When::Turns(ABSENT, SHOWN),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(LOST_ARGUMENTS),
        meaning: "arguments that got lost upstream come through the adapter as `{}`: a broken call looks \
              like a call without arguments",
        remedy: "pass the arguments on as they came; a client can ask again only if it sees that they are broken",
    },
    Rule {
        code: "server-errors-new",
        fields: &["seen.details.server-error.verdict"],
        when: When::Turns(ABSENT, SHOWN),
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(&["seen.replies.status.**", "seen.replies.lost.**"]),
        meaning: "the adapter says that it failed itself (500), again and again, where the provider answers \
                  or refuses in plain words",
        remedy: "read the evidence: it could not translate an answer, or hides a refusal behind the 500; \
                 clients retry a 500 in vain, and would act on a refusal",
    },
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        code: "truncation-masked",
        fields: &["seen.details.truncation.verdict"],
        when: HIDDEN,
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(SEEMS_FINISHED),
        meaning: "streams that the provider cut short come through the adapter as finished replies: \
                  half of a call or of an answer looks whole",
        remedy: "end the stream with an error, or without its terminal event, when upstream did not \
                 end it",
    },
    Rule {
        code: "reasoning-hidden",
        fields: &["seen.details.reasoning.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(NEEDS_REASONING),
        meaning: "the model's replies carry reasoning, and through the adapter it stands in no field that \
                  clients read it from",
        remedy: "pass the reasoning field on, both ways; a model that demands it back refuses the \
                 next turn",
    },
    Rule {
        code: "reasoning-seal-hidden",
        fields: &["seen.details.reasoning-seal.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(NEEDS_SEAL),
        meaning: "the signature or encrypted state of the reasoning stands in no field that clients \
                  send back",
        remedy: "pass the provider's reasoning blocks on whole: without their seal they cannot be \
                 sent back",
    },
    Rule {
        code: "usage-hidden",
        fields: &["seen.details.usage.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(NEEDS_USAGE),
        meaning: "the provider counts the tokens of a reply, and the adapter does not tell",
        remedy: "pass `usage` on; budgets and context trimming rest on it",
    },
    Rule {
        code: "streamed-usage-hidden",
        fields: &["seen.details.streamed-usage.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(&["results.streaming.defects.usage-missing"]),
        meaning: "the provider counts the tokens of a stream, and the adapter does not tell",
        remedy: "ask upstream for it (`stream_options.include_usage`) and pass it on",
    },
    Rule {
        code: "reasoning-tokens-hidden",
        fields: &["seen.details.reasoning-tokens.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "how many tokens were spent on reasoning is not told through the adapter",
        remedy: "pass the details of `usage` on",
    },
    Rule {
        code: "cached-tokens-hidden",
        fields: &["seen.details.cached-tokens.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "how many tokens were read from a cache is not told through the adapter",
        remedy: "pass the details of `usage` on",
    },
    Rule {
        code: "fingerprint-hidden",
        fields: &["seen.details.fingerprint.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "the provider's fingerprint of its build does not come through the adapter",
        remedy: "pass it on if a change of the build behind the adapter is to be noticed",
    },
    Rule {
        code: "text-beside-calls-hidden",
        fields: &["seen.details.text-beside-calls.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(&["seen.replies.text.**"]),
        meaning: "what the model says beside its calls does not come through the adapter",
        remedy: "keep text and calls of one reply together, in their order",
    },
    Rule {
        code: "refusal-words-hidden",
        fields: &["seen.details.refusal-words.verdict"],
        when: HIDDEN,
        class: ChangeClass::Missing,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(&[
            "seen.replies.error-words.**",
            "seen.replies.error-details.**",
        ]),
        meaning: "the provider says why it refuses a request, and none of its words come through \
                  the adapter",
        remedy: "put the provider's message into the adapter's error; it says what to mend",
    },
    Rule {
        code: "call-ids-grown",
        fields: &["seen.callIdLength"],
        when: When::Grows(1.2, 8.0),
        class: ChangeClass::Drift,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(&[
            "seen.callIds",
            "seen.callIdCharacters.**",
            "seen.replies.call-ids.verdict",
        ]),
        meaning: "ids of calls are much longer than the provider's own: something is hidden in them, \
                  such as the seal of reasoning",
        remedy: "keep such state in the adapter or in a field of its own; providers limit ids to 40 or \
                 64 characters, and a client that shortens them loses what is inside",
    },
    Rule {
        code: "call-id-characters-new",
        fields: &["seen.callIdCharacters.*"],
        when: When::Appears,
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::ProbeAnd(&["seen.callIds", "seen.replies.call-ids.verdict"]),
        meaning: "ids of calls hold characters that the provider's own do not",
        remedy: "keep to letters, digits, `_` and `-`; Anthropic and Mistral refuse others",
    },
    Rule {
        code: "call-ids-rewritten",
        fields: &["seen.callIds"],
        when: When::Replaces,
        class: ChangeClass::Drift,
        severity: Severity::Info,
        explains: Explains::ProbeAnd(&["seen.replies.call-ids.verdict"]),
        meaning: "calls carry ids of the adapter's own instead of the provider's",
        remedy: "make sure that results find their way back, also after a restart of the adapter",
    },
    Rule {
        code: "reply-defect-new",
        fields: &["seen.defects.*"],
        when: When::Appears,
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::Nothing,
        meaning: "whole replies through the adapter deviate from the documented shape, and the \
                  provider's own do not",
        remedy: "`toolprobe explain` says what the named defect is and how to read such a reply",
    },
    Rule {
        code: "reply-defect-gone",
        fields: &["seen.defects.*"],
        when: When::Vanishes,
        class: ChangeClass::Improvement,
        severity: Severity::Info,
        explains: Explains::Nothing,
        meaning: "whole replies deviate from the documented shape, and through the adapter they do \
                  not",
        remedy: "nothing; clients of the adapter need no workaround",
    },
];
