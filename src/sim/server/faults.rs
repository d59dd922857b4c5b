//! What does a faulty server do to this request?

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::outcome::{Ending, Outcome};
use crate::sim::quirks::HttpQuirk;
use crate::sim::rules::{self, Fault};
use crate::sim::{ModelFile, RulesId};

/// How many requests are remembered before the memory starts afresh.
const MOST_SEEN: usize = 65_536;

/// The requests that have been seen, by digest.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<HashSet<String>>);

impl Seen {
    /// Whether this is the first time.
    pub(super) fn first_time(&self, digest: &str) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST_SEEN {
            seen.clear();
        }
        seen.insert(digest.to_owned())
    }
}

/// What the server answers instead of the model, if anything.
pub(super) fn instead(model: &ModelFile, digest: &str, seen: &Seen) -> Option<Outcome> {
    // Looked up once, so that quirks of one model agree on what is new.
    let mut first = None;
    let mut first_time = || *first.get_or_insert_with(|| seen.first_time(digest));
    let rules = model.rules();
    model.http_quirks.iter().find_map(|quirk| match quirk {
        HttpQuirk::RateLimited { retry_after } => first_time().then(|| {
            refusal(rules, &Fault::RateLimited, digest)
                .header("retry-after", retry_after.to_string())
        }),
        HttpQuirk::Flapping { status } => {
            first_time().then(|| refusal(rules, &Fault::Failing(*status), digest))
        }
        HttpQuirk::Down { status } => Some(refusal(rules, &Fault::Failing(*status), digest)),
        HttpQuirk::WebPage => Some(Outcome::text(200, "text/html; charset=utf-8", WEB_PAGE)),
        HttpQuirk::NotUtf8 => Some(Outcome::text(200, "application/json", "").raw(NOT_UTF8)),
        HttpQuirk::Flood { bytes } => Some(Outcome::flood(*bytes)),
        HttpQuirk::Hangs => Some(Outcome::silence()),
        HttpQuirk::StreamIgnored | HttpQuirk::ClosesAfterStream | HttpQuirk::CutsBody => None,
    })
}

const WEB_PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\
    <body><h1>Sign in to continue</h1></body></html>\n";
const NOT_UTF8: &[u8] = b"{\"choices\": [\"\xff\xfe\"]}";

fn refusal(rules: RulesId, fault: &Fault<'_>, request_id: &str) -> Outcome {
    rules::refuse(rules, &rules::fault(rules, fault), request_id).into()
}

/// Whether a request for a stream is answered with one body.
pub(super) fn ignores_stream(model: &ModelFile) -> bool {
    model.http_quirks.contains(&HttpQuirk::StreamIgnored)
}

/// The answer with the end that the server gives it.
pub(super) fn ended(model: &ModelFile, answer: Outcome, streamed: bool) -> Outcome {
    if model.http_quirks.contains(&HttpQuirk::CutsBody) {
        answer.halved().ending(Ending::Cut)
    } else if streamed && model.http_quirks.contains(&HttpQuirk::ClosesAfterStream) {
        answer.ending(Ending::HungUp)
    } else {
        answer
    }
}
