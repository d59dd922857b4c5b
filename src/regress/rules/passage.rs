//! Rows about what an adapter does to requests and replies on their way.
//!
//! Both ends of an adapter are compared for these: what left the client with what arrived upstream, and
//! what left upstream with what came to the client. A verdict that changed because a request did is told
//! under the row of the request (`regress::adapter`).

use crate::regress::{ChangeClass, Explains, Rule, Severity, When};

const CHANGED: When = When::Turns(&["kept"], &["changed"]);

/// A row about requests that arrive otherwise than they left.
const fn request(
    code: &'static str,
    fields: &'static [&'static str],
    (class, severity): (ChangeClass, Severity),
    meaning: &'static str,
    remedy: &'static str,
) -> Rule {
    Rule {
        code,
        fields,
        when: CHANGED,
        class,
        severity,
        explains: Explains::Nothing,
        meaning,
        remedy,
    }
}

/// A row about replies that come otherwise than they left.
const fn reply(
    code: &'static str,
    fields: &'static [&'static str],
    (class, severity): (ChangeClass, Severity),
    meaning: &'static str,
    remedy: &'static str,
) -> Rule {
    request(code, fields, (class, severity), meaning, remedy)
}

const BREAKS: (ChangeClass, Severity) = (ChangeClass::Regression, Severity::Major);
const HARMS: (ChangeClass, Severity) = (ChangeClass::Regression, Severity::Minor);
const HIDES: (ChangeClass, Severity) = (ChangeClass::Missing, Severity::Minor);
const ALTERS: (ChangeClass, Severity) = (ChangeClass::Drift, Severity::Info);

/// What is judged by refusals: it looks otherwise where they look like replies.
const RESTS_ON_REFUSALS: &[&str] = &[
    "results.**",
    "reasoningReplay.**",
    "requiresReasoningReplay",
    "schemaLevel",
    "supportsParallelToolUse",
    "supportsStreamingToolUse",
    "errorRepair",
    "seen.details.**",
    "seen.replies.**",
];

/// What explains verdicts, whatever they rest on.
pub(super) const FIRST: &[Rule] = &[
    Rule {
        code: "refusal-masked",
        fields: &["seen.replies.refusal-masked.verdict"],
        when: CHANGED,
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(RESTS_ON_REFUSALS),
        meaning: "the provider refuses a request, and the adapter answers with a status of success",
        remedy: "pass the provider's status on: a client takes what stands in such a body for a reply",
    },
    Rule {
        code: "call-ids-reused",
        fields: &["seen.replies.call-id-reused.verdict"],
        when: CHANGED,
        class: ChangeClass::Regression,
        severity: Severity::Major,
        explains: Explains::ProbeAnd(&[
            "seen.callIds",
            "seen.callIdCharacters.**",
            "seen.callIdLength",
            "seen.replies.call-ids.verdict",
        ]),
        meaning: "a call comes with an id that an earlier call of the same conversation has: unique in its \
              reply, not in the conversation",
        remedy: "pass the provider's ids on, or make ids that never repeat",
    },
];

