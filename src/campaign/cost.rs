//! The cost of probing: foreseen, of one target, and of a whole run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::RunSettings;
use crate::conversation::thinking_budget;
use crate::probe::{Estimate, Load, estimate};
use crate::profile::UnitCost;
use crate::store::{Percentiles, TargetCost, Totals};
use crate::target::{ADDRESS, MAX_TOKENS, Target, questions};
use crate::telemetry::TurnEvent;
use crate::transport::{Budget, Money, RetryPolicy, Timing, TokenCount};

/// Tokens of a question that only finds out the dialect.
const GREETING: u64 = 32;

/// What probing a target will cost, finding out about it included.
pub(crate) fn foreseen(target: &Target, settings: &RunSettings) -> Estimate {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let accesses = count(target.endpoint.accesses.len());
    let greetings = if accesses > 1 { accesses } else { 0 };
    let requests = greetings + count(questions(&target.endpoint));
    // All are asked, and one is likely to answer.
    let likely = Load { requests, tokens: greetings.min(1) * GREETING };
    let most = Load { requests, tokens: greetings * GREETING };
    let thinking = target.endpoint.accesses.iter().find_map(|access| access.thinking.as_ref());
    let manner = settings.suite.manner();
    estimate(&settings.probes(), settings.trials, thinking, manner.mode) + Estimate { likely, most }
}

/// How often one request is sent at most: the attempts of the retry policy, one more on a fresh connection,
/// and all of that again for a stream that was cut short.
fn attempts() -> u64 {
    2 * (u64::from(RetryPolicy::default().max_attempts) + 1)
}

/// Tokens of a prompt for each that is foreseen: what the characters of it can be at most.
const PROMPT_AT_MOST: u64 = 3;

/// Bytes of a body that says nothing: `null`.
const EMPTY_BODY: usize = 4;

/// Replies in the history of a request, on average over the longest conversations.
const REPLIES_IN_HISTORY: u64 = 3;

/// What probing a target can cost at most, every retry that is allowed included, as long as the endpoint
/// keeps to the token limit of each request.
pub(crate) fn bound(target: &Target, settings: &RunSettings) -> Load {
    let most = foreseen(target, settings).most;
    let by_probe = settings.probes().iter().map(|probe| probe.file.max_tokens).max();
    let reply = settings.suite.manner().max_tokens.or(by_probe).unwrap_or(MAX_TOKENS);
    let switches = target.endpoint.accesses.iter().filter_map(|access| access.thinking.as_ref());
    let fields = switches.map(|switch| &switch.on).chain([&target.extra_body]);
    let reply = reply.saturating_add(fields.map(thinking_budget).max().unwrap_or(0));
    let each = TokenCount::at_most(EMPTY_BODY, reply.saturating_mul(1 + REPLIES_IN_HISTORY));
    let prompts = most.tokens.saturating_mul(PROMPT_AT_MOST);
    let once = prompts.saturating_add(most.requests.saturating_mul(each.total()));
    Load { requests: most.requests, tokens: once } * attempts()
}

/// What a run has spent since it began, before it was broken off included.
#[derive(Debug)]
pub(super) struct Spending {
    budget: Arc<Budget>,
    began: Instant,
    /// How long the run took before it was broken off.
    earlier_ms: u64,
}

impl Spending {
    pub(super) fn begin(budget: &Arc<Budget>, earlier_ms: u64) -> Self {
        Self { budget: Arc::clone(budget), began: Instant::now(), earlier_ms }
    }

    /// What keeps a target from being done with: trials of it may not have been asked.
    pub(super) fn shortage(&self) -> Option<String> {
        self.budget
            .has_refused()
            .then(|| "the budget is used up: not every trial was asked".to_owned())
    }

    pub(super) fn totals(&self) -> Totals {
        let tokens = self.budget.tokens();
        Totals {
            requests: self.budget.spent(),
            prompt_tokens: tokens.prompt,
            completion_tokens: tokens.completion,
            wall_ms: millis(self.began.elapsed()).saturating_add(self.earlier_ms),
        }
    }

    /// What the tokens cost, where the prices of models are known.
    pub(super) fn cost(&self) -> Option<f64> {
        let cost = self.budget.cost();
        let is_known = cost > Money::default() || self.budget.limits().cost.is_some();
        is_known.then(|| cost.units())
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How long the probes of a target take, by their ids. Several are asked at the same time.
#[derive(Debug, Default)]
pub(super) struct ProbeTimes(Mutex<BTreeMap<String, ProbeTime>>);

#[derive(Debug, Clone, Copy, Default)]
struct ProbeTime {
    began: Option<Instant>,
    took: Duration,
}

impl ProbeTimes {
    pub(super) fn begin(&self, probe: &str) {
        self.change(probe, |time| time.began = Some(Instant::now()));
    }

    /// Adds what has passed since the beginning: a probe that is asked again takes longer.
    pub(super) fn end(&self, probe: &str) {
        self.change(probe, |time| {
            time.took += time.began.take().map_or(Duration::ZERO, |began| began.elapsed());
        });
    }

    fn change(&self, probe: &str, change: impl FnOnce(&mut ProbeTime)) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(times.entry(probe.to_owned()).or_default());
    }

    pub(super) fn into_millis(self) -> BTreeMap<String, u64> {
        let times = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        times.into_iter().map(|(probe, time)| (probe, millis(time.took))).collect()
    }
}

/// The cost of exchanges that took these times. Requests and tokens are the account's: it also counts what was asked
/// in vain.
pub(super) fn cost(times: &[Timing], account: &Budget, wall: Duration) -> TargetCost {
    let tokens = account.tokens();
    TargetCost {
        requests: account.spent(),
        prompt_tokens: tokens.prompt,
        completion_tokens: tokens.completion,
        wall_ms: millis(wall),
        first_byte_ms: Percentiles::of(times.iter().filter_map(|it| it.first_byte_ms).collect()),
        total_ms: Percentiles::of(times.iter().map(|it| it.total_ms).collect()),
    }
}

/// What a turn cost. Tokens are those of the turns that the metrics are counted on: which others
/// there were besides depends on what was under way when something failed.
pub(super) fn unit_cost(target: &Target, turns: &[TurnEvent], times: &[Timing]) -> UnitCost {
    let spent = |turn: &TurnEvent| {
        Some(turn.prompt_tokens?.saturating_add(turn.completion_tokens.unwrap_or(0)))
    };
    let spent: Vec<u64> = turns.iter().filter_map(spent).filter(|tokens| *tokens > 0).collect();
    let count = u64::try_from(spent.len()).unwrap_or(u64::MAX);
    let median = || Percentiles::of(times.iter().map(|it| it.total_ms).collect());
    let is_simulated = target.endpoint.alias.as_deref() == Some(ADDRESS);
    UnitCost {
        tokens_per_turn: (spent.iter().sum::<u64>() + count / 2).checked_div(count),
        median_latency_ms: if is_simulated { None } else { median().map(|it| it.p50) },
    }
}
