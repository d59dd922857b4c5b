//! Journal: every attempt is noted before it is sent, every exchange is kept when it is over, and what
//! an earlier process kept is not asked again.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::apart::apart_if_long;
use super::call::{HttpCall, SentRequest};
use super::error::TransportError;
use super::exchange::{Exchange, Response};
use super::health::is_answer;
use super::retry::Judgement;
use super::spending::TokenCount;
use super::{Judge, Transport};

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Requests sent, retries among them.
    pub requests: u64,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of replies.
    pub completion_tokens: u64,
}

impl Spent {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
        }
    }

    /// The tokens alone.
    pub fn tokens(self) -> TokenCount {
        TokenCount { prompt: self.prompt_tokens, completion: self.completion_tokens }
    }

    /// The same without the tokens of the other. Requests stay: one that was sent was sent.
    #[must_use]
    pub fn without(self, other: TokenCount) -> Self {
        Self {
            prompt_tokens: self.prompt_tokens.saturating_sub(other.prompt),
            completion_tokens: self.completion_tokens.saturating_sub(other.completion),
            ..self
        }
    }
}

impl From<TokenCount> for Spent {
    fn from(tokens: TokenCount) -> Self {
        let TokenCount { prompt, completion } = tokens;
        Self { requests: 0, prompt_tokens: prompt, completion_tokens: completion }
    }
}

/// Whether an exchange settles its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It was answered, be it with a refusal: a resumed run takes this answer.
    Answered,
    /// It was not: a resumed run asks again.
    Open,
}

/// Keeps what happens with one target. Implemented by the store's files.
///
/// A journal that cannot be written keeps the reason and returns it when it is closed.
pub trait Journal: fmt::Debug + Send + Sync {
    /// Notes that a request is about to be sent, and what it can cost at most. Where this fails,
    /// nothing may be sent.
    fn reserve(&self, most: TokenCount) -> Result<(), TransportError>;

    /// Notes what a request did cost for which this was reserved.
    fn settle(&self, most: TokenCount, used: TokenCount);

    /// Keeps an exchange that is over, and marks it as kept.
    fn keep(&self, exchange: &mut Exchange, standing: Standing);

    /// Whether an earlier process left answers that were not recalled yet.
    fn holds_answers(&self) -> bool;

    /// The next answer to this request that an earlier process kept.
    fn recall(&self, request: &SentRequest) -> Option<Exchange>;
}

/// A transport whose exchanges go through a journal.
pub(crate) struct Journaled {
    inner: Arc<dyn Transport>,
    journal: Arc<dyn Journal>,
}

impl Journaled {
    /// Asks `inner` what the journal does not hold.
    pub(crate) fn new(inner: Arc<dyn Transport>, journal: Arc<dyn Journal>) -> Self {
        Self { inner, journal }
    }

    async fn recall_or_send(&self, call: &HttpCall, judge: Judge<'_>) -> Exchange {
        if self.journal.holds_answers()
            && let Some(known) = self.journal.recall(&self.inner.redact(call))
        {
            return known;
        }
        let last = Mutex::new(Judgement::ByStatus);
        let judge = |response: &Response| {
            let judgement = judge(response);
            *last.lock().unwrap_or_else(PoisonError::into_inner) = judgement;
            judgement
        };
        let mut exchange = self.inner.send(call, &judge).await;
        let judgement = last.into_inner().unwrap_or_else(PoisonError::into_inner);
        let standing = match exchange.response() {
            Ok(response) if is_answer(response, judgement) => Standing::Answered,
            _ => Standing::Open,
        };
        let size = exchange.size();
        let journal = Arc::clone(&self.journal);
        let keep = move || {
            journal.keep(&mut exchange, standing);
            exchange
        };
        apart_if_long(size, keep).await
    }
}

impl Transport for Journaled {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        self.inner.redact(call)
    }

    fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        self.recall_or_send(call, judge).boxed()
    }
}
