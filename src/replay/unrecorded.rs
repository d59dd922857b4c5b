//! Unrecorded requests: those through an adapter that its recordings do not know, and who caused them.
//!
//! The client asks what it asked when the model was recorded, as long as it gets the same replies. A
//! request that left the client as recorded and was not known upstream was changed by the adapter; one
//! that left the client otherwise follows from replies that the adapter changed.

use std::collections::BTreeMap;

use super::meaning::Meaning;
use super::recordings::{read, tell_nearest};
use super::transcript::Transcript;
use crate::dialect::{ApiError, DialectId, NOT_RECORDED, NOT_RECORDED_END, Route};
use crate::ir::Request;
use crate::regress::{Speaker, Unrecorded};
use crate::transport::{Body, Exchange, RecordedExchange};

/// How many steps of a place tell one breakage from another.
const STEPS: usize = 3;

/// One request that the upstream did not know.
struct Miss<'a> {
    exchange: &'a RecordedExchange,
    speaker: Speaker,
    words: String,
}

/// What the client asked through the adapter, in its dialect, that has no recording; `None` where all of
/// it has one.
pub(crate) fn find_unrecorded(
    transcript: &Transcript,
    dialect: DialectId,
    exchanges: &[RecordedExchange],
) -> Option<Unrecorded> {
    let known = KnownRequests::of(transcript, dialect);
    let misses: Vec<Miss<'_>> =
        exchanges.iter().filter_map(|exchange| known.miss(exchange)).collect();
    let of_adapter = misses.iter().any(|miss| miss.speaker == Speaker::Adapter);
    let speaker = if of_adapter { Speaker::Adapter } else { Speaker::Client };
    let misses: Vec<&Miss<'_>> = misses.iter().filter(|miss| miss.speaker == speaker).collect();
    let place = most_frequent(misses.iter().map(|miss| place(&miss.words)))?;
    let first = misses.iter().find(|miss| self::place(&miss.words) == place)?;
    let evidence = misses.iter().map(|miss| miss.exchange.digest().clone()).collect();
    Some(Unrecorded { speaker, words: first.words.clone(), place, evidence })
}

/// What was recorded, as a client of this dialect would say it.
struct KnownRequests {
    dialect: DialectId,
    translated: bool,
    meanings: BTreeMap<String, Meaning>,
}

impl KnownRequests {
    fn of(transcript: &Transcript, dialect: DialectId) -> Self {
        let translated = transcript.dialect != dialect;
        let requests = transcript.exchanges.iter().filter_map(|it| read(transcript.dialect, it));
        let meanings = requests.map(|request| meaning(&request, translated));
        let meanings = meanings.map(|it| (it.key(), it)).collect();
        Self { dialect, translated, meanings }
    }

    fn miss<'a>(&self, exchange: &'a RecordedExchange) -> Option<Miss<'a>> {
        let words = words_in(exchange)?;
        let asked = sent_request(self.dialect, exchange).map(|it| meaning(&it, self.translated));
        let own = asked.filter(|asked| !self.meanings.contains_key(&asked.key()));
        Some(match own.and_then(|asked| tell_nearest(self.meanings.values(), &asked)) {
            Some(words) => Miss { exchange, speaker: Speaker::Client, words },
            None => Miss { exchange, speaker: Speaker::Adapter, words },
        })
    }
}

/// Reasoning has another form in every dialect.
fn meaning(request: &Request, translated: bool) -> Meaning {
    match request.without_reasoning().filter(|_| translated) {
        Some(bare) => Meaning::of(&bare),
        None => Meaning::of(request),
    }
}

fn sent_request(dialect: DialectId, exchange: &Exchange) -> Option<Request> {
    let path = exchange.request.path();
    let path = path.split('?').next().unwrap_or_default();
    let route = Route::of_call(path).map(|(_, route)| route).unwrap_or_default();
    dialect.codec().decode_request(exchange.request.body.as_ref()?, &route).ok()
}

/// Why the upstream has no recording, in its own words, whatever an adapter put around them.
fn words_in(exchange: &RecordedExchange) -> Option<String> {
    let response = exchange.response().ok()?;
    let text = match &response.body {
        Body::Whole(text) if !response.is_success() => {
            ApiError::from_response(response.status, Vec::new(), text).message
        }
        Body::Whole(_) | Body::Frames(_) => response.text().into_owned(),
    };
    let (_, after) = text.split_once(NOT_RECORDED)?;
    let words = after.split_once(NOT_RECORDED_END).map_or(after, |(words, _)| words);
    Some(words.trim_start_matches(':').trim().to_owned())
}

/// The first place that differs, without the numbers of messages and the names of tools. Where a whole
/// part of a conversation is missing or new, its kind is told.
fn place(words: &str) -> String {
    let Some((_, differences)) = words.split_once(" differs: ") else {
        return "model".to_owned();
    };
    let (path, values) = differences.split_once(": recorded ").unwrap_or((differences, ""));
    let steps = path.split('.').map(|step| step.split('[').next().unwrap_or(step));
    let mut steps: Vec<&str> = steps.take(STEPS).collect();
    match steps.as_mut_slice() {
        ["tools", name, ..] => *name = "*",
        ["conversation"] => steps.extend(values.split('\'').nth(1)),
        _ => {}
    }
    steps.join(".")
}

/// The most frequent of some places; the first among equals.
fn most_frequent(places: impl Iterator<Item = String>) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for place in places {
        match counts.iter_mut().find(|(known, _)| *known == place) {
            Some((_, count)) => *count += 1,
            None => counts.push((place, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_for_every_message_and_every_tool() {
        let told = |at: &str| format!("the nearest of 'm' differs: {at}");
        for (words, expected) in [
            ("conversation[4].result.content: recorded 1, came 2", "conversation.result.content"),
            ("conversation[1]: recorded {'reasoning':1}, came nothing", "conversation.reasoning"),
            ("conversation[1]: recorded nothing, came {'call':1}", "conversation.call"),
            ("tools.probe_add.schema.properties.a: recorded 1, came 2", "tools.*.schema"),
        ] {
            assert_eq!(place(&told(words)), expected);
        }
        assert_eq!(place("no model is called 'x'; recorded are: m"), "model");
    }

    #[test]
    fn the_place_that_most_requests_differ_at_is_told() {
        let most = |places: &[&str]| most_frequent(places.iter().map(|it| (*it).to_owned()));
        assert_eq!(most(&["a", "b", "b"]).as_deref(), Some("b"));
        assert_eq!(most(&["a", "b"]).as_deref(), Some("a"));
        assert_eq!(most(&[]), None);
    }
}
