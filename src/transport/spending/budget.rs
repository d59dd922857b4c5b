//! Budget: what a run may spend, what is reserved for requests that are under way, and what was spent.
//!
//! A request reserves the most that it can cost before it is sent, and is charged what it did cost when
//! it is over: so no number of requests at the same time exceeds a budget.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;

use super::super::error::TransportError;
use super::super::journal::{Journal, Spent};
use super::money::{Money, Price};
use super::payment::Payment;

/// What a run may spend; `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BudgetLimits {
    /// Requests, retries included.
    pub requests: Option<u64>,
    /// Tokens of prompts and replies together.
    pub tokens: Option<u64>,
    /// Money, by the prices of the models.
    pub cost: Option<Money>,
}

/// What a run may spend over all its endpoints, and what was spent.
#[derive(Debug, Default)]
pub struct Budget {
    limits: BudgetLimits,
    price: Option<Price>,
    account: Mutex<Account>,
    /// Woken when something that was reserved is given back.
    freed: Notify,
    /// The budget that this one is a share of.
    whole: Option<Arc<Budget>>,
    /// Where what is spent is noted.
    journal: OnceLock<Arc<dyn Journal>>,
    /// Whether a request was not sent because too little was left.
    refused: AtomicBool,
}

/// Tokens of prompts and replies.
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

    pub(in crate::transport) fn plus(self, other: Self) -> Self {
        self.merge(other, u64::saturating_add)
    }

    fn minus(self, other: Self) -> Self {
        self.merge(other, u64::saturating_sub)
    }

    fn merge(self, other: Self, merge: fn(u64, u64) -> u64) -> Self {
        Self {
            prompt: merge(self.prompt, other.prompt),
            completion: merge(self.completion, other.completion),
        }
    }
}

/// Tokens and what they cost.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    tokens: TokenCount,
    cost: Money,
}

impl Amount {
    fn plus(self, other: Self) -> Self {
        Self { tokens: self.tokens.plus(other.tokens), cost: self.cost.plus(other.cost) }
    }

