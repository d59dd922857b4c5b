//! Retries: a transport that keeps to an endpoint's limits and sends again what may succeed.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::time::sleep;

use super::admission::{Admission, Limiter, SharedLimits};
use super::call::{HttpCall, SentRequest};
use super::error::TransportError;
use super::exchange::{Exchange, HttpAttempt, HttpOutcome, Timing};
use super::health::Health;

use super::retry::{
    EndpointLoad, Judgement, RetryDecision, RetryFacts, RetryPolicy, RetryProgress, decide,
};
use super::send_gate::SendGate;
use super::spending::{Budget, Payment, PaymentSlot};
use super::{Judge, Transport};

/// How an endpoint is asked.
#[derive(Debug)]
pub struct RetrySettings {
    /// When to send a request again.
    pub policy: RetryPolicy,
    /// How many requests at the same time and per minute, over all that are sent to the endpoint.
    pub limits: SharedLimits,
    /// What the whole run may spend; shared by its endpoints.
    pub budget: Arc<Budget>,
    /// Where requests are refused once the run is to come to an end.
    pub gate: SendGate,
    /// Gives numbers in `0..1` that keep clients from retrying in step.
    pub jitter: fn() -> f64,
    /// The wall clock, for waits that a server gives as a date.
    pub clock: fn() -> DateTime<Utc>,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            policy: RetryPolicy::default(),
            limits: SharedLimits::default(),
            budget: Arc::new(Budget::unlimited()),
            gate: SendGate::default(),
            jitter: random_fraction,
            clock: Utc::now,
        }
    }
}

/// A number in `0..1` that differs between calls and processes.
fn random_fraction() -> f64 {
    let random = u32::try_from(RandomState::new().hash_one(()) >> 32).unwrap_or_default();
    f64::from(random) / (f64::from(u32::MAX) + 1.0)
}

/// Keeps to an endpoint's limits and sends again what may succeed.
///
/// One per endpoint, because each has limits of its own. The record of an exchange is that of its
/// last attempt, with the ends of all attempts listed.
#[derive(Debug)]
pub struct Retrying<T> {
    inner: T,
    policy: RetryPolicy,
    limiter: Limiter,
    budget: Arc<Budget>,
    gate: SendGate,
    health: Health,
    jitter: fn() -> f64,
    clock: fn() -> DateTime<Utc>,
}

impl<T: Transport> Retrying<T> {
    /// Asks the endpoint behind `inner` with these settings.
    pub fn new(inner: T, settings: RetrySettings) -> Self {
        let RetrySettings { policy, limits, budget, gate, jitter, clock } = settings;
        let (limiter, health) = (Limiter::new(&limits), Health::default());
        Self { inner, policy, limiter, budget, gate, health, jitter, clock }
    }

    async fn send_until_settled(&self, call: &HttpCall, judge: Judge<'_>) -> Exchange {
        let (mut progress, mut attempts, mut wait) =
            (RetryProgress::default(), Vec::new(), Duration::ZERO);
        let mut admission = self.gate.unless_refused(self.limiter.admit(call.turns)).await;
        loop {
            let held = match admission {
                Ok(admission) => admission,
                Err(error) => return self.unsent(call, error),
            };
            let exchange = self.attempt(call, judge).await;
            add_attempts(&mut attempts, &exchange, wait);
            let judgement = exchange.response().map_or(Judgement::ByStatus, judge);
            let facts = RetryFacts::of(&exchange.outcome, judgement, (self.clock)());
            match facts.load {
                // "Again now" is not "slower".
                EndpointLoad::Refused if facts.asked == Some(Duration::ZERO) => {}
                EndpointLoad::Refused => held.slow_down(),
                EndpointLoad::Taken => held.speed_up(),
                EndpointLoad::Unknown => {}
            }
            match decide(progress, facts, &self.policy, (self.jitter)()) {
                RetryDecision::Stop => {
                    self.health.count(call, &exchange, judgement);
                    return Exchange { attempts, ..exchange };
                }
                RetryDecision::Retry { after, progress: next } => (progress, wait) = (next, after),
            }
            // Whoever waits keeps neither room in memory nor anything of the budget from others.
            drop(exchange);
            if facts.asked.is_some() {
                self.limiter.hold(wait);
            }
            admission = self.gate.unless_refused(self.wait(call, wait, held)).await;
        }
    }

