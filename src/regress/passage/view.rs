//! The view of all passages through an adapter: which aspects changed, how often, and where to look.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::aspect::{ReplyAspect, RequestAspect};
use super::replies::{ReplySaid, SeenReply, is_worn, lost_fields, new_defects, reply_changes};
use super::requests::{Issued, SeenRequest, request_changes};
use crate::ir::{Defect, Digest};

/// How many exchanges are named for each aspect.
const NAMED: usize = 2;

/// How many missing fields, or other things with names, are listed.
const MOST_NAMES: usize = 4;

/// One exchange through an adapter, seen from both ends.
#[derive(Debug, Clone)]
pub(crate) struct Passage {
    /// The request that left, and the one that arrived.
    pub requests: (SeenRequest, SeenRequest),
    /// The reply that left upstream, and the one that came to the client.
    pub replies: (SeenReply, SeenReply),
    /// The exchange at the client's end.
    pub client: Digest,
    /// The exchange at the upstream's end.
    pub upstream: Digest,
}

/// What an adapter did to the requests and replies of one model.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PassageView {
    compared: usize,
    requests: BTreeMap<RequestAspect, AspectEvidence>,
    replies: BTreeMap<ReplyAspect, AspectEvidence>,
    /// By the exchange at the client's end.
    touched: BTreeMap<Digest, Touched>,
}

/// Where an aspect changed.
#[derive(Debug, Clone, PartialEq, Default)]
struct AspectEvidence {
    count: usize,
    of: Option<String>,
    /// What is missing or wrong, where the aspect has many names.
    names: BTreeSet<String>,
    client: Vec<Digest>,
    upstream: Vec<Digest>,
}

/// What of one exchange changed on its way.
#[derive(Debug, Clone, PartialEq, Default)]
struct Touched {
    requests: Vec<RequestAspect>,
    /// The aspects of its reply that have a meaning.
    replies: Vec<ReplyAspect>,
    /// Whether the reply lost what no aspect is about.
    is_worn: bool,
}

/// Which end of the adapter a document is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::regress) enum DocumentSide {
    /// Nothing is between the model and its client.
    Direct,
    /// The adapter is.
    Through,
}

impl PassageView {
    /// What these passages show.
    pub(crate) fn of(passages: &[Passage]) -> Self {
        let issued =
            Issued::in_replies(passages.iter().filter_map(|it| match &it.replies.0.said {
                ReplySaid::Reply(reply) => Some(&**reply),
                _ => None,
            }));
        let mut view = Self { compared: passages.len(), ..Self::default() };
        for passage in passages {
            let Passage { requests: (left, arrived), replies: (sent, got), client, upstream } =
                passage;
            let requests = request_changes(left, arrived, &issued);
            let replies = reply_changes(sent, got, (left, arrived));
            for aspect in &requests {
                view.requests.entry(*aspect).or_default().add(client, upstream);
            }
            for aspect in &replies {
                view.replies.entry(*aspect).or_default().add(client, upstream);
            }
            let lost = lost_fields(sent, got, &replies).into_iter().map(str::to_owned).collect();
            let defects = new_defects(sent, got, &replies).iter().map(Defect::to_string).collect();
            for (aspect, names) in [(ReplyAspect::Fields, lost), (ReplyAspect::Defects, defects)] {
                view.note_names(aspect, names, (client, upstream));
            }
            let touched = view.touched.entry(client.clone()).or_default();
            touched.requests.extend(requests);
            touched.is_worn |= is_worn(sent, got);
            touched.replies.extend(replies.into_iter().filter(|aspect| aspect.is_meaning()));
        }
        view
    }

    /// The same with something that was not seen by comparing passages one by one, in words.
    pub(crate) fn note(&mut self, aspect: ReplyAspect, words: String, evidence: Vec<Digest>) {
        let upstream = evidence.clone();
        let places = AspectEvidence {
            count: 1,
            of: Some(words),
            client: evidence,
            upstream,
            ..AspectEvidence::default()
        };
        self.replies.insert(aspect, places);
    }

    /// Takes over what was noted apart.
    pub(crate) fn take_notes(&mut self, noted: Self) {
        self.replies.extend(noted.replies);
    }

