//! Dead endpoints: when nothing more is sent, because nothing is answered.
//!
//! A suite sends many requests at once. An endpoint that refuses the key, does not exist or hangs
//! would be asked all of them in vain; after the first such answer the rest are not sent. Streams
//! and plain requests are counted apart: many a gateway answers the one and breaks the other.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::call::HttpCall;
use super::error::TransportError;
use super::exchange::{Exchange, HttpOutcome, Response};
use super::retry::Judgement;

/// How many failures in a row are accepted on a path that has answered before.
const ALLOWED_FAILURES: u32 = 5;

/// How many characters of a failing answer are shown.
const SHOWN: usize = 200;

/// Which paths of an endpoint answer, judged by exchanges that are over, retries included. A path
/// that does not exist says nothing about the others.
#[derive(Debug, Default)]
pub(super) struct Health(Mutex<HashMap<String, PathHealth>>);

#[derive(Debug, Default)]
struct PathHealth {
    /// Whether a stream or a plain request was ever answered.
    has_answered: bool,
    plain: Failures,
    streams: Failures,
}

/// Failures since the last answer.
#[derive(Debug, Default)]
struct Failures {
    exchanges: u32,
    /// Attempts that will be tried again.
    attempts: u32,
    last: String,
}

impl Health {
    /// The error to give instead of sending this call, if its path stopped answering.
    pub(super) fn given_up(&self, call: &HttpCall) -> Option<TransportError> {
        if call.insists {
            return None;
        }
        let mut paths = self.paths();
        let (failures, allowed) = paths.get_mut(call.url.path())?.failures(call);
        (failures.exchanges >= allowed)
            .then(|| TransportError::GivenUp { because: failures.last.clone() })
    }

    /// Counts an attempt that will be tried again, and says whether the endpoint may be dead.
    pub(super) fn count_attempt(&self, call: &HttpCall) -> bool {
        let mut paths = self.paths();
        let (failures, allowed) =
            paths.entry(call.url.path().to_owned()).or_default().failures(call);
        failures.attempts += 1;
        failures.attempts >= allowed
    }

    /// Counts an exchange that is over. An answer of any kind, a refusal included, shows that the
    /// path works; one that arrives late revives a path that was given up. The judgement goes before
    /// the status: an HTML page is not an answer, even with status 200, and a 500 about the model's
    /// own output is one.
    pub(super) fn count(&self, call: &HttpCall, exchange: &Exchange, judgement: Judgement) {
        let failure = match &exchange.outcome {
            HttpOutcome::Answered(response) if is_answer(response, judgement) => None,
            HttpOutcome::Answered(response) => Some(describe(response)),
            // Nothing was sent.
            HttpOutcome::Failed {
                error:
                    TransportError::GivenUp { .. }
                    | TransportError::Budget { .. }
                    | TransportError::TokenBudget { .. },
                ..
            } => return,
            HttpOutcome::Failed { error, .. } => Some(error.to_string()),
        };
        let mut paths = self.paths();
        let path = paths.entry(call.url.path().to_owned()).or_default();
        path.has_answered |= failure.is_none();
        let (failures, _) = path.failures(call);
        match failure {
            None => *failures = Failures::default(),
            Some(what) => {
                failures.exchanges += 1;
                failures.last = what;
            }
        }
    }

    fn paths(&self) -> MutexGuard<'_, HashMap<String, PathHealth>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PathHealth {
    /// The failures of calls like this one, and how many are accepted.
    fn failures(&mut self, call: &HttpCall) -> (&mut Failures, u32) {
        let allowed = if self.has_answered { ALLOWED_FAILURES } else { 1 };
        let failures = if call.framing.is_some() { &mut self.streams } else { &mut self.plain };
        (failures, allowed)
    }
}

/// Whether a response answers, be it with a refusal.
pub(super) fn is_answer(response: &Response, judgement: Judgement) -> bool {
    match judgement {
        Judgement::Final => true,
        Judgement::Transient => false,
        Judgement::ByStatus => matches!(response.status, 200..=299 | 400 | 422),
    }
}

/// The status and the beginning of the text.
fn describe(response: &Response) -> String {
    let said: String = response.text().split_whitespace().collect::<Vec<_>>().join(" ");
    let start: String = said.chars().take(SHOWN).collect();
    let status = match response.status {
        200..=299 => "not the protocol:".to_owned(),
        status => format!("HTTP {status}"),
    };
    format!("{status} {start}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::call::SentRequest;
    use super::super::exchange::{Body, Timing};
    use super::*;
    use crate::secret::Scrubber;
    use crate::wire::Framing;

    fn plain_call() -> HttpCall {
        HttpCall::get("http://127.0.0.1:1/".parse().unwrap())
    }

    /// Has a call answered with this status, and tells whether it was sent at all.
    fn send(health: &Health, call: &HttpCall, judgement: Judgement, status: u16) -> bool {
        let is_sent = health.given_up(call).is_none();
        let response = Response { status, headers: vec![], body: Body::Whole(String::new()) };
        let request = SentRequest::redacted(call, &Scrubber::default());
        let outcome = HttpOutcome::Answered(response);
        health.count(call, &Exchange::single(request, outcome, Timing::default()), judgement);
        is_sent
    }

    /// How many plain calls are sent until the path is given up.
    fn count_sent(judgement: Judgement, statuses: &[u16]) -> usize {
        let health = Health::default();
        let is_sent = |status: &&u16| send(&health, &plain_call(), judgement, **status);
        statuses.iter().take_while(is_sent).count()
    }

    #[test]
    fn an_endpoint_that_never_answered_is_given_up_at_once() {
        assert_eq!(count_sent(Judgement::ByStatus, &[401; 10]), 1);
    }

    #[test]
    fn a_refusal_is_an_answer() {
        assert_eq!(count_sent(Judgement::ByStatus, &[400; 10]), 10);
    }

    #[test]
    fn the_judgement_goes_before_the_status() {
        assert_eq!(count_sent(Judgement::Transient, &[200; 10]), 1);
        assert_eq!(count_sent(Judgement::Final, &[500; 10]), 10);
    }

    #[test]
    fn an_endpoint_that_has_answered_gets_five_failures_in_a_row() {
        let statuses = [200, 503, 503, 200, 503, 503, 503, 503, 503, 200];
        assert_eq!(count_sent(Judgement::ByStatus, &statuses), 9);
    }

    #[test]
    fn a_control_is_sent_though_the_path_was_given_up() {
        let (health, plain) = (Health::default(), plain_call());
        assert!(send(&health, &plain, Judgement::ByStatus, 500));
        assert!(health.given_up(&plain).is_some());
        assert!(health.given_up(&HttpCall { insists: true, ..plain }).is_none());
    }

    #[test]
    fn broken_streams_do_not_count_against_plain_calls() {
        let (health, plain) = (Health::default(), plain_call());
        let streamed = plain.clone().streamed(Framing::Sse);
        let sent = |call, status| send(&health, call, Judgement::ByStatus, status);
        assert!(sent(&plain, 200));
        assert_eq!((0..10).filter(|_| sent(&streamed, 403)).count(), 5);
        assert!(sent(&plain, 200) && !sent(&streamed, 200));
    }
}