    /// Waits before another attempt. Other requests may be sent meanwhile, unless the endpoint may be
    /// dead: then they wait for the result, so that not all of them fail in the same way.
    async fn wait(&self, call: &HttpCall, wait: Duration, admission: Admission) -> Admission {
        if self.health.count_attempt(call) {
            return self.limiter.admit_again(admission, wait).await;
        }
        drop(admission);
        sleep(wait).await;
        self.limiter.admit(call.turns).await
    }

    /// One attempt, paid from the budget, unless the endpoint was given up.
    async fn attempt(&self, call: &HttpCall, judge: Judge<'_>) -> Exchange {
        let mut payment = match self.pay(call).await {
            Ok(payment) => payment,
            Err(error) => return self.unsent(call, error),
        };
        let exchange = self.inner.send(call, judge).await;
        payment.ended(&exchange.outcome);
        Exchange { payment: PaymentSlot(Some(Arc::new(payment))), ..exchange }
    }

    async fn pay(&self, call: &HttpCall) -> Result<Payment, TransportError> {
        self.health.given_up(call).map_or(Ok(()), Err)?;
        self.budget.reserve(call.most).await
    }

    fn unsent(&self, call: &HttpCall, error: TransportError) -> Exchange {
        let outcome = HttpOutcome::Failed { error, partial: None };
        Exchange::single(self.inner.redact(call), outcome, Timing::default())
    }
}

/// Adds the attempts of the transport inside; the wait came before the first of them.
fn add_attempts(attempts: &mut Vec<HttpAttempt>, exchange: &Exchange, mut waited: Duration) {
    for HttpAttempt { end, waited_ms } in &exchange.attempts {
        let outer_ms = u64::try_from(std::mem::take(&mut waited).as_millis()).unwrap_or(u64::MAX);
        let waited_ms = waited_ms.saturating_add(outer_ms);
        attempts.push(HttpAttempt { end: end.clone(), waited_ms });
    }
}

