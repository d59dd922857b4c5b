//! The cost of probing: foreseen, of one target, and of a whole run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::RunSettings;
use crate::probe::{Estimate, Load, estimate};
use crate::profile::UnitCost;
use crate::store::{Percentiles, TargetCost, Totals};
use crate::target::{ADDRESS, Target, questions};
use crate::telemetry::TurnEvent;
use crate::transport::{Budget, Timing};

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

    pub(super) fn totals(&self) -> Totals {
        let tokens = self.budget.tokens();
        Totals {
            requests: self.budget.spent(),
            prompt_tokens: tokens.prompt,
            completion_tokens: tokens.completion,
            wall_ms: millis(self.began.elapsed()).saturating_add(self.earlier_ms),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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
    let spent = |turn: &TurnEvent| Some(turn.prompt_tokens? + turn.completion_tokens.unwrap_or(0));
    let spent: Vec<u64> = turns.iter().filter_map(spent).filter(|tokens| *tokens > 0).collect();
    let count = u64::try_from(spent.len()).unwrap_or(u64::MAX);
    let median = || Percentiles::of(times.iter().map(|it| it.total_ms).collect());
    let is_simulated = target.endpoint.alias.as_deref() == Some(ADDRESS);
    UnitCost {
        tokens_per_turn: (spent.iter().sum::<u64>() + count / 2).checked_div(count),
        median_latency_ms: if is_simulated { None } else { median().map(|it| it.p50) },
    }
}
