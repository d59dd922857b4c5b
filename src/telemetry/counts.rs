//! Counts over turns, which the metrics are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Metrics, TurnEvent};

/// The counts that the seven metrics are made of. They add up: the counts of two files together are
/// the sum of the counts of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    /// Turns that were answered.
    pub turns: u64,
    /// Replies that attempted a call.
    pub attempts: u64,
    /// Of those, the ones whose every attempt could be read as a call.
    pub parsed: u64,
    /// Calls that were read.
    pub calls: u64,
    /// Of those, the ones of an unknown tool or with arguments that break its schema.
    pub invalid_calls: u64,
    /// Calls and results that did not pair.
    pub closure_errors: u64,
    /// Turns that sent reasoning back, word for word.
    pub replayed_turns: u64,
    /// Of those, the ones refused because of it.
    pub replay_errors: u64,
    /// Turns with several independent calls to make.
    pub parallel_turns: u64,
    /// Of those, the ones that gave fewer calls than that.
    pub downgraded_turns: u64,
    /// Turns that had a tool's error to correct.
    pub repair_turns: u64,
    /// Of those, the ones with a call that then succeeded.
    pub repaired_turns: u64,
    /// Calls, whole or not, that parser, schema or policy kept from running.
    pub blocked: u64,
}

impl Counts {
    /// Counts turns.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a TurnEvent>) -> Self {
        let mut counts = Self::default();
        events.into_iter().for_each(|event| counts.add(event));
        counts
    }

    fn add(&mut self, event: &TurnEvent) {
        self.turns += 1;
        self.attempts += u64::from(event.attempted());
        self.parsed += u64::from(event.attempted() && event.broken_calls == 0);
        self.calls += u64::from(event.calls);
        self.invalid_calls += u64::from(event.invalid_calls);
        self.closure_errors += u64::from(event.closure_errors);
        self.replayed_turns += u64::from(event.replayed_reasoning);
        self.replay_errors += u64::from(event.reasoning_replay_error);
        let fewer = event.wanted_calls.is_some_and(|wanted| event.calls < wanted);
        self.parallel_turns += u64::from(event.wanted_several());
        self.downgraded_turns += u64::from(event.wanted_several() && fewer);
        self.repair_turns += u64::from(event.after_tool_error);
        self.repaired_turns += u64::from(event.after_tool_error && event.succeeded_calls > 0);
        self.blocked += u64::from(event.broken_calls)
            + u64::from(event.invalid_calls)
            + u64::from(event.refused_calls);
    }

    /// The counts of both together.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        Self {
            turns: self.turns + other.turns,
            attempts: self.attempts + other.attempts,
            parsed: self.parsed + other.parsed,
            calls: self.calls + other.calls,
            invalid_calls: self.invalid_calls + other.invalid_calls,
            closure_errors: self.closure_errors + other.closure_errors,
            replayed_turns: self.replayed_turns + other.replayed_turns,
            replay_errors: self.replay_errors + other.replay_errors,
            parallel_turns: self.parallel_turns + other.parallel_turns,
            downgraded_turns: self.downgraded_turns + other.downgraded_turns,
            repair_turns: self.repair_turns + other.repair_turns,
            repaired_turns: self.repaired_turns + other.repaired_turns,
            blocked: self.blocked + other.blocked,
        }
    }

    /// The seven numbers.
    pub fn metrics(self) -> Metrics {
        Metrics::from(self)
    }
}
