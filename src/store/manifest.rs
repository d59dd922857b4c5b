//! The manifest of a run: what it asked of whom, what it cost, and how it ended.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RunId, Shard};
use crate::dialect::DialectId;
use crate::ir::{Digest, Object, ToolSpec};
use crate::profile::{Confirmation, FieldPath, Manner, Subject, ThinkingSwitch};
use crate::telemetry::Metrics;
use crate::transport::{BudgetLimits, Money};

/// The version of the file format this binary writes.
pub(crate) const MANIFEST_VERSION: u32 = 1;

/// `manifest.json`: what a run asked of whom, and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "a stored file names its version after itself")]
pub struct Manifest {
    /// The version of this format.
    pub manifest_version: u32,
    /// The run.
    pub run: RunId,
    /// When it began.
    #[schemars(with = "String")]
    pub started_at: DateTime<Utc>,
    /// When it ended; null while it runs.
    #[schemars(with = "Option<String>")]
    pub finished_at: Option<DateTime<Utc>>,
    /// Which toolprobe ran.
    pub toolprobe_version: String,
    /// Which suite it asked.
    pub probe_version: String,
    /// How much of it: `light`, `standard` or `full`.
    pub suite: String,
    /// Where the values of the trials came from.
    pub seed: u64,
    /// How often each probe was tried.
    pub trials: u32,
    /// What flags changed of how it was asked.
    #[serde(default, skip_serializing_if = "Manner::is_default")]
    pub manner: Manner,
    /// The user's own tools that were asked for as well, which judging the evidence again needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Whether it asked every target there is, or only those that were named.
    #[serde(default)]
    pub selection: Selection,
    /// Which part of them, where several machines shared them (`run --shard`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// What all targets were that the machines shared, where it is a part of them: parts of others do not
    /// belong to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_targets: Option<Digest>,
    /// The adapter that it asked models through, where one was the subject: such a run is never a
    /// snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// Whether it asked a single endpoint on the command line: no command takes such a run for the
    /// latest one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_off: bool,
    /// Whether it only looked on (`run --shadow`): such a run promotes nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// What it may spend, before and after it was broken off.
    #[serde(default, skip_serializing_if = "RunBudget::is_unlimited")]
    pub budget: RunBudget,
    /// What its tokens cost, in the currency of the user's prices, where these are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Whether it came to its end.
    pub completion: Completion,
    /// What it cost.
    pub totals: Totals,
    /// How tool calling went over all turns of all targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// What sampling suspected regressions again showed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmations: Vec<Confirmation>,
    /// Changes that were looked at and not accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptChange>,
    /// Who was asked.
    pub targets: Vec<RunTarget>,
}

/// A change that was looked at and not accepted: the snapshot stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptChange {
    /// The target's name.
    pub target: String,
    /// What the change is called.
    pub code: String,
    /// Where in the profile it shows.
    #[schemars(with = "String")]
    pub field: FieldPath,
}

impl Manifest {
    /// Whether it asked the user's targets: not an adapter, and not a single endpoint.
    pub fn is_of_targets(&self) -> bool {
        self.adapter.is_none() && !self.one_off
    }

    /// Whether it asked every target there is: one that is not among them is missing.
    pub fn asks_every_target(&self) -> bool {
        self.selection == Selection::Every && self.shard.is_none()
    }
}

/// What a run may spend; null means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names of the flags")]
pub struct RunBudget {
    /// Requests, retries included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_requests: Option<u64>,
    /// Tokens of prompts and replies together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens_total: Option<u64>,
    /// Money, in the currency of the user's prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
}

impl RunBudget {
    /// Whether it has no limit at all.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// The limits that it stands for.
    pub fn limits(&self) -> BudgetLimits {
        BudgetLimits {
            requests: self.max_requests,
            tokens: self.max_tokens_total,
            cost: self.max_cost.and_then(Money::of_units),
        }
    }
}

