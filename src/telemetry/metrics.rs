//! The seven metrics of tool calling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Counts;

/// The seven metrics. Rates have four decimals and are null where there was nothing to count;
/// the rest are counts. Turns that were not answered at all are in none of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Replies that attempted a call and whose every attempt could be read as one, of the replies
    /// that attempted a call.
    pub tool_call_parse_success_rate: Option<f64>,
    /// Calls of an unknown tool or with arguments that break its schema, of the calls that were
    /// read.
    pub schema_validation_failure_rate: Option<f64>,
    /// Calls and results that did not pair: a call without an id of its own, or a result that was
    /// refused.
    pub tool_result_closure_errors: u64,
    /// Turns that were refused because of their reasoning, though it was sent back word for word.
    pub reasoning_replay_errors: u64,
    /// Turns that gave fewer calls than there were independent ones to make, of the turns with
    /// several to make.
    pub parallel_downgrade_rate: Option<f64>,
    /// Turns with a call that succeeded, of the turns that had a tool's error to correct. A
    /// correction that takes two turns is one failure and one success.
    pub repair_success_rate: Option<f64>,
    /// Calls, whole or not, that parser, schema or policy kept from running.
    pub unsafe_executions_blocked: u64,
    /// What the numbers were made of.
    pub counts: Counts,
}

impl From<Counts> for Metrics {
    fn from(counts: Counts) -> Self {
        Self {
            tool_call_parse_success_rate: rate(counts.parsed, counts.attempts),
            schema_validation_failure_rate: rate(counts.invalid_calls, counts.calls),
            tool_result_closure_errors: counts.closure_errors,
            reasoning_replay_errors: counts.replay_errors,
            parallel_downgrade_rate: rate(counts.downgraded_turns, counts.parallel_turns),
            repair_success_rate: rate(counts.repaired_turns, counts.repair_turns),
            unsafe_executions_blocked: counts.blocked,
            counts,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no run has 2^53 turns")]
fn rate(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0)
}

/// The metrics by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub enum MetricName {
    /// See [`Metrics::tool_call_parse_success_rate`].
    ToolCallParseSuccessRate,
    /// See [`Metrics::schema_validation_failure_rate`].
    SchemaValidationFailureRate,
    /// See [`Metrics::tool_result_closure_errors`].
    ToolResultClosureErrors,
    /// See [`Metrics::reasoning_replay_errors`].
    ReasoningReplayErrors,
    /// See [`Metrics::parallel_downgrade_rate`].
    ParallelDowngradeRate,
    /// See [`Metrics::repair_success_rate`].
    RepairSuccessRate,
    /// See [`Metrics::unsafe_executions_blocked`].
    UnsafeExecutionsBlocked,
}

impl MetricName {
    /// All seven, in the order they are always shown.
    pub const ALL: [Self; 7] = [
        Self::ToolCallParseSuccessRate,
        Self::SchemaValidationFailureRate,
        Self::ToolResultClosureErrors,
        Self::ReasoningReplayErrors,
        Self::ParallelDowngradeRate,
        Self::RepairSuccessRate,
        Self::UnsafeExecutionsBlocked,
    ];

    /// The one spelling used in data and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Metrics {
    /// One of them; `None` is null.
    #[expect(clippy::cast_precision_loss, reason = "no run has 2^53 turns")]
    pub fn get(&self, name: MetricName) -> Option<f64> {
        match name {
            MetricName::ToolCallParseSuccessRate => self.tool_call_parse_success_rate,
            MetricName::SchemaValidationFailureRate => self.schema_validation_failure_rate,
            MetricName::ToolResultClosureErrors => Some(self.tool_result_closure_errors as f64),
            MetricName::ReasoningReplayErrors => Some(self.reasoning_replay_errors as f64),
            MetricName::ParallelDowngradeRate => self.parallel_downgrade_rate,
            MetricName::RepairSuccessRate => self.repair_success_rate,
            MetricName::UnsafeExecutionsBlocked => Some(self.unsafe_executions_blocked as f64),
        }
    }