impl<T: Transport> Transport for Retrying<T> {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        self.inner.redact(call)
    }

    fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        self.send_until_settled(call, judge).boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::num::NonZeroUsize;
    use std::sync::Mutex;

    use tokio::time::Instant;

    use super::super::admission::EndpointLimits;
    use super::super::by_status;
    use super::super::error::CloseStage;
    use super::super::exchange::{AttemptEnd, Body, Response};
    use super::super::spending::BudgetLimits;
    use super::*;
    use crate::secret::Scrubber;

    /// Gives prepared outcomes in turn.
    struct Prepared(Mutex<VecDeque<HttpOutcome>>);

    impl Transport for Prepared {
        fn redact(&self, call: &HttpCall) -> SentRequest {
            SentRequest::redacted(call, &Scrubber::default())
        }

        fn send<'a>(&'a self, call: &'a HttpCall, _: Judge<'a>) -> BoxFuture<'a, Exchange> {
            let outcome = self.0.lock().unwrap().pop_front().expect("no further attempt");
            let exchange = Exchange::single(self.redact(call), outcome, Timing::default());
            std::future::ready(exchange).boxed()
        }
    }

    fn status(status: u16, headers: &[(&str, &str)]) -> HttpOutcome {
        let header = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers = headers.iter().map(header).collect();
        HttpOutcome::Answered(Response { status, headers, body: Body::Whole(String::new()) })
    }

    fn settings() -> RetrySettings {
        RetrySettings { jitter: || 0.5, ..RetrySettings::default() }
    }

    async fn send(outcomes: &[HttpOutcome], settings: RetrySettings, judge: Judge<'_>) -> Exchange {
        let prepared = Prepared(Mutex::new(outcomes.iter().cloned().collect()));
        let call = HttpCall::get("http://127.0.0.1:1/".parse().unwrap());
        let exchange = Retrying::new(&prepared, settings).send(&call, judge).await;
        assert!(prepared.0.lock().unwrap().is_empty(), "attempts were left");
        exchange
    }

    impl Transport for &Prepared {
        fn redact(&self, call: &HttpCall) -> SentRequest {
            (*self).redact(call)
        }

        fn send<'a>(&'a self, call: &'a HttpCall, judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
            (*self).send(call, judge)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_is_refused_when_nothing_more_is_sent_and_pays_nothing() {
        let gate = SendGate::default();
        let budget = Arc::new(Budget::unlimited());
        let settings =
            RetrySettings { gate: gate.clone(), budget: Arc::clone(&budget), ..settings() };
        let busy = [status(429, &[("retry-after", "20")])];
        let (refused, ()) = tokio::join!(send(&busy, settings, &by_status), async {
            sleep(Duration::from_secs(5)).await;
            gate.refuse();
        });
        assert_eq!(refused.response(), Err(&TransportError::Stopped));
        assert_eq!(budget.spent(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_limit_that_passes_leaves_its_mark_in_the_attempts_only() {
        let begin = Instant::now();
        let outcomes = [status(429, &[("retry-after", "3")]), status(200, &[])];
        let exchange = send(&outcomes, settings(), &by_status).await;
        assert_eq!(exchange.response().unwrap().status, 200);
        let attempts = [(429, 0), (200, 3000)]
            .map(|(status, waited_ms)| HttpAttempt { end: AttemptEnd::Status(status), waited_ms });
        assert_eq!(exchange.attempts, attempts);
        assert_eq!(begin.elapsed(), Duration::from_secs(3));
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_end_and_the_last_outcome_stands() {
        let outcomes = [500, 502, 503, 500].map(|code| status(code, &[]));
        let exchange = send(&outcomes, settings(), &by_status).await;
        assert_eq!(exchange.response().unwrap().status, 500);
        assert_eq!(exchange.attempts.len(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn the_judge_may_ask_for_another_attempt_of_a_good_status() {
        let judge = |response: &Response| match response.header("server") {
            Some("cut") => Judgement::Transient,
            _ => Judgement::ByStatus,
        };
        let outcomes = [status(200, &[("server", "cut")]), status(200, &[])];
        assert_eq!(send(&outcomes, settings(), &judge).await.attempts.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stale_connection_does_not_count_as_an_attempt() {
        let stage = CloseStage::BeforeReplyReused;
        let error = TransportError::Closed { stage, detail: "closed".into() };
        let outcomes = [HttpOutcome::Failed { error, partial: None }, status(200, &[])];
        let settings = RetrySettings {
            policy: RetryPolicy { max_attempts: 1, ..RetryPolicy::default() },
            ..settings()
        };
        assert!(send(&outcomes, settings, &by_status).await.response().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn every_attempt_is_paid_from_the_budget() {
        let budget =
            Arc::new(Budget::new(BudgetLimits { requests: Some(2), ..BudgetLimits::default() }));
        let settings = RetrySettings { budget: Arc::clone(&budget), ..settings() };
        let outcomes = [500, 500].map(|code| status(code, &[]));
        let exchange = send(&outcomes, settings, &by_status).await;
        assert_eq!(exchange.response(), Err(&TransportError::Budget { limit: 2 }));
        assert_eq!(exchange.attempts.len(), 3);
        assert_eq!(budget.spent(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_path_that_is_missing_says_nothing_of_the_others() {
        let prepared = Prepared(Mutex::new([404, 200].map(|code| status(code, &[])).into()));
        let endpoint = Retrying::new(&prepared, settings());
        let mut statuses = Vec::new();
        for path in ["missing", "missing?again", "there"] {
            let call = HttpCall::get(format!("http://127.0.0.1:1/{path}").parse().unwrap());
            let exchange = endpoint.send(&call, &by_status).await;
            statuses.push(exchange.response().ok().map(|response| response.status));
        }
        assert_eq!(statuses, [Some(404), None, Some(200)]);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_else_runs_into_trouble_that_may_be_there_to_stay() {
        let prepared = Prepared(Mutex::new([503; 4].map(|code| status(code, &[])).into()));
        let limits = EndpointLimits { concurrency: Some(NonZeroUsize::MIN), per_minute: None };
        let limits = SharedLimits::from(limits);
        let endpoint = Retrying::new(&prepared, RetrySettings { limits, ..settings() });
        let call = HttpCall::get("http://127.0.0.1:1/".parse().unwrap());
        let many = (0..20).map(|_| endpoint.send(&call, &by_status));
        let exchanges = futures_util::future::join_all(many).await;
        assert!(
            exchanges.iter().all(|exchange| !exchange.response().is_ok_and(Response::is_success))
        );
    }

    #[test]
    fn jitter_differs_and_stays_in_range() {
        let numbers: Vec<f64> = (0..100).map(|_| random_fraction()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        assert!(numbers.windows(2).any(|pair| pair[0] < pair[1]));
    }
}
