//! The client's view: what a client sees in an endpoint's answers, beyond what verdicts rest on.
//!
//! An adapter can hide how many tokens were spent, why the provider refused, what the model thought.
//! This is the list of such details, each with an exchange that shows it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::ir::{Defect, Digest, Part, ReasoningState, Reply, StopKind, ToolCall};

/// How many exchanges are named for each sighting.
const NAMED: usize = 2;

/// How many characters of a provider's words must come through to be known again.
const KNOWN_AGAIN: usize = 24;

/// A length of call ids that nobody wonders at.
const COMMON_ID: usize = 32;

/// One answer of an endpoint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeenAnswer<'a> {
    /// The exchange.
    pub evidence: &'a Digest,
    /// Whether it was streamed.
    pub streamed: bool,
    /// What it was.
    pub what: AnswerKind<'a>,
    /// Whether a call in it has empty arguments, well written, though its tool requires some.
    pub emptied: bool,
}

/// What an answer was.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AnswerKind<'a> {
    /// A finished reply.
    Reply(&'a Reply),
    /// A stream that ended before its reply did.
    CutShort,
    /// A clear refusal, in the endpoint's words.
    Refusal(&'a str),
    /// An internal error (500) that asking again did not help against.
    ServerError,
    /// Another status by which a server says that it is not the client's fault (502, 503, …).
    Unavailable,
}

/// Something that a client may want to see in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Detail {
    /// What the model thought.
    Reasoning,
    /// The signature or the encrypted state that reasoning is sent back with.
    ReasoningSeal,
    /// How many tokens a whole reply took.
    Usage,
    /// How many tokens a streamed reply took.
    StreamedUsage,
    /// How many of them were reasoning.
    ReasoningTokens,
    /// How many were read from a cache.
    CachedTokens,
    /// Why a whole reply ended.
    StopReason,
    /// Which build of the server answered.
    Fingerprint,
    /// What the model says beside its calls.
    TextBesideCalls,
    /// That a stream was cut short.
    Truncation,
    /// An internal error of the server.
    ServerError,
    /// Why the provider refused, in its own words.
    RefusalWords,
    /// That a refusal is a refusal, by its status.
    Refusals,
    /// Empty arguments where the provider's own reply shows that they were lost.
    MaskedArguments,
}

/// The details that a finished reply shows or does not.
const IN_REPLIES: [Detail; 9] = [
    Detail::Reasoning,
    Detail::ReasoningSeal,
    Detail::Usage,
    Detail::StreamedUsage,
    Detail::ReasoningTokens,
    Detail::CachedTokens,
    Detail::StopReason,
    Detail::Fingerprint,
    Detail::TextBesideCalls,
];

impl Detail {
    /// Whether a reply shows it; `None` where a reply of this kind cannot.
    fn shown_by(self, reply: &Reply, streamed: bool) -> Option<bool> {
        let usage = &reply.usage;
        let counted = usage.input.is_some() && usage.output.is_some();
        match self {
            Self::Reasoning => Some(!reply.reasoning_text().trim().is_empty()),
            Self::ReasoningSeal => Some(states(reply).any(is_sealed)),
            Self::Usage => (!streamed).then_some(counted),
            Self::StreamedUsage => streamed.then_some(counted),
            Self::ReasoningTokens => counted.then(|| usage.reasoning.is_some_and(|it| it > 0)),
            Self::CachedTokens => counted.then_some(usage.cached.is_some()),
            Self::StopReason => (!streamed).then_some(
                reply.stop.kind != StopKind::Missing
                    && !reply.defects.contains(Defect::FinishMissing),
            ),
            Self::Fingerprint => Some(reply.fingerprint.is_some()),
            Self::TextBesideCalls => reply.calls().next().map(|_| !reply.text().trim().is_empty()),
            Self::Truncation
            | Self::ServerError
            | Self::RefusalWords
            | Self::Refusals
            | Self::MaskedArguments => None,
        }
    }
}

fn states(reply: &Reply) -> impl Iterator<Item = &ReasoningState> {
    reply.parts.iter().filter_map(|part| match part {
        Part::Reasoning(state) => Some(state),
        _ => None,
    })
}

