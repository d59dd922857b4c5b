//! Exchange log: what was sent and received.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Answer;
use crate::ir::Digest;
use crate::transport::{RecordedExchange, Response, Timing};

/// Every exchange of a run, in the order they ended. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ExchangeLog(Arc<Mutex<Logged>>);

/// What is remembered of exchanges. One that a journal keeps leaves the memory when it is over.
#[derive(Debug, Clone, Default)]
pub struct Logged {
    /// Those that no journal keeps, as far as memory goes.
    pub exchanges: Vec<RecordedExchange>,
    /// About as many bytes as these have.
    size: usize,
    /// The addresses of those that one keeps.
    pub kept: Vec<Digest>,
    /// The first kept exchange that was not answered with a reply.
    pub failures: Vec<RecordedExchange>,
    /// How many were answered with a reply.
    pub replies: usize,
    /// How long each successful one took.
    pub times: Vec<Timing>,
}

/// How many bytes of exchanges are remembered that no journal keeps. What comes then is judged and
/// forgotten.
const REMEMBERED: usize = 32 << 20;

/// How many failures are remembered.
const FAILURES: usize = 8;

impl ExchangeLog {
    pub(super) fn push(&self, exchange: RecordedExchange, answer: &Answer) {
        let mut logged = self.lock();
        if exchange.response().is_ok_and(Response::is_success) {
            logged.times.push(exchange.timing);
        }
        let is_reply = matches!(answer, Answer::Reply(_) | Answer::CutShort(_));
        logged.replies += usize::from(is_reply);
        if !exchange.is_kept() {
            logged.size = logged.size.saturating_add(exchange.size());
            if logged.size <= REMEMBERED {
                logged.exchanges.push(exchange);
            }
            return;
        }
        logged.kept.push(exchange.digest().clone());
        if !is_reply && logged.failures.len() < FAILURES {
            logged.failures.push(exchange.shorten());
        }
    }

    /// Takes what was remembered so far.
    pub fn take(&self) -> Logged {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Logged> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