pub(super) const REQUESTS: &[Rule] = &[
    request(
        "request-tools-changed",
        &["seen.requests.tools.verdict"],
        BREAKS,
        "tools do not arrive as they were offered: one is missing, added, renamed, moved or described otherwise",
        "pass the list of tools on whole and in its order; caches and models depend on both",
    ),
    request(
        "request-schema-changed",
        &["seen.requests.schemas.verdict"],
        BREAKS,
        "the schemas of tools arrive with keywords missing, added or changed",
        "pass schemas on as they are; where the provider cannot take a keyword, refuse it in words",
    ),
    request(
        "request-strict-changed",
        &["seen.requests.strict.verdict"],
        HARMS,
        "the strict mode of tools does not arrive as it was asked for",
        "pass `strict` on; without it the provider does not hold calls to the schema",
    ),
    request(
        "request-system-changed",
        &["seen.requests.system.verdict"],
        BREAKS,
        "system and developer messages do not arrive as they left",
        "pass them on whole, in the provider's own place for them",
    ),
    request(
        "request-roles-changed",
        &["seen.requests.roles.verdict"],
        BREAKS,
        "the turns of the conversation arrive in another order or from another speaker",
        "keep every message with its role and in its place",
    ),
    request(
        "request-text-changed",
        &["seen.requests.text.verdict"],
        BREAKS,
        "what the person or the model said arrives changed, shortened or not at all",
        "pass texts on byte for byte, also those beside calls",
    ),
    request(
        "request-media-changed",
        &["seen.requests.media.verdict"],
        BREAKS,
        "images, sounds or files arrive changed, or not at all",
        "pass every part of a message on, or refuse in words what the provider cannot take",
    ),
    request(
        "request-calls-changed",
        &["seen.requests.calls.verdict"],
        BREAKS,
        "calls in the history are missing or named otherwise when they arrive",
        "send every call back as the model made it; the results need them",
    ),
    request(
        "request-call-ids-changed",
        &["seen.requests.call-ids.verdict"],
        BREAKS,
        "calls and results arrive with other ids, which the provider did not give or which no longer pair",
        "send the provider's own ids back, each result with that of its call",
    ),
    request(
        "request-arguments-changed",
        &["seen.requests.arguments.verdict"],
        BREAKS,
        "the arguments of calls in the history arrive with other values",
        "send arguments back as the model wrote them",
    ),
    request(
        "request-argument-bytes-changed",
        &["seen.requests.argument-bytes.verdict"],
        ALTERS,
        "the arguments of calls in the history arrive with the same values and other bytes",
        "send the text back as it came; written anew it misses the provider's prompt cache",
    ),
    Rule {
        // Dialects without a flag say in the result itself that it is an error.
        explains: Explains::ProbeAnd(&["seen.requests.error-flags.**"]),
        ..request(
            "request-results-changed",
            &["seen.requests.results.verdict"],
            BREAKS,
            "results of calls arrive changed, shortened or not at all",
            "pass every result on whole, in the order of its calls",
        )
    },
    request(
        "request-error-flag-changed",
        &["seen.requests.error-flags.verdict"],
        BREAKS,
        "results do not arrive with the error flag that they left with",
        "pass `is_error` on; the model repairs its call by it",
    ),
    request(
        "request-reasoning-dropped",
        &["seen.requests.reasoning.verdict"],
        BREAKS,
        "the adapter does not send the model's reasoning back as it came",
        "send the reasoning field back unchanged (`reasoning_content`, thinking blocks, reasoning items); \
         models that demand it refuse the next turn",
    ),
    request(
        "request-seal-dropped",
        &["seen.requests.reasoning-seal.verdict"],
        BREAKS,
        "the signature or encrypted state of the reasoning does not arrive as it was sent back",
        "send reasoning back whole: a provider refuses or ignores it without its seal",
    ),
    request(
        "request-tool-choice-changed",
        &["seen.requests.tool-choice.verdict"],
        BREAKS,
        "the tool choice arrives as another one, or not at all",
        "translate the tool choice, or refuse in words what the provider cannot do",
    ),
    request(
        "request-parallel-switch-changed",
        &["seen.requests.parallel.verdict"],
        BREAKS,
        "the switch for parallel calls arrives in another position, or not at all",
        "pass the switch on (`parallel_tool_calls`, `disable_parallel_tool_use`)",
    ),
    request(
        "request-token-limit-changed",
        &["seen.requests.token-limit.verdict"],
        HARMS,
        "the limit of tokens arrives as another one, or not at all",
        "pass the limit on as the client set it",
    ),
    request(
        "request-stream-changed",
        &["seen.requests.stream.verdict"],
        HARMS,
        "the adapter asks the provider for a whole reply where the client wants a stream, or the other way round",
        "ask upstream for what the client asks for: a stream made of a whole reply comes late",
    ),
    request(
        "request-stream-options-changed",
        &["seen.requests.stream-options.verdict"],
        HARMS,
        "the client asks for the usage of a stream, and the provider is not asked for it",
        "pass `stream_options` on",
    ),
    request(
        "request-stop-changed",
        &["seen.requests.stop.verdict"],
        BREAKS,
        "stop sequences arrive changed, or not at all",
        "translate stop sequences, or refuse them in words",
    ),
    request(
        "request-sampling-changed",
        &["seen.requests.sampling.verdict"],
        HARMS,
        "temperature, seed or another setting of sampling arrives changed, or not at all",
        "pass the settings on, or refuse in words what the provider does not take",
    ),
    request(
        "request-caching-changed",
        &["seen.requests.caching.verdict"],
        HARMS,
        "marks or keys of the prompt cache do not arrive as they left",
        "pass `cache_control` and cache keys on; without them every turn is paid in full",
    ),
    request(
        "request-metadata-changed",
        &["seen.requests.metadata.verdict"],
        HARMS,
        "metadata of the request does not arrive as it left",
        "pass `metadata`, `user` and the like on",
    ),
    request(
        "request-thinking-changed",
        &["seen.requests.thinking.verdict"],
        HARMS,
        "the settings of thinking do not arrive as they left",
        "pass the provider's own settings of reasoning on, or translate them",
    ),
    request(
        "request-format-changed",
        &["seen.requests.output-format.verdict"],
        BREAKS,
        "the format that the reply is to have does not arrive as it left",
        "pass the format on, or refuse it in words",
    ),
    request(
        "request-headers-changed",
        &["seen.requests.headers.verdict"],
        HARMS,
        "a header that asks for features (`anthropic-beta`) does not arrive",
        "pass the header on; the provider refuses or ignores fields whose feature nobody asked for",
    ),
    request(
        "request-fields-changed",
        &["seen.requests.other-fields.verdict"],
        HARMS,
        "further fields of the request are missing, added or changed when it arrives",
        "pass unknown fields on, or refuse them in words; a field that is silently dropped is not missed",
    ),
];

