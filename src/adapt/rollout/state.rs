//! Rollout state, kept between evaluations: where each target stands, since when, and why.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Decision;
use crate::profile::Tier;

/// The version of the file.
pub(crate) const ROLLOUT_VERSION: u32 = 1;

/// `rollout.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RolloutState {
    /// The version of this format.
    pub rollout_version: u32,
    /// Each target by name.
    pub targets: BTreeMap<String, Standing>,
}

impl Default for RolloutState {
    fn default() -> Self {
        Self { rollout_version: ROLLOUT_VERSION, targets: BTreeMap::new() }
    }
}

/// Where a target stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Standing {
    /// How far it is trusted.
    pub tier: Tier,
    /// How it is to be used.
    pub mode: Mode,
    /// Since when; only what was measured after that can promote it.
    #[schemars(with = "String")]
    pub since: DateTime<Utc>,
    /// The complete runs that were known at its last move: what comes beside them can promote it.
    #[serde(default)]
    pub runs: usize,
    /// The profile that it stands for: another one starts anew.
    pub profile: String,
    /// Why it stands there.
    pub because: Vec<String>,
    /// What would move it.
    pub next: Vec<String>,
    /// Every move so far, the newest last.
    pub history: Vec<Move>,
}

/// How a model is to be used in its tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mode {
    /// Whether several calls in one reply may be asked for.
    pub parallel: bool,
    /// Whether requests with tools may be streamed.
    pub streamed_tool_calls: bool,
    /// Whether strict schemas are asked for. Arguments are checked locally in any case.
    pub strict_schema: bool,
    /// Which tools run.
    pub tools: ToolUse,
}

/// Which tools run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ToolUse {
    /// All.
    All,
    /// Those that only look.
    ReadOnly,
    /// None: as if `toolCallFormat` were `none`.
    None,
}

impl Mode {
    /// How a model is used in a tier; carefully after a demotion.
    pub(crate) fn of(tier: Tier, is_careful: bool) -> Self {
        let tools = match tier {
            Tier::Full => ToolUse::All,
            Tier::ReadOnly => ToolUse::ReadOnly,
            Tier::Shadow | Tier::Blocked => ToolUse::None,
        };
        let is_free = !is_careful && tier >= Tier::ReadOnly;
        Self { parallel: is_free, streamed_tool_calls: is_free, strict_schema: !is_free, tools }
    }
}

/// A move from one tier to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Move {
    /// When.
    #[schemars(with = "String")]
    pub at: DateTime<Utc>,
    /// From where; null for the first.
    pub from: Option<Tier>,
    /// To where.
    pub to: Tier,
    /// Why.
    pub because: Vec<String>,
}

impl RolloutState {
    /// Takes a decision about a target, whose profile has this name and of which so many runs are known.
    pub(crate) fn record(
        &mut self,
        target: &str,
        profile: &str,
        decision: Decision,
        at: DateTime<Utc>,
        runs: usize,
    ) {
        let before = self.targets.remove(target);
        let from = before.as_ref().filter(|it| it.profile == profile).map(|it| it.tier);
        let moved = from != Some(decision.tier);
        let (since, runs) =
            before.as_ref().filter(|_| !moved).map_or((at, runs), |it| (it.since, it.runs));
        let mut history = before.map(|it| it.history).unwrap_or_default();
        let Decision { tier, mode, because, next } = decision;
        if moved {
            history.push(Move { at, from, to: tier, because: because.clone() });
        }
        let profile = profile.to_owned();
        let standing = Standing { tier, mode, since, runs, profile, because, next, history };
        self.targets.insert(target.to_owned(), standing);
    }
}
