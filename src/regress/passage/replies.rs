//! Changes of replies: what left upstream against what the client got, aspect by aspect.

use serde_json::{Value, json};

use super::aspect::ReplyAspect;
use super::contents::{is_bare_seal, seals};
use super::requests::{SeenRequest, renamed_tools};
use super::shape::BodyShape;
use super::wording::same_wording;
use crate::dialect::{ApiError, DialectId};
use crate::ir::{Defect, Message, Part, Reply, StopKind, ToolCall};
use crate::profile::{ReplyMode, clients_broken_by};

/// Names of headers by which a client can tell a provider which request it means.
const REQUEST_IDS: [&str; 4] = ["request-id", "requestid", "call-id", "trace-id"];

/// A reply at one end of an adapter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenReply {
    /// The dialect it is written in.
    pub dialect: DialectId,
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Whether it was streamed.
    pub mode: ReplyMode,
    /// Which fields of its body hold something.
    pub shape: BodyShape,
    /// What it says.
    pub said: ReplySaid,
}

/// What a reply says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReplySaid {
    /// A finished reply.
    Reply(Box<Reply>),
    /// An error.
    Error(Box<ApiError>),
    /// A stream that ended before its reply did, or nothing that can be read.
    Nothing,
}

impl SeenReply {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn names_request(&self) -> bool {
        let is_id =
            |name: &str| REQUEST_IDS.iter().any(|id| name.ends_with(id)) || name == "cf-ray";
        self.headers.iter().any(|(name, _)| is_id(name))
    }
}

/// The aspects in which a reply changed on its way. `asked` is the request at either end.
pub(crate) fn reply_changes(
    sent: &SeenReply,
    got: &SeenReply,
    asked: (&SeenRequest, &SeenRequest),
) -> Vec<ReplyAspect> {
    let mut changed = match (&sent.said, &got.said) {
        (ReplySaid::Nothing, _) => Vec::new(),
        (ReplySaid::Error(_), _) if sent.status >= 400 && got.status < 400 => {
            vec![ReplyAspect::RefusalMasked]
        }
        (ReplySaid::Error(_), _) if sent.status != got.status => vec![ReplyAspect::Status],
        (ReplySaid::Error(one), ReplySaid::Error(other)) => {
            errors_changed(one, other, sent.dialect == got.dialect)
        }
        (ReplySaid::Error(_), ReplySaid::Reply(_)) => vec![ReplyAspect::RefusalMasked],
        (ReplySaid::Error(_), ReplySaid::Nothing) => vec![ReplyAspect::ErrorWords],
        (ReplySaid::Reply(_), ReplySaid::Error(_) | ReplySaid::Nothing) => {
            vec![ReplyAspect::Lost]
        }
        (ReplySaid::Reply(one), ReplySaid::Reply(other)) => said_changed(one, other, asked),
    };
    if sent.names_request() && !got.names_request() {
        changed.push(ReplyAspect::RequestId);
    }
    if sent.status == got.status
        && sent.header("retry-after").is_some()
        && sent.header("retry-after") != got.header("retry-after")
    {
        changed.push(ReplyAspect::RetryAfter);
    }
    changed
}

/// The fields that a reply lost on its way, where neither an aspect nor a defect tells of it.
pub(super) fn lost_fields<'a>(
    sent: &'a SeenReply,
    got: &'a SeenReply,
    changed: &[ReplyAspect],
) -> Vec<&'a str> {
    let is_other = sent.dialect != got.dialect || sent.status != got.status;
    let is_told = changed.iter().any(|aspect| aspect.is_meaning())
        || !new_defects(sent, got, changed).is_empty();
    let compared = [&sent.said, &got.said].iter().all(|said| **said != ReplySaid::Nothing);
    if is_other || is_told || !compared {
        return Vec::new();
    }
    sent.shape.lost_in(&got.shape).collect()
}

/// The deviations from its dialect that a reply has only behind the adapter and that break a client, where its
/// meaning came through.
pub(super) fn new_defects(
    sent: &SeenReply,
    got: &SeenReply,
    changed: &[ReplyAspect],
) -> Vec<Defect> {
    let (ReplySaid::Reply(one), ReplySaid::Reply(other)) = (&sent.said, &got.said) else {
        return Vec::new();
    };
    if changed.iter().any(|aspect| aspect.is_meaning()) {
        return Vec::new();
    }
    let breaks = |it: &Defect| clients_broken_by(*it, got.dialect, got.mode).next().is_some();
    let is_new = |it: &Defect| !one.defects.contains(*it) && breaks(it);
    other.defects.iter().filter(is_new).collect()
}

/// Whether a reply lost something on its way that clients see and no aspect is about: a count, its end, a
/// fingerprint, or the documented shape.
pub(super) fn is_worn(sent: &SeenReply, got: &SeenReply) -> bool {
    let (ReplySaid::Reply(one), ReplySaid::Reply(other)) = (&sent.said, &got.said) else {
        return false;
    };
    let counts = |reply: &Reply| {
        let usage = reply.usage;
        [usage.input, usage.output, usage.cached, usage.cache_write, usage.reasoning]
    };
    let lost = counts(one).iter().zip(counts(other)).any(|(one, other)| *one != other);
    let same = sent.dialect == got.dialect;
    lost || same && one.stop.kind != other.stop.kind
        || one.fingerprint != other.fingerprint
        || other.defects.iter().any(|defect| !one.defects.contains(defect))
}