pub(super) const REPLIES: &[Rule] = &[
    Rule {
        code: "usage-changed",
        fields: &["seen.replies.usage.verdict"],
        when: CHANGED,
        class: ChangeClass::Regression,
        severity: Severity::Minor,
        explains: Explains::ProbeAnd(&["cost.**", "results.**.promptTokenDelta"]),
        meaning: "the adapter tells other counts of tokens than the provider",
        remedy: "pass the provider's counts on; budgets and bills rest on them",
    },
    reply(
        "replies-mixed-up",
        &["seen.replies.owner.verdict"],
        (ChangeClass::Regression, Severity::Critical),
        "of many streams at once, clients get pieces of a reply to another client",
        "keep the state of a stream with its request; nothing of it may be shared",
    ),
    reply(
        "refusal-status-changed",
        &["seen.replies.status.verdict"],
        BREAKS,
        "an error of the provider comes with another status through the adapter",
        "pass the provider's status on: clients decide by it whether to repeat, to mend or to give up",
    ),
    reply(
        "reply-lost",
        &["seen.replies.lost.verdict"],
        BREAKS,
        "the provider replies, and the adapter answers with an error or with nothing that can be read",
        "read the evidence: the adapter could not translate the reply",
    ),
    reply(
        "error-words-lost",
        &["seen.replies.error-words.verdict"],
        HIDES,
        "some errors come without the words in which the provider says what to mend",
        "put the provider's message into the adapter's error",
    ),
    reply(
        "error-details-changed",
        &["seen.replies.error-details.verdict"],
        HIDES,
        "errors come with another type, code or parameter than the provider gave",
        "keep the provider's error body; programs decide by its type and code",
    ),
    reply(
        "reply-calls-changed",
        &["seen.replies.calls.verdict"],
        BREAKS,
        "calls of some replies are missing, added or renamed through the adapter",
        "pass every call on, in its order",
    ),
    reply(
        "reply-arguments-changed",
        &["seen.replies.arguments.verdict"],
        BREAKS,
        "arguments of some calls come with other values through the adapter",
        "pass arguments on as the model wrote them",
    ),
    reply(
        "reply-text-changed",
        &["seen.replies.text.verdict"],
        HARMS,
        "the text of some replies comes changed, shortened or not at all",
        "pass the text on, also where it stands beside calls; compare whole replies with streams",
    ),
    reply(
        "reply-reasoning-changed",
        &["seen.replies.reasoning.verdict"],
        HIDES,
        "the reasoning of some replies comes changed, in another field, or not at all",
        "pass the reasoning on in the provider's own field",
    ),
    reply(
        "stop-reason-changed",
        &["seen.replies.stop-reason.verdict"],
        HARMS,
        "some replies end for another reason through the adapter than the provider gave",
        "translate the stop reason; agents decide by it whether a reply is finished",
    ),
    reply(
        "usage-invented",
        &["seen.replies.usage-invented.verdict"],
        HARMS,
        "the adapter counts tokens that the provider did not count",
        "leave usage out where the provider gives none, or say that it is an estimate",
    ),
    reply(
        "reply-model-changed",
        &["seen.replies.model.verdict"],
        ALTERS,
        "replies name a model that neither the provider nor the client named",
        "pass the model of the reply on; bills and logs rest on it",
    ),
    reply(
        "reply-seal-lost",
        &["seen.replies.reasoning-seal.verdict"],
        HIDES,
        "the signature or encrypted state of some reasoning comes changed or not at all",
        "pass the provider's reasoning on whole: without its seal it cannot be sent back",
    ),
    reply(
        "reply-call-ids-changed",
        &["seen.replies.call-ids.verdict"],
        ALTERS,
        "calls come with other ids than the provider gave",
        "pass the ids on, or make sure that results find their way back",
    ),
    reply(
        "reply-form-changed",
        &["seen.replies.defects.verdict"],
        HARMS,
        "replies deviate from their dialect as the provider's do not",
        "write replies as the dialect documents them; `toolprobe explain` tells what each deviation breaks",
    ),
    reply(
        "reply-fields-lost",
        &["seen.replies.fields.verdict"],
        HIDES,
        "replies come without fields that the provider sent, in the provider's own dialect",
        "pass on the fields that you do not know; some client reads them",
    ),
    reply(
        "stream-buffered",
        &["seen.replies.pace.verdict"],
        BREAKS,
        "the provider sends its stream piece by piece, and the adapter collects it and sends it at once",
        "forward each piece as it comes: switch off buffering and compression of event streams",
    ),
    reply(
        "hang-up-ignored",
        &["seen.replies.hang-up.verdict"],
        HARMS,
        "the client hangs up in the middle of a stream, and the adapter reads on upstream to its end",
        "end the request upstream when the client leaves; its tokens are paid for nothing",
    ),
    reply(
        "retry-after-lost",
        &["seen.replies.retry-after.verdict"],
        HARMS,
        "the provider says when to try again, and the adapter does not",
        "pass `retry-after` on",
    ),
    reply(
        "request-id-lost",
        &["seen.replies.request-id.verdict"],
        (ChangeClass::Missing, Severity::Info),
        "replies come without any id that the provider or the adapter knows the request by",
        "pass the header with the request's id on; support asks for it",
    ),
];
