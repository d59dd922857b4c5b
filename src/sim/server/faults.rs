//! HTTP faults: what a faulty server answers instead of the model.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::answer::{Ending, HttpAnswer};
use crate::ir::Request;
use crate::sim::quirks::HttpQuirk;
use crate::sim::rules::{self, ServiceFault};
use crate::sim::{ModelFile, RulesId};

/// How many requests are remembered before all are forgotten.
const MOST_SEEN: usize = 65_536;

/// The requests that have been seen, by digest.
#[derive(Debug, Default)]
pub(super) struct SeenRequests(Mutex<HashSet<String>>);

impl SeenRequests {
    /// Whether this request comes for the first time.
    pub(super) fn first_time(&self, digest: &str) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST_SEEN {
            seen.clear();
        }
        seen.insert(digest.to_owned())
    }
}

/// What the server answers instead of the model, if anything.
pub(super) fn answer_instead(
    model: &ModelFile,
    digest: &str,
    seen: &SeenRequests,
) -> Option<HttpAnswer> {
    // Looked up once, so that quirks of one model agree on what is new.
    let mut first = None;
    let mut first_time = || *first.get_or_insert_with(|| seen.first_time(digest));
    let rules = model.rules();
    model.http_quirks.iter().find_map(|quirk| match quirk {
        HttpQuirk::RateLimited { retry_after } => first_time().then(|| {
            refusal(rules, &ServiceFault::RateLimited, digest)
                .header("retry-after", retry_after.to_string())
        }),
        HttpQuirk::Flapping { status } => {
            first_time().then(|| refusal(rules, &ServiceFault::Failing(*status), digest))
        }
        HttpQuirk::Down { status } => Some(refusal(rules, &ServiceFault::Failing(*status), digest)),
        HttpQuirk::WebPage => Some(HttpAnswer::text(200, "text/html; charset=utf-8", WEB_PAGE)),
        HttpQuirk::NotUtf8 => Some(HttpAnswer::text(200, "application/json", "").raw(NOT_UTF8)),
        HttpQuirk::Flood { bytes } => Some(HttpAnswer::flood(*bytes)),
        HttpQuirk::Hangs => Some(HttpAnswer::silence()),
        HttpQuirk::StreamIgnored
        | HttpQuirk::OnlyStreams { .. }
        | HttpQuirk::ClosesAfterStream
        | HttpQuirk::CutsBody => None,
    })
}

const WEB_PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\
    <body><h1>Sign in to continue</h1></body></html>\n";
const NOT_UTF8: &[u8] = b"{\"choices\": [\"\xff\xfe\"]}";

fn refusal(rules: RulesId, fault: &ServiceFault<'_>, request_id: &str) -> HttpAnswer {
    rules::refuse(rules, &rules::fault(rules, fault), request_id).into()
}

/// Whether a request for a stream is answered with one body.
pub(super) fn ignores_stream(model: &ModelFile) -> bool {
    model.http_quirks.contains(&HttpQuirk::StreamIgnored)
}

/// Why a request for a whole body is refused, where it is.
pub(super) fn wants_stream<'a>(model: &'a ModelFile, request: &Request) -> Option<&'a str> {
    model.http_quirks.iter().filter(|_| !request.stream).find_map(|quirk| match quirk {
        HttpQuirk::OnlyStreams { message } => Some(message.as_str()),
        _ => None,
    })
}

/// The answer with the end that the server gives it.
pub(super) fn with_ending(model: &ModelFile, answer: HttpAnswer, streamed: bool) -> HttpAnswer {
    if model.http_quirks.contains(&HttpQuirk::CutsBody) {
        answer.in_halves().ending(Ending::Cut)
    } else if streamed && model.http_quirks.contains(&HttpQuirk::ClosesAfterStream) {
        answer.ending(Ending::Closed)
    } else {
        answer
    }
}
