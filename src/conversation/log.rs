//! Exchange log: what was sent and received, and the tokens it cost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Answer;
use crate::ir::Digest;
use crate::transport::{Budget, RecordedExchange, Response, Timing, TokenCount};

/// Every exchange of a run, in the order they ended. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ExchangeLog {
    logged: Arc<Mutex<Logged>>,
    budget: Option<Arc<Budget>>,
}

/// What is remembered of exchanges. One that a journal keeps leaves the memory when it is over.
#[derive(Debug, Clone, Default)]
pub struct Logged {
    /// Those that no journal keeps.
    pub exchanges: Vec<RecordedExchange>,
    /// The addresses of those that one keeps.
    pub kept: Vec<Digest>,
    /// The first of those that are kept and were not answered with a reply.
    pub failures: Vec<RecordedExchange>,
    /// How many were answered with a reply.
    pub replies: usize,
    /// How long each successful one took.
    pub times: Vec<Timing>,
}

/// How many failures are remembered.
const FAILURES: usize = 8;

impl ExchangeLog {
    /// A log that has the tokens of every reply paid from this budget.
    pub fn charging(budget: Arc<Budget>) -> Self {
        Self { budget: Some(budget), ..Self::default() }
    }

    pub(super) fn push(&self, exchange: RecordedExchange, answer: &Answer) {
        if let (Some(budget), Some(tokens)) = (&self.budget, tokens_of(answer))
            && !exchange.is_recalled()
        {
            budget.charge(tokens);
        }
        let mut logged = self.logged();
        if exchange.response().is_ok_and(Response::is_success) {
            logged.times.push(exchange.timing);
        }
        let is_reply = matches!(answer, Answer::Reply(_) | Answer::CutShort(_));
        logged.replies += usize::from(is_reply);
        if !exchange.is_kept() {
            logged.exchanges.push(exchange);
            return;
        }
        logged.kept.push(exchange.digest().clone());
        if !is_reply && logged.failures.len() < FAILURES {
            logged.failures.push(exchange);
        }
    }

    /// Takes what was remembered so far.
    pub fn take(&self) -> Logged {
        std::mem::take(&mut *self.logged())
    }

    fn logged(&self) -> MutexGuard<'_, Logged> {
        self.logged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tokens that the endpoint counted. A reply that was cut short has to be paid too.
fn tokens_of(answer: &Answer) -> Option<TokenCount> {
    match answer {
        Answer::Reply(reply) | Answer::CutShort(reply) => Some(TokenCount {
            prompt: reply.usage.input.unwrap_or(0),
            completion: reply.usage.output.unwrap_or(0),
        }),
        Answer::Refused(_) | Answer::OutputRejected(_) | Answer::Nothing(_) => None,
    }
}