fn is_sealed(state: &ReasoningState) -> bool {
    let seals = [state.signature(), state.encrypted()];
    seals.into_iter().flatten().any(|seal| !seal.is_empty())
}

/// What was seen of one detail or defect, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Sighting {
    verdict: Verdict,
    reason: String,
    evidence: Vec<Digest>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Shown,
    Absent,
}

/// What the answers of one target let a client see.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClientView {
    details: BTreeMap<Detail, Sighting>,
    /// What a strict client would not have taken of whole replies.
    defects: BTreeMap<Defect, Sighting>,
    /// What the ids of calls look like.
    call_ids: Option<String>,
    /// How long they are, at most.
    call_id_length: Option<usize>,
    /// The kinds of characters in them.
    call_id_characters: BTreeSet<&'static str>,
    /// The first answers, for what none of them shows.
    evidence: Vec<Digest>,
    #[serde(skip)]
    refusals: Vec<(String, Digest)>,
    /// Answers with a status that blames the server.
    #[serde(skip)]
    failures: Vec<Digest>,
    /// For each reply with calls, whether one has empty arguments that its tool does not allow.
    #[serde(skip)]
    emptied: Vec<(Digest, bool)>,
    /// Whether arguments are seen to get lost: cut off, or not there at all.
    #[serde(skip)]
    loses_arguments: bool,
}

/// A reply, and where it is from.
#[derive(Clone, Copy)]
struct SeenReply<'a> {
    evidence: &'a Digest,
    streamed: bool,
    reply: &'a Reply,
}

