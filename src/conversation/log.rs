//! Exchange log: what was sent and received, and the tokens it cost.

use std::sync::{Arc, Mutex, PoisonError};

use super::Answer;
use crate::transport::{Budget, RecordedExchange, TokenCount};

/// Every exchange of a run, in the order they ended. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ExchangeLog {
    exchanges: Arc<Mutex<Vec<RecordedExchange>>>,
    budget: Option<Arc<Budget>>,
}

impl ExchangeLog {
    /// A log that has the tokens of every reply paid from this budget.
    pub fn charging(budget: Arc<Budget>) -> Self {
        Self { budget: Some(budget), ..Self::default() }
    }

    pub(super) fn push(&self, exchange: RecordedExchange, answer: &Answer) {
        if let (Some(budget), Some(tokens)) = (&self.budget, tokens_of(answer)) {
            budget.charge(tokens);
        }
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    }

    /// Takes what was kept so far.
    pub fn take(&self) -> Vec<RecordedExchange> {
        std::mem::take(&mut *self.exchanges.lock().unwrap_or_else(PoisonError::into_inner))
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