    fn minus(self, other: Self) -> Self {
        Self { tokens: self.tokens.minus(other.tokens), cost: self.cost.minus(other.cost) }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Account {
    requests: u64,
    used: Amount,
    /// What requests that are under way can cost at most.
    reserved: Amount,
    /// By how much replies cost more than their requests can by themselves: a gateway that adds a
    /// prompt of its own does that every time.
    excess: TokenCount,
}

/// Why something cannot be reserved.
enum Shortage {
    /// What is reserved for others stands against it, and may be given back.
    ForNow,
    /// It does not fit into what is left.
    ForGood(TransportError),
}

impl Account {
    fn reserve(&mut self, most: Amount) {
        self.requests = self.requests.saturating_add(1);
        self.reserved = self.reserved.plus(most);
    }

    fn learn_excess(&mut self, most: TokenCount, used: TokenCount) {
        // What was reserved holds the excess that was known by then.
        self.excess = self.excess.plus(used.minus(most));
    }

    fn check(&self, limits: &BudgetLimits, most: Amount) -> Result<(), Shortage> {
        let for_good = |error| Err(Shortage::ForGood(error));
        if let Some(limit) = limits.requests.filter(|limit| self.requests >= *limit) {
            return for_good(TransportError::Budget { limit });
        }
        let used = self.used.plus(most);
        let reserved = used.plus(self.reserved);
        if let Some(limit) = limits.tokens {
            if used.tokens.total() > limit {
                let most = most.tokens.total();
                return for_good(TransportError::TokenBudget { limit, most });
            }
            if reserved.tokens.total() > limit {
                return Err(Shortage::ForNow);
            }
        }
        if let Some(limit) = limits.cost {
            if used.cost > limit {
                let (limit, most) = (limit.to_string(), most.cost.to_string());
                return for_good(TransportError::CostBudget { limit, most });
            }
            if reserved.cost > limit {
                return Err(Shortage::ForNow);
            }
        }
        Ok(())
    }
}

impl Budget {
    /// A budget within these limits.
    pub fn new(limits: BudgetLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// No bound; what is spent is still counted.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Counts what one endpoint spends of a budget that it shares with others, at the price of its
    /// model where that is known.
    pub fn share_of(whole: &Arc<Self>, price: Option<Price>) -> Self {
        Self { whole: Some(Arc::clone(whole)), price, ..Self::default() }
    }

    /// What may be spent.
    pub fn limits(&self) -> BudgetLimits {
        self.limits
    }

    /// Notes everything that is spent from now on in this journal, unless there is one already.
    pub fn note_in(&self, journal: Arc<dyn Journal>) {
        let _ = self.journal.set(journal);
    }

    /// Counts what was spent before: by a process that was broken off.
    pub fn count_earlier(&self, spent: Spent) {
        let earlier = self.amount(spent.tokens());
        for budget in self.with_parent() {
            let mut account = budget.account();
            account.requests = account.requests.saturating_add(spent.requests);
            account.used = account.used.plus(earlier);
        }
    }

    /// Whether a request was not sent because too little was left.
    pub(crate) fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// How many requests were sent.
    pub fn spent(&self) -> u64 {
        self.account().requests
    }

    /// How many tokens were spent.
    pub fn tokens(&self) -> TokenCount {
        self.account().used.tokens
    }

    /// What the tokens cost, as far as prices are known.
    pub fn cost(&self) -> Money {
        self.account().used.cost
    }

    /// Takes one request out of the budget and reserves the most that it can cost, noted before it is
    /// sent. Waits where requests that are under way may give back what is missing.
    pub(in crate::transport) async fn reserve(
        self: &Arc<Self>,
        most: TokenCount,
    ) -> Result<Payment, TransportError> {
        let most = most.plus(self.account().excess);
        let whole = self.whole.as_ref().unwrap_or(self);
        loop {
            // Made before the look, so that nothing is given back unnoticed in between.
            let freed = whole.freed.notified();
            match whole.try_reserve(self.amount(most)) {
                Ok(()) => break,
                Err(Shortage::ForGood(error)) => {
                    whole.refused.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                Err(Shortage::ForNow) => freed.await,
            }
        }
        if self.whole.is_some() {
            self.account().reserve(self.amount(most));
        }
        let payment = Payment::new(Arc::clone(self), most);
        match self.journal.get().map_or(Ok(()), |journal| journal.reserve(most)) {
            Ok(()) => Ok(payment),
            Err(error) => {
                payment.settle(TokenCount::default());
                Err(error)
            }
        }
    }

    /// Charges what a request did cost, and gives the rest of what it had reserved back.
    pub(in crate::transport) fn settle(&self, most: TokenCount, used: TokenCount) {
        self.account().learn_excess(most, used);
        for budget in self.with_parent() {
            let mut account = budget.account();
            account.reserved = account.reserved.minus(self.amount(most));
            account.used = account.used.plus(self.amount(used));
            drop(account);
            budget.freed.notify_waiters();
        }
        if let Some(journal) = self.journal.get() {
            journal.settle(most, used);
        }
    }

    fn try_reserve(&self, most: Amount) -> Result<(), Shortage> {
        let mut account = self.account();
        account.check(&self.limits, most)?;
        account.reserve(most);
        Ok(())
    }

    /// This budget, and the one that it is a share of.
    fn with_parent(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.whole.as_deref())
    }

    fn amount(&self, tokens: TokenCount) -> Amount {
        Amount { tokens, cost: self.price.map_or(Money::default(), |price| price.of(tokens)) }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn tokens(prompt: u64, completion: u64) -> TokenCount {
        TokenCount { prompt, completion }
    }

    fn limited(requests: Option<u64>, tokens: Option<u64>) -> Arc<Budget> {
        Arc::new(Budget::new(BudgetLimits { requests, tokens, cost: None }))
    }

    fn share(whole: &Arc<Budget>) -> Arc<Budget> {
        Arc::new(Budget::share_of(whole, None))
    }

    /// Reserves without waiting; `None` where it would have to.
    fn reserve(budget: &Arc<Budget>, most: TokenCount) -> Option<Result<Payment, TransportError>> {
        budget.reserve(most).now_or_never()
    }

    fn refusal(budget: &Arc<Budget>, most: TokenCount) -> TransportError {
        reserve(budget, most).unwrap().unwrap_err()
    }

    #[test]
    fn shares_count_for_themselves_and_are_stopped_together() {
        let whole = limited(Some(3), None);
        let (one, other) = (share(&whole), share(&whole));
        for budget in [&one, &one, &other] {
            assert!(reserve(budget, tokens(0, 0)).unwrap().is_ok());
        }
        assert_eq!(refusal(&other, tokens(0, 0)), TransportError::Budget { limit: 3 });
        assert_eq!((one.spent(), other.spent(), whole.spent()), (2, 1, 3));
    }

    #[test]
    fn a_request_reserves_what_it_can_cost_and_waits_for_what_others_may_give_back() {
        let whole = limited(None, Some(100));
        let (one, other) = (share(&whole), share(&whole));
        let first = reserve(&one, tokens(20, 40)).unwrap().unwrap();
        assert!(reserve(&other, tokens(20, 40)).is_none(), "60 of 100 are reserved");
        let waiting = other.reserve(tokens(20, 40));
        first.settle(tokens(20, 5));
        let second = waiting.now_or_never().unwrap().unwrap();
        assert_eq!(whole.tokens(), tokens(20, 5));
        second.settle(tokens(20, 40));
        let error = refusal(&one, tokens(10, 10));
        assert_eq!(error, TransportError::TokenBudget { limit: 100, most: 20 });
        assert_eq!((one.tokens(), other.tokens()), (tokens(20, 5), tokens(20, 40)));
    }

    #[tokio::test]
    async fn whoever_waits_is_woken_when_something_is_given_back() {
        let budget = limited(None, Some(100));
        let first = budget.reserve(tokens(0, 90)).await.unwrap();
        let (waiting, ()) = tokio::join!(budget.reserve(tokens(0, 90)), async {
            tokio::task::yield_now().await;
            first.settle(tokens(0, 1));
        });
        assert!(waiting.is_ok());
    }

    #[test]
    fn what_is_never_settled_is_charged_in_full() {
        let budget = limited(None, Some(100));
        drop(reserve(&budget, tokens(20, 40)).unwrap().unwrap());
        assert_eq!(budget.tokens(), tokens(20, 40));
    }

    #[test]
    fn money_is_counted_at_the_price_of_each_share() {
        let cost = Money::of_units(1.0);
        let whole = Arc::new(Budget::new(BudgetLimits { cost, ..BudgetLimits::default() }));
        let priced = |prompt, completion| {
            let price = Price::per_million(prompt, completion);
            Arc::new(Budget::share_of(&whole, price))
        };
        let (cheap, dear) = (priced(1.0, 1.0), priced(10.0, 100.0));
        let paid = reserve(&cheap, tokens(100_000, 100_000)).unwrap().unwrap();
        paid.settle(tokens(100_000, 0));
        assert_eq!(whole.cost(), Money::of_units(0.1).unwrap());
        let error = refusal(&dear, tokens(0, 9_001));
        assert_eq!(
            error.to_string(),
            TransportError::CostBudget { limit: "1.00".to_owned(), most: "0.9001".to_owned() }
                .to_string()
        );
        assert!(reserve(&dear, tokens(0, 9_000)).unwrap().is_ok());
    }

    #[test]
    fn an_endpoint_that_costs_more_than_its_requests_is_reserved_more_from_then_on() {
        let budget = limited(None, Some(1_000));
        reserve(&budget, tokens(10, 10)).unwrap().unwrap().settle(tokens(310, 10));
        let error = refusal(&budget, tokens(10, 690));
        assert_eq!(error, TransportError::TokenBudget { limit: 1_000, most: 1_000 });
    }

    #[test]
    fn an_absurd_count_ends_no_run_without_a_budget() {
        let budget = limited(None, None);
        for _ in 0..2 {
            let payment = reserve(&budget, tokens(1, 1)).unwrap().unwrap();
            payment.settle(tokens(u64::MAX, u64::MAX));
        }
        assert_eq!(budget.tokens().prompt, u64::MAX);
    }

    #[test]
    fn what_was_spent_before_counts() {
        let whole = limited(Some(5), Some(100));
        let spent = Spent { requests: 4, prompt_tokens: 50, completion_tokens: 40 };
        share(&whole).count_earlier(spent);
        let budget = share(&whole);
        let error = refusal(&budget, tokens(5, 6));
        assert_eq!(error, TransportError::TokenBudget { limit: 100, most: 11 });
        assert!(reserve(&budget, tokens(5, 5)).unwrap().is_ok());
        assert_eq!(refusal(&budget, tokens(0, 0)), TransportError::Budget { limit: 5 });
    }
}
