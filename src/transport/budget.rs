//! Budget: how many requests and tokens a run may spend, and how many it has spent.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::error::TransportError;
use super::journal::{Journal, Spent};

/// What a run may spend over all its endpoints, and what was spent: every attempt counts as a
/// request, and tokens count as endpoints tell them.
#[derive(Debug)]
pub struct Budget {
    requests: u64,
    tokens: u64,
    spent: AtomicU64,
    prompt: AtomicU64,
    completion: AtomicU64,
    /// The budget that this one is a share of.
    whole: Option<Arc<Budget>>,
    /// Where what is spent is noted.
    journal: OnceLock<Arc<dyn Journal>>,
}

/// Tokens as endpoints count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCount {
    /// Tokens of prompts.
    pub prompt: u64,
    /// Tokens of replies.
    pub completion: u64,
}

impl TokenCount {
    /// Prompts and replies together.
    pub fn total(self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }
}

impl Budget {
    /// A budget of this many requests and this many tokens.
    pub fn new(requests: u64, tokens: u64) -> Self {
        Self {
            requests,
            tokens,
            spent: AtomicU64::new(0),
            prompt: AtomicU64::new(0),
            completion: AtomicU64::new(0),
            whole: None,
            journal: OnceLock::new(),
        }
    }

    /// No bound; what is spent is still counted.
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, u64::MAX)
    }

    /// Counts what one endpoint spends of a budget that it shares with others.
    pub fn share_of(whole: &Arc<Self>) -> Self {
        Self { whole: Some(Arc::clone(whole)), ..Self::unlimited() }
    }

    /// Notes everything that is spent from now on in this journal, unless there is one already.
    pub fn note_in(&self, journal: Arc<dyn Journal>) {
        let _ = self.journal.set(journal);
    }

    /// Counts what was spent before: by a process that was broken off.
    pub fn count_earlier(&self, spent: Spent) {
        self.spent.fetch_add(spent.requests, Ordering::Relaxed);
        self.prompt.fetch_add(spent.prompt_tokens, Ordering::Relaxed);
        self.completion.fetch_add(spent.completion_tokens, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.count_earlier(spent);
        }
    }

    /// How many requests were sent.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// How many tokens were counted.
    pub fn tokens(&self) -> TokenCount {
        TokenCount {
            prompt: self.prompt.load(Ordering::Relaxed),
            completion: self.completion.load(Ordering::Relaxed),
        }
    }

    /// Counts the tokens of a reply. They are known only afterwards, so the requests that are under
    /// way when the last token is spent still count.
    pub fn charge(&self, tokens: TokenCount) {
        for (counter, more) in
            [(&self.prompt, tokens.prompt), (&self.completion, tokens.completion)]
        {
            let add = |counted: u64| Some(counted.saturating_add(more));
            // It always gives a number, so there is no error to meet.
            let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
        if let Some(whole) = &self.whole {
            whole.charge(tokens);
        }
        if let Some(journal) = self.journal.get() {
            journal.charge(tokens);
        }
    }

    /// Takes one request out of the budget, and notes it before it is sent.
    pub(super) fn spend(&self) -> Result<(), TransportError> {
        if self.tokens != u64::MAX && self.tokens().total() >= self.tokens {
            return Err(TransportError::TokenBudget { limit: self.tokens });
        }
        if let Some(whole) = &self.whole {
            whole.spend()?;
        }
        let next = |spent| (spent < self.requests).then_some(spent + 1);
        self.spent
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
            .map_err(|_| TransportError::Budget { limit: self.requests })?;
        self.journal.get().map_or(Ok(()), |journal| journal.reserve())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_once() {
        let budget = Budget::new(2, u64::MAX);
        assert_eq!((budget.spend(), budget.spend()), (Ok(()), Ok(())));
        assert_eq!(budget.spend(), Err(TransportError::Budget { limit: 2 }));
        assert_eq!(budget.spent(), 2);
    }

    #[test]
    fn shares_count_for_themselves_and_are_stopped_together() {
        let whole = Arc::new(Budget::new(3, u64::MAX));
        let (one, other) = (Budget::share_of(&whole), Budget::share_of(&whole));
        assert_eq!((one.spend(), one.spend(), other.spend()), (Ok(()), Ok(()), Ok(())));
        assert_eq!(other.spend(), Err(TransportError::Budget { limit: 3 }));
        assert_eq!((one.spent(), other.spent(), whole.spent()), (2, 1, 3));
    }

    #[test]
    fn nothing_is_sent_once_the_tokens_are_used_up() {
        let whole = Arc::new(Budget::new(u64::MAX, 100));
        let share = Budget::share_of(&whole);
        share.charge(TokenCount { prompt: 60, completion: 39 });
        assert_eq!(share.spend(), Ok(()));
        share.charge(TokenCount { prompt: 0, completion: 1 });
        assert_eq!(share.spend(), Err(TransportError::TokenBudget { limit: 100 }));
        assert_eq!(whole.tokens(), TokenCount { prompt: 60, completion: 40 });
    }

    #[test]
    fn an_absurd_count_ends_no_run_without_a_budget() {
        let budget = Budget::unlimited();
        for _ in 0..2 {
            budget.charge(TokenCount { prompt: u64::MAX, completion: u64::MAX });
            assert_eq!(budget.spend(), Ok(()));
        }
        assert_eq!(budget.tokens().prompt, u64::MAX);
    }
}