impl From<BudgetLimits> for RunBudget {
    fn from(limits: BudgetLimits) -> Self {
        let BudgetLimits { requests, tokens, cost } = limits;
        let max_cost = cost.map(Money::units);
        Self { max_requests: requests, max_tokens_total: tokens, max_cost }
    }
}

/// Which targets a run asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Selection {
    /// All that there are: one that is not among them is missing.
    #[default]
    Every,
    /// Those that somebody named: nothing is said of the others.
    Named,
}

/// Whether a run came to its end. Only a complete one can become the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Completion {
    /// It has not said so yet: it is under way, or it was killed.
    Running,
    /// Every probe of every target reached its end.
    Complete,
    /// It ended before that.
    Incomplete {
        /// Why.
        because: String,
    },
}

/// What a run cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Requests sent, retries among them.
    pub requests: u64,
    /// Tokens of all prompts, as far as endpoints count them.
    pub prompt_tokens: u64,
    /// Tokens of all replies.
    pub completion_tokens: u64,
    /// Milliseconds from its first request to its end.
    #[serde(default)]
    pub wall_ms: u64,
}

impl Totals {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            wall_ms: self.wall_ms.saturating_add(other.wall_ms),
        }
    }
}

/// One target of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunTarget {
    /// Its name in the configuration.
    pub name: String,
    /// What it is.
    pub subject: Subject,
    /// What it was spoken to in; null where that was not found out.
    pub dialect: Option<DialectId>,
    /// Further fields of every request, which judging its evidence again needs.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub extra_body: Object,
    /// How thinking was switched, where that was known; judging its evidence again needs it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingSwitch>,
    /// The name of its profile's file in `profiles/`; null where none was reached.
    pub profile: Option<String>,
    /// Why it has no verdict, or not all of one; null where it has.
    #[serde(default)]
    pub problem: Option<String>,
    /// What asking it cost; null where it was not asked.
    #[serde(default)]
    pub cost: Option<TargetCost>,
    /// How long each probe took in milliseconds, by its id. Several are asked at the same time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probe_ms: BTreeMap<String, u64>,
}

/// What asking one target cost, and how fast it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Cost")]
pub struct TargetCost {
    /// Requests sent, retries among them.
    pub requests: u64,
    /// Tokens of its prompts, as far as it counts them.
    pub prompt_tokens: u64,
    /// Tokens of its replies.
    pub completion_tokens: u64,
    /// Milliseconds from its first request to its verdict.
    pub wall_ms: u64,
    /// Milliseconds from sending to the first byte of a reply; null without replies.
    pub first_byte_ms: Option<Percentiles>,
    /// Milliseconds from sending to the end of a reply; null without replies.
    pub total_ms: Option<Percentiles>,
}

impl From<TargetCost> for Totals {
    fn from(cost: TargetCost) -> Self {
        Self {
            requests: cost.requests,
            prompt_tokens: cost.prompt_tokens,
            completion_tokens: cost.completion_tokens,
            wall_ms: cost.wall_ms,
        }
    }
}

/// What half and what nearly all of the measurements do not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Percentiles {
    /// The median.
    pub p50: u64,
    /// The 95th percentile.
    pub p95: u64,
}

impl Percentiles {
    /// By nearest rank, so that each is a value that was measured; `None` without any.
    pub fn of(mut values: Vec<u64>) -> Option<Self> {
        values.sort_unstable();
        let rank =
            |percent: usize| values.get((values.len() * percent).div_ceil(100).checked_sub(1)?);
        Some(Self { p50: *rank(50)?, p95: *rank(95)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        assert_eq!(Percentiles::of(vec![]), None);
        assert_eq!(Percentiles::of(vec![7]), Some(Percentiles { p50: 7, p95: 7 }));
        let hundred = (1..=100).rev().collect();
        assert_eq!(Percentiles::of(hundred), Some(Percentiles { p50: 50, p95: 95 }));
        assert_eq!(Percentiles::of(vec![30, 10, 20]), Some(Percentiles { p50: 20, p95: 30 }));
    }
}
