//! Rows for replays and audits: what transcripts and fields show, beside the classification table.
//!
//! Policies name them by codes too.

use super::{ChangeClass, Severity};

/// One row: what a replay may find.
#[derive(Debug, Clone, Copy)]
pub struct ReplayRule {
    /// The stable name.
    pub code: &'static str,
    /// How much it matters. All of them are regressions.
    pub severity: Severity,
    /// In one line, what happened.
    pub meaning: &'static str,
    /// In one line, what to do.
    pub remedy: &'static str,
}

impl ReplayRule {
    /// What such a finding means.
    pub const CLASS: ChangeClass = ChangeClass::Regression;
}

/// Every row.
pub(super) static REPLAYS: [&ReplayRule; 11] = [
    &REQUEST_CHANGED,
    &REQUEST_MISSING,
    &REQUEST_UNRECORDED,
    &CONVERSATION_DIVERGED,
    &VERDICT_CHANGED,
    &STREAM_RECUT,
    &STREAM_CUT_SHORT,
    &FIELD_DROPPED,
    &FIELD_CHANGED,
    &FIELD_REFUSED,
    &FIELD_ADDED,
];

/// A request that was not recorded.
pub(crate) static REQUEST_CHANGED: ReplayRule = ReplayRule {
    code: "request-changed",
    severity: Severity::Major,
    meaning: "a request is not the recorded one: an encoder, a tool or a probe changed",
    remedy: "if that was meant, record the transcripts again; if not, the diff shows what to \
             undo",
};

/// A recorded request that is not made any more.
pub(crate) static REQUEST_MISSING: ReplayRule = ReplayRule {
    code: "request-missing",
    severity: Severity::Major,
    meaning: "a recorded request is not made any more",
    remedy: "if that was meant, record the transcripts again",
};

/// A request of an adapter that means something else than all recorded ones.
pub(crate) static REQUEST_UNRECORDED: ReplayRule = ReplayRule {
    code: "request-unrecorded",
    severity: Severity::Major,
    meaning: "what the adapter asks upstream is none of the recorded requests: it changed the \
              conversation, the tools or how they may be used",
    remedy: "undo in the adapter what the difference shows; if it was meant, record the model again \
             with what the adapter sends",
};

/// A client that says something else than it did directly, because of the replies that it got.
pub(crate) static CONVERSATION_DIVERGED: ReplayRule = ReplayRule {
    code: "conversation-diverged",
    severity: Severity::Major,
    meaning: "the recorded replies, passed on by the adapter, lead to another conversation: the \
              adapter changed what they say",
    remedy: "compare the reply before the first request that differs with the recorded one: the \
             evidence shows both",
};

/// The same replies, judged otherwise.
pub(crate) static VERDICT_CHANGED: ReplayRule = ReplayRule {
    code: "verdict-changed",
    severity: Severity::Major,
    meaning: "the same replies are judged otherwise: a decoder, a parser or a judge changed",
    remedy: "if that was meant, record the transcripts again; if not, undo the change",
};

/// A stream that does not stand other cuts.
pub(crate) static STREAM_RECUT: ReplayRule = ReplayRule {
    code: "stream-recut",
    severity: Severity::Critical,
    meaning: "a stream gives something else when the network cuts it into other pieces",
    remedy: "mend the reader or the decoder: `--seeds` repeats the cut",
};

/// A stream that misses its end, and is not known as that.
pub(crate) static STREAM_CUT_SHORT: ReplayRule = ReplayRule {
    code: "stream-cut-short",
    severity: Severity::Critical,
    meaning: "a stream without its end is taken for something that it is not",
    remedy: "mend the decoder: what is not finished is truncated, and never a call",
};

/// A field of a request that an adapter leaves out.
pub(crate) static FIELD_DROPPED: ReplayRule = ReplayRule {
    code: "field-dropped",
    severity: Severity::Major,
    meaning: "a field of the request does not reach the upstream, and nothing says so",
    remedy: "translate it, or refuse the request and say why",
};

/// A field of a request that an adapter changes.
pub(crate) static FIELD_CHANGED: ReplayRule = ReplayRule {
    code: "field-changed",
    severity: Severity::Major,
    meaning: "a field of the request says something else when it reaches the upstream",
    remedy: "translate it faithfully, or refuse the request and say why",
};

/// A field of a request that an adapter does not take.
pub(crate) static FIELD_REFUSED: ReplayRule = ReplayRule {
    code: "field-refused",
    severity: Severity::Info,
    meaning: "the adapter refuses a request with this field, and says why",
    remedy: "leave the field out for this model",
};

/// A field that an adapter sends by itself.
pub(crate) static FIELD_ADDED: ReplayRule = ReplayRule {
    code: "field-added",
    severity: Severity::Info,
    meaning: "the adapter sends the upstream a field that the client did not send",
    remedy: "know that it is there; set it yourself if another value is wanted",
};