    /// The same with a changed aspect of requests, for a test.
    #[cfg(test)]
    pub(in crate::regress) fn note_request(&mut self, aspect: RequestAspect) {
        let digest = Digest::of("0");
        self.requests.entry(aspect).or_default().add(&digest, &digest);
    }

    /// The aspects of requests that changed in these exchanges, if their replies came through as they
    /// were. All exchanges count where these tell nothing: a request that was not sent any more, because the
    /// ones before it came to nothing, has none of its own.
    pub(in crate::regress) fn request_causes(&self, evidence: &[Digest]) -> Vec<RequestAspect> {
        let known: Vec<&Touched> = evidence.iter().filter_map(|it| self.touched.get(it)).collect();
        let is_all_known = known.len() == evidence.len();
        let tells = known.iter().any(|touched| **touched != Touched::default()) || is_all_known;
        let all: Vec<&Touched> =
            if tells && !known.is_empty() { known } else { self.touched.values().collect() };
        if all.iter().any(|touched| touched.is_worn || !touched.replies.is_empty()) {
            return Vec::new();
        }
        let mut causes: Vec<RequestAspect> =
            all.iter().flat_map(|touched| touched.requests.iter().copied()).collect();
        causes.sort();
        causes.dedup();
        causes
    }

    /// Whether reasoning or its seals are all that changed in these exchanges.
    pub(in crate::regress) fn lost_only_reasoning(&self, evidence: &[Digest]) -> bool {
        let known = || evidence.iter().filter_map(|it| self.touched.get(it));
        let mut changed = known().flat_map(|touched| &touched.replies).peekable();
        changed.peek().is_some()
            && changed.all(|aspect| aspect.is_reasoning())
            && known().all(|touched| !touched.is_worn && touched.requests.is_empty())
    }

    fn note_names(&mut self, aspect: ReplyAspect, names: Vec<String>, ends: (&Digest, &Digest)) {
        if !names.is_empty() {
            let places = self.replies.entry(aspect).or_default();
            places.add(ends.0, ends.1);
            places.names.extend(names);
        }
    }

    /// What changed, as a part of a profile's document.
    pub(in crate::regress) fn document(&self, side: DocumentSide) -> Value {
        let reason = |places: &AspectEvidence| places.reason("", self.compared);
        let requests: BTreeMap<_, _> = self
            .requests
            .iter()
            .map(|(aspect, it)| {
                (aspect, aspect_document(side, &reason(it), &it.client, &it.upstream))
            })
            .collect();
        let replies: BTreeMap<_, _> = self
            .replies
            .iter()
            .map(|(aspect, it)| {
                let word = if *aspect == ReplyAspect::Fields { "without" } else { "with" };
                let reason = it.reason(word, self.compared);
                (aspect, aspect_document(side, &reason, &it.upstream, &it.client))
            })
            .collect();
        json!({"requests": requests, "replies": replies})
    }
}

impl AspectEvidence {
    fn add(&mut self, client: &Digest, upstream: &Digest) {
        self.count += 1;
        if self.client.len() < NAMED {
            self.client.push(client.clone());
            self.upstream.push(upstream.clone());
        }
    }

    /// Where it was seen; what it is about, where that has names, behind this word.
    fn reason(&self, word: &str, compared: usize) -> String {
        if let Some(words) = &self.of {
            return words.clone();
        }
        let count = format!("in {} of {compared} exchanges", self.count);
        if self.names.is_empty() {
            return count;
        }
        let named: Vec<&str> = self.names.iter().take(MOST_NAMES).map(String::as_str).collect();
        let more = self.names.len() - named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{word} {}{more} {count}", named.join(", "))
    }
}

/// One aspect on one side: as it was before the adapter, or as it is behind it.
fn aspect_document(
    side: DocumentSide,
    reason: &str,
    before: &[Digest],
    behind: &[Digest],
) -> Value {
    match side {
        DocumentSide::Direct => json!({"verdict": "kept", "reason": null, "evidence": before}),
        DocumentSide::Through => {
            json!({"verdict": "changed", "reason": reason, "evidence": behind})
        }
    }
}