impl ClientView {
    /// What these answers show.
    pub(crate) fn of(answers: &[SeenAnswer<'_>]) -> Self {
        let (mut replies, mut refusals) = (Vec::new(), Vec::new());
        let (mut streams, mut errors) = (Vec::new(), Vec::new());
        let (mut failures, mut called) = (Vec::new(), Vec::new());
        for SeenAnswer { evidence, streamed, what, emptied } in answers.iter().copied() {
            match what {
                AnswerKind::Reply(reply) => {
                    replies.push(SeenReply { evidence, streamed, reply });
                    called.push((evidence.clone(), emptied));
                }
                AnswerKind::CutShort => {}
                AnswerKind::ServerError | AnswerKind::Unavailable => {
                    failures.push(evidence.clone());
                }
                AnswerKind::Refusal(words) => refusals.push((words.to_owned(), evidence.clone())),
            }
            errors.push((evidence, matches!(what, AnswerKind::ServerError)));
            if streamed {
                streams.push((evidence, matches!(what, AnswerKind::CutShort)));
            }
        }
        let mut details = details(&replies);
        details.extend(sighting(&streams).map(|seen| (Detail::Truncation, seen)));
        details.extend(sighting(&errors).map(|seen| (Detail::ServerError, seen)));
        Self {
            details,
            defects: defects(&replies),
            call_ids: call_ids(replies.iter().map(|it| it.reply)),
            call_id_length: own_ids(replies.iter().map(|it| it.reply))
                .map(|id| id.chars().count())
                .max(),
            call_id_characters: own_ids(replies.iter().map(|it| it.reply))
                .flat_map(|id| id.chars().map(kind_of_character))
                .collect(),
            evidence: replies.iter().take(NAMED).map(|it| it.evidence.clone()).collect(),
            refusals,
            failures,
            emptied: called,
            loses_arguments: replies.iter().any(|it| loses_arguments(it.reply)),
        }
    }

    /// The same without one of the details.
    pub(super) fn without(mut self, detail: Detail) -> Self {
        self.details.remove(&detail);
        self
    }

    /// The view with the details that show only beside the origin's: whether its refusals are still
    /// refusals and have its words, and whether arguments that it loses look as if there were none.
    pub(super) fn compared_with(&self, origin: &Self) -> Self {
        let known = origin.refusals.iter().map(|(words, _)| start(words));
        let known: Vec<String> = known.filter(|words| !words.is_empty()).collect();
        let seen: Vec<(&Digest, bool)> = self
            .refusals
            .iter()
            .map(|(said, digest)| (digest, known.iter().any(|words| plain(said).contains(words))))
            .collect();
        let mut both = self.clone();
        if !known.is_empty() {
            both.details.extend(sighting(&seen).map(|seen| (Detail::RefusalWords, seen)));
        }
        if !origin.refusals.is_empty() {
            both.details.extend(self.refusal_status().map(|seen| (Detail::Refusals, seen)));
        }
        if origin.loses_arguments {
            let emptied: Vec<_> = self.emptied.iter().map(|(digest, is)| (digest, *is)).collect();
            both.details.extend(sighting(&emptied).map(|seen| (Detail::MaskedArguments, seen)));
        }
        // Ids that are made where the provider gives none may look as they like, but not be long.
        both.call_id_length = Some(self.call_id_length.unwrap_or(0).max(COMMON_ID));
        if origin.call_id_length.is_none() {
            both.call_id_characters.clear();
        }
        both
    }

    /// Whether refusals come as refusals, where there is anything that could be one.
    fn refusal_status(&self) -> Option<Sighting> {
        let refused = self.refusals.iter().map(|(_, digest)| (digest, true));
        sighting(&refused.chain(self.failures.iter().map(|it| (it, false))).collect::<Vec<_>>())
    }
}

/// Arguments that were cut off or never came.
fn loses_arguments(reply: &Reply) -> bool {
    let lost = [Defect::ArgumentsEmpty, Defect::ArgumentsAbsent, Defect::ArgumentsInvalid];
    lost.into_iter().any(|defect| reply.defects.contains(defect))
}

fn details(replies: &[SeenReply<'_>]) -> BTreeMap<Detail, Sighting> {
    let seen = |detail: Detail| {
        let shown = |it: &SeenReply<'_>| detail.shown_by(it.reply, it.streamed);
        let known = replies.iter().filter_map(|it| Some((it.evidence, shown(it)?)));
        Some((detail, sighting(&known.collect::<Vec<_>>())?))
    };
    IN_REPLIES.into_iter().filter_map(seen).collect()
}

/// Those of streams are judged by a probe of their own.
fn defects(replies: &[SeenReply<'_>]) -> BTreeMap<Defect, Sighting> {
    let whole: Vec<&SeenReply<'_>> = replies.iter().filter(|it| !it.streamed).collect();
    let all: BTreeSet<Defect> = whole.iter().flat_map(|it| it.reply.defects.iter()).collect();
    let seen = |defect: Defect| {
        let known = whole.iter().map(|it| (it.evidence, it.reply.defects.contains(defect)));
        Some((defect, sighting(&known.collect::<Vec<_>>())?))
    };
    all.into_iter().filter_map(seen).collect()
}

/// Shown where one of them shows it, absent where none does; nothing without any.
fn sighting(known: &[(&Digest, bool)]) -> Option<Sighting> {
    let shown = known.iter().filter(|(_, shown)| *shown).count();
    let verdict = if shown > 0 { Verdict::Shown } else { Verdict::Absent };
    let telling = known.iter().filter(|(_, it)| *it == (verdict == Verdict::Shown));
    let evidence: Vec<Digest> = telling.take(NAMED).map(|(digest, _)| (*digest).clone()).collect();
    let reason = format!("in {shown} of {} answers", known.len());
    (!known.is_empty()).then_some(Sighting { verdict, reason, evidence })
}

/// The ids that the endpoint gave, not those that were made up for want of one.
fn own_ids<'a>(replies: impl Iterator<Item = &'a Reply>) -> impl Iterator<Item = &'a str> {
    replies.flat_map(Reply::calls).filter_map(ToolCall::given_id)
}

fn kind_of_character(c: char) -> &'static str {
    match c {
        'a'..='z' | 'A'..='Z' => "letters",
        '0'..='9' => "digits",
        '_' | '-' => "underscore or hyphen",
        '.' | ':' => "point or colon",
        '+' | '/' | '=' => "base64 marks",
        _ => "others",
    }
}