    /// What a metric was made of, as `19 of 20`; nothing for those that are counts themselves.
    pub fn fraction(&self, name: MetricName) -> Option<(u64, u64)> {
        let counts = &self.counts;
        match name {
            MetricName::ToolCallParseSuccessRate => Some((counts.parsed, counts.attempts)),
            MetricName::SchemaValidationFailureRate => Some((counts.invalid_calls, counts.calls)),
            MetricName::ParallelDowngradeRate => {
                Some((counts.downgraded_turns, counts.parallel_turns))
            }
            MetricName::RepairSuccessRate => Some((counts.repaired_turns, counts.repair_turns)),
            MetricName::ReasoningReplayErrors => {
                Some((counts.replay_errors, counts.replayed_turns))
            }
            MetricName::ToolResultClosureErrors | MetricName::UnsafeExecutionsBlocked => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{TurnEvent, read_lines};
    use super::*;

    /// Invented, one line for each way to be counted; the comments beside it say what each adds.
    const SAMPLE: &str = include_str!("../../fixtures/telemetry/every-kind.jsonl");

    #[test]
    fn every_kind_of_turn_is_counted_where_it_belongs() {
        let metrics = Counts::of(&read_lines(SAMPLE).unwrap()).metrics();
        assert_eq!(metrics.get(MetricName::ToolCallParseSuccessRate), Some(0.7778), "7 of 9");
        assert_eq!(metrics.get(MetricName::SchemaValidationFailureRate), Some(0.2), "2 of 10");
        assert_eq!(metrics.get(MetricName::ToolResultClosureErrors), Some(2.0));
        assert_eq!(metrics.get(MetricName::ReasoningReplayErrors), Some(1.0));
        assert_eq!(metrics.get(MetricName::ParallelDowngradeRate), Some(0.5), "1 of 2");
        assert_eq!(metrics.get(MetricName::RepairSuccessRate), Some(0.3333), "1 of 3");
        assert_eq!(metrics.get(MetricName::UnsafeExecutionsBlocked), Some(5.0), "2 + 2 + 1");
    }

    #[test]
    fn nothing_to_count_is_null_and_not_zero() {
        let metrics = serde_json::to_value(Counts::default().metrics()).unwrap();
        for rate in [
            "toolCallParseSuccessRate",
            "schemaValidationFailureRate",
            "parallelDowngradeRate",
            "repairSuccessRate",
        ] {
            assert!(metrics[rate].is_null(), "{rate}");
        }
        for count in ["toolResultClosureErrors", "reasoningReplayErrors", "unsafeExecutionsBlocked"]
        {
            assert_eq!(metrics[count], 0, "{count}");
        }
    }

    #[test]
    fn the_names_are_those_of_the_fields() {
        let metrics = serde_json::to_value(Counts::default().metrics()).unwrap();
        let fields: Vec<&String> = metrics.as_object().unwrap().keys().collect();
        let mut names: Vec<&str> = MetricName::ALL.iter().map(|name| name.as_str()).collect();
        names.push("counts");
        assert_eq!(fields, names);
    }

    fn event() -> impl Strategy<Value = TurnEvent> {
        let counts = (0_u32..4, 0_u32..3, prop::option::of(0_u32..4), 0_u32..2);
        (counts, any::<[bool; 3]>()).prop_flat_map(|((calls, broken, wanted, closure), flags)| {
            (0..=calls).prop_map(move |invalid| TurnEvent {
                calls,
                broken_calls: broken,
                invalid_calls: invalid,
                succeeded_calls: calls - invalid,
                wanted_calls: wanted,
                closure_errors: closure,
                after_tool_error: flags[0],
                replayed_reasoning: flags[1],
                reasoning_replay_error: flags[1] && flags[2],
                ..TurnEvent::default()
            })
        })
    }

    fn text(events: &[TurnEvent]) -> String {
        events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect()
    }

    proptest! {
        #[test]
        fn the_counts_of_files_put_together_are_those_of_each_added_up(
            one in prop::collection::vec(event(), 0..8),
            other in prop::collection::vec(event(), 0..8),
        ) {
            let together = read_lines(&(text(&one) + &text(&other))).unwrap();
            prop_assert_eq!(Counts::of(&together), Counts::of(&one).merged(Counts::of(&other)));
        }

        #[test]
        fn rates_stay_between_none_and_all(events in prop::collection::vec(event(), 0..8)) {
            let metrics = Counts::of(&events).metrics();
            for name in MetricName::ALL {
                if let Some((part, whole)) = metrics.fraction(name) {
                    prop_assert!(part <= whole, "{}: {part} of {whole}", name.as_str());
                }
            }
        }
    }
}