fn errors_changed(one: &ApiError, other: &ApiError, same: bool) -> Vec<ReplyAspect> {
    // A message that is cut where it is kept ends with this sign.
    let words = plain(one.message.trim_end_matches('…'));
    let quoted = json!(words).to_string();
    let escaped = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    let holds = |text: &str| text.contains(&words) || text.contains(escaped);
    if !holds(&plain(&other.message)) && !holds(&plain(&other.body)) {
        return vec![ReplyAspect::ErrorWords];
    }
    let details = |error: &ApiError| (error.kind.clone(), error.code.clone(), error.param.clone());
    if same && details(one) != details(other) { vec![ReplyAspect::ErrorDetails] } else { vec![] }
}

fn said_changed(
    one: &Reply,
    other: &Reply,
    asked: (&SeenRequest, &SeenRequest),
) -> Vec<ReplyAspect> {
    let counted = |reply: &Reply| (reply.usage.input, reply.usage.output);
    let names =
        |reply: &Reply| -> Vec<String> { reply.calls().map(|call| call.name.clone()).collect() };
    let renamed = renamed_tools(&asked.0.request, &asked.1.request);
    let known = |name: String| {
        let outside = renamed.iter().find(|(_, inside)| **inside == name);
        outside.map_or(name.clone(), |(outside, _)| (*outside).to_owned())
    };
    let inputs =
        |reply: &Reply| -> Vec<Value> { reply.calls().map(|call| call.input.clone()).collect() };
    let both_counted = counted(one).0.is_some() && counted(other).0.is_some();
    let calls = !names(one).into_iter().map(known).eq(names(other));
    let same = asked.0.dialect == asked.1.dialect;
    let ended = |reply: &Reply| match reply.stop.kind {
        // A dialect without a word for calls ends turns with the usual one.
        StopKind::ToolUse if !same && reply.calls().next().is_some() => StopKind::EndTurn,
        kind => kind,
    };
    let sealed = |reply: &Reply| seals(reply.parts.iter());
    let label = |reply: &Reply| reply.stop.label.clone();
    let relabelled = same && label(other).is_some() && label(one) != label(other);
    let missing = [one, other].iter().any(|reply| reply.stop.kind == StopKind::Missing);
    let reasoning = !same_wording([&*one.reasoning_text()], [&*other.reasoning_text()])
        || fields(one) != fields(other) && same;
    // Where the reasoning stands in the text, that is what is wrong with the text.
    let thought = one.reasoning_text();
    let moved = reasoning && !thought.trim().is_empty() && other.text().contains(thought.trim());
    let found = [
        (ReplyAspect::Text, !moved && !same_wording([&*one.text()], [&*other.text()])),
        (ReplyAspect::Calls, calls),
        (ReplyAspect::Arguments, !calls && inputs(one) != inputs(other)),
        (ReplyAspect::CallIdReused, reuses(other, asked.0) && !reuses(one, asked.1)),
        (ReplyAspect::CallIds, same && !calls && has_other_ids(one, other)),
        (ReplyAspect::Reasoning, reasoning),
        (ReplyAspect::ReasoningSeal, same && !reasoning && sealed(one) != sealed(other)),
        (ReplyAspect::StopReason, !missing && !calls && (ended(one) != ended(other) || relabelled)),
        (
            ReplyAspect::Usage,
            both_counted && counted(one) != counted(other) || shares_differ(one, other),
        ),
        (
            ReplyAspect::UsageInvented,
            counted(one) == (None, None) && counted(other) != (None, None),
        ),
        (ReplyAspect::Model, names_another_model(one, other, &asked.0.request.model)),
    ];
    found.into_iter().filter(|(_, is)| *is).map(|(aspect, _)| aspect).collect()
}

/// Whether both tell how many of the tokens were cached or thought, and tell it otherwise.
fn shares_differ(one: &Reply, other: &Reply) -> bool {
    let shares = |reply: &Reply| {
        let usage = reply.usage;
        [usage.cached, usage.cache_write, usage.reasoning]
    };
    let both = shares(one).into_iter().zip(shares(other));
    both.filter_map(|(one, other)| one.zip(other)).any(|(one, other)| one != other)
}

/// Whether a reply is said to be of a model that neither the provider nor the client named.
fn names_another_model(one: &Reply, other: &Reply, asked: &str) -> bool {
    let echoes = one.model_echo.as_deref().zip(other.model_echo.as_deref());
    echoes.is_some_and(|(one, other)| other != one && other != asked && !other.is_empty())
}

/// Whether a call has the id of one that the conversation holds already.
fn reuses(reply: &Reply, asked: &SeenRequest) -> bool {
    let known = |id: &str| {
        let earlier = asked.request.messages.iter().flat_map(Message::calls);
        earlier.into_iter().any(|call| call.id.as_str() == id)
    };
    reply.calls().any(|call| known(call.id.as_str()))
}

fn fields(reply: &Reply) -> Vec<&'static str> {
    let states = reply.parts.iter().filter_map(|part| match part {
        Part::Reasoning(state) if !is_bare_seal(state) => Some(state.field.wire_name()),
        _ => None,
    });
    let mut fields: Vec<&str> = states.collect();
    fields.dedup();
    fields
}

/// Whether calls have other ids than the provider gave. That they have none is a defect.
fn has_other_ids(one: &Reply, other: &Reply) -> bool {
    let given = |reply: &Reply| -> Vec<String> {
        reply.calls().filter_map(ToolCall::given_id).map(str::to_owned).collect()
    };
    let (one, other) = (given(one), given(other));
    one.len() == other.len() && one != other
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