/// What the ids look like where all calls agree.
fn call_ids<'a>(replies: impl Iterator<Item = &'a Reply>) -> Option<String> {
    let mut forms: Vec<String> = own_ids(replies).map(form).collect();
    forms.sort();
    forms.dedup();
    match forms.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// A word that stands before the first mark, or else the length.
fn form(id: &str) -> String {
    let prefix = id.find(|c: char| !c.is_ascii_alphanumeric()).and_then(|at| id.get(..=at));
    let word = prefix.filter(|it| !it.contains(|c: char| c.is_ascii_digit()) && it.len() > 1);
    word.map_or_else(|| format!("{} characters", id.chars().count()), |word| format!("{word}…"))
}

/// The start of a refusal, on one line.
fn start(words: &str) -> String {
    plain(words).chars().take(KNOWN_AGAIN).collect()
}

fn plain(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{CallFormat, CallId, Stop};

    fn called(id: &str, raw: &str) -> Reply {
        let call = ToolCall {
            id: CallId::new(id),
            name: "f".to_owned(),
            input: serde_json::json!({}),
            format: CallFormat::OpenAi,
            raw: serde_json::json!({ "id": raw }),
        };
        Reply::new(vec![Part::Call(call)], Stop::new(StopKind::ToolUse, "tool_calls"))
    }

    fn ids(ids: &[&str]) -> Option<String> {
        let replies: Vec<Reply> = ids.iter().map(|id| called(id, id)).collect();
        call_ids(replies.iter())
    }

    #[test]
    fn ids_are_known_by_their_prefix_or_their_length() {
        assert_eq!(ids(&["call_a1", "call_b22"]).as_deref(), Some("call_…"));
        assert_eq!(ids(&["functions.f:0", "functions.g:12"]).as_deref(), Some("functions.…"));
        assert_eq!(ids(&["aBc123dEf"]).as_deref(), Some("9 characters"));
        assert_eq!(
            ids(&["3f2504e0-4f89-11d3-9a0c-0305e82c3301"]).as_deref(),
            Some("36 characters")
        );
        assert_eq!(ids(&["call_a1", "toolu_b2"]), None);
        assert_eq!(call_ids([called("made-up-0", "")].iter()), None);
    }

    #[test]
    fn a_detail_is_shown_if_one_reply_shows_it_and_absent_if_none_of_those_that_could_does() {
        let evidence = Digest::of("a");
        let (bare, mut counted) = (called("call_1", "call_1"), called("call_1", "call_1"));
        (counted.usage.input, counted.usage.output) = (Some(1), Some(1));
        let glimpse = |reply, streamed| {
            let what = AnswerKind::Reply(reply);
            SeenAnswer { evidence: &evidence, streamed, what, emptied: false }
        };
        let seen = ClientView::of(&[
            glimpse(&counted, false),
            glimpse(&bare, false),
            glimpse(&bare, true),
        ]);
        let verdict = |detail| seen.details.get(&detail).map(|it: &Sighting| it.verdict);
        assert_eq!(verdict(Detail::Usage), Some(Verdict::Shown));
        assert_eq!(verdict(Detail::StreamedUsage), Some(Verdict::Absent));
        assert_eq!(verdict(Detail::RefusalWords), None);
    }

    #[test]
    fn a_providers_words_are_known_again_inside_those_of_an_adapter() {
        let digest = Digest::of("a");
        let refused = |words: &str| {
            ClientView::of(&[SeenAnswer {
                evidence: &digest,
                streamed: false,
                what: AnswerKind::Refusal(words),
                emptied: false,
            }])
        };
        let direct = refused("messages.1: `tool_use` ids were found without results");
        let verdict = |adapter: &ClientView| {
            adapter.compared_with(&direct).details.get(&Detail::RefusalWords).map(|it| it.verdict)
        };
        let wrapped = refused(
            "Gateway error - {\"message\": \"messages.1:  `tool_use` ids were found without results\"}",
        );
        assert_eq!(verdict(&wrapped), Some(Verdict::Shown));
        assert_eq!(verdict(&refused("Bad request.")), Some(Verdict::Absent));
        assert_eq!(verdict(&ClientView::default()), None);
    }
}
