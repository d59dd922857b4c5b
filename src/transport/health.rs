//! When is it pointless to go on asking?
//!
//! A suite sends many requests at once. An endpoint that refuses the key, does not exist or hangs
//! would be asked all of them in vain; after the first such answer the rest are not sent.

use super::error::TransportError;
use super::exchange::{Exchange, HttpOutcome, Response};
use super::retry::Judgement;

/// How many failures in a row an endpoint is allowed that has answered before.
const PATIENCE: u32 = 5;

/// How many characters of a failing answer are shown.
const SHOWN: usize = 200;

/// Whether a route of an endpoint answers, judged by exchanges that are over, retries included.
#[derive(Debug, Default)]
pub(super) struct Health {
    has_answered: bool,
    failures: u32,
    /// Attempts since the last answer that are to be tried again.
    stumbles: u32,
    last: String,
}

impl Health {
    /// Why nothing more is to be sent, if so.
    pub(super) fn given_up(&self) -> Option<TransportError> {
        (self.failures >= self.allowed())
            .then(|| TransportError::GivenUp { because: self.last.clone() })
    }

    /// Takes note of an attempt that will be tried again, and says whether the endpoint may be dead.
    pub(super) fn stumbled(&mut self) -> bool {
        self.stumbles += 1;
        self.stumbles >= self.allowed()
    }

    fn allowed(&self) -> u32 {
        if self.has_answered { PATIENCE } else { 1 }
    }

    /// Takes note of an exchange. An answer of any kind, a refusal included, shows that there is
    /// someone to talk to; one that arrives late brings back an endpoint that was given up. Whoever
    /// read the answer has the last word: a page with a good status is none, and a bad status that
    /// is about the model's own output is one.
    pub(super) fn note(&mut self, exchange: &Exchange, judgement: Judgement) {
        let failure = match &exchange.outcome {
            HttpOutcome::Answered(response) if is_answer(response, judgement) => None,
            HttpOutcome::Answered(response) => Some(described(response)),
            // What was not sent says nothing.
            HttpOutcome::Failed {
                error: TransportError::GivenUp { .. } | TransportError::Budget { .. },
                ..
            } => return,
            HttpOutcome::Failed { error, .. } => Some(error.to_string()),
        };
        match failure {
            None => *self = Self { has_answered: true, ..Self::default() },
            Some(what) => {
                self.failures += 1;
                self.last = what;
            }
        }
    }
}

fn is_answer(response: &Response, judgement: Judgement) -> bool {
    match judgement {
        Judgement::Final => true,
        Judgement::Transient => false,
        Judgement::ByStatus => matches!(response.status, 200..=299 | 400 | 422),
    }
}

/// The status, and the start of what was said with it.
fn described(response: &Response) -> String {
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
    use super::super::call::{HttpCall, SentRequest};
    use super::super::exchange::{Body, Timing};
    use super::super::secret::Scrubber;
    use super::*;

    /// How many of these answers an endpoint gets to give before it is given up.
    fn taken(statuses: &[u16]) -> usize {
        taken_as(Judgement::ByStatus, statuses)
    }

    fn taken_as(judgement: Judgement, statuses: &[u16]) -> usize {
        let call = HttpCall::get("http://127.0.0.1:1/".parse().unwrap());
        let mut health = Health::default();
        statuses
            .iter()
            .take_while(|status| {
                let response = Response {
                    status: **status,
                    headers: vec![],
                    body: Body::Whole(String::new()),
                };
                let request = SentRequest::redacted(&call, &Scrubber::default());
                let outcome = HttpOutcome::Answered(response);
                let asked = health.given_up().is_none();
                health.note(&Exchange::single(request, outcome, Timing::default()), judgement);
                asked
            })
            .count()
    }

    #[test]
    fn an_endpoint_that_never_answered_is_given_up_at_once() {
        assert_eq!(taken(&[401; 10]), 1);
    }

    #[test]
    fn a_refusal_is_an_answer() {
        assert_eq!(taken(&[400; 10]), 10);
    }

    #[test]
    fn the_reader_of_the_answers_has_the_last_word() {
        assert_eq!(taken_as(Judgement::Transient, &[200; 10]), 1);
        assert_eq!(taken_as(Judgement::Final, &[500; 10]), 10);
    }

    #[test]
    fn an_endpoint_that_has_answered_gets_five_failures_in_a_row() {
        assert_eq!(taken(&[200, 503, 503, 200, 503, 503, 503, 503, 503, 200]), 9);
    }
}
