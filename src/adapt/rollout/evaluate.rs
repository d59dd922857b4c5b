//! One evaluation of a target: down at once, up one step, and only on repeated evidence.

use super::{Mode, Standing, degraded_metrics, rollout};
use crate::profile::{Profile, Tier};
use crate::telemetry::Metrics;

/// Complete runs since the last move that a promotion needs. One run never promotes.
pub(crate) const REPEATED_RUNS: usize = 3;

/// Turns of healthy telemetry since the last move that a promotion needs instead.
pub(crate) const HEALTHY_TURNS: usize = 50;

/// What is known of a target.
#[derive(Debug, Clone)]
pub(crate) struct Facts<'a> {
    /// Its newest profile.
    pub profile: &'a Profile,
    /// Why that profile is stale; nothing if it is fresh.
    pub stale: Vec<String>,
    /// Complete runs since the last move that were not run in shadow.
    pub runs: usize,
    /// Telemetry of real use, as far as it may be of the time since the last move.
    pub telemetry: Option<Metrics>,
    /// Of its turns, those that are known to be of the time since the last move.
    pub turns: usize,
}

/// Where a target goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    /// Never a higher one than before.
    pub tier: Tier,
    /// How it is to be used there.
    pub mode: Mode,
    /// Why.
    pub because: Vec<String>,
    /// What would move it.
    pub next: Vec<String>,
}

/// Decides where a target goes from where it stands; `None` is a target with a new profile.
pub(crate) fn evaluate(standing: Option<&Standing>, facts: &Facts<'_>) -> Decision {
    let limit = rollout(facts.profile);
    let bad: Vec<String> =
        facts.telemetry.iter().flat_map(degraded_metrics).map(|(_, words)| words).collect();
    let was_careful = standing.is_some_and(|it| it.mode != Mode::of(it.tier, false));
    let decided = |tier: Tier, is_careful: bool, because: Vec<String>| Decision {
        tier,
        mode: Mode::of(tier, is_careful),
        because,
        next: next(tier, limit.ceiling, &limit.because, facts),
    };
    let current = standing.map_or(Tier::Shadow, |it| it.tier);
    if !facts.stale.is_empty() {
        return decided(current.min(Tier::Shadow), false, facts.stale.clone());
    }
    if limit.ceiling < current {
        return decided(limit.ceiling, true, limit.because.clone());
    }
    if !bad.is_empty() && current > Tier::Shadow {
        return decided(below(current), true, bad);
    }
    if standing.is_none() {
        return decided(current, false, vec!["a new profile".to_owned()]);
    }
    let turns = facts.turns;
    // Runs do not outweigh what is seen in use.
    let is_earned = bad.is_empty() && (facts.runs >= REPEATED_RUNS || turns >= HEALTHY_TURNS);
    if current < limit.ceiling && is_earned {
        let because = format!("{} complete runs, {turns} turns of telemetry", facts.runs);
        return decided(above(current), false, vec![because]);
    }
    decided(current, was_careful, standing.map(|it| it.because.clone()).unwrap_or_default())
}

fn below(tier: Tier) -> Tier {
    match tier {
        Tier::Full => Tier::ReadOnly,
        Tier::ReadOnly => Tier::Shadow,
        Tier::Shadow | Tier::Blocked => Tier::Blocked,
    }
}

fn above(tier: Tier) -> Tier {
    match tier {
        Tier::Blocked => Tier::Shadow,
        Tier::Shadow => Tier::ReadOnly,
        Tier::ReadOnly | Tier::Full => Tier::Full,
    }
}

/// What would move a target from here.
fn next(tier: Tier, ceiling: Tier, limits: &[String], facts: &Facts<'_>) -> Vec<String> {
    if !facts.stale.is_empty() {
        return vec!["up: probe again, the profile is stale".to_owned()];
    }
    let up = if tier == Tier::Full {
        None
    } else if tier < ceiling {
        let missing = REPEATED_RUNS.saturating_sub(facts.runs);
        Some(format!(
            "up: {missing} more complete runs, or {HEALTHY_TURNS} healthy turns of telemetry"
        ))
    } else {
        Some(format!("up: {}", limits.join("; ")))
    };
    let down = (tier > Tier::Shadow)
        .then(|| "down: one degraded metric, a worse profile, or a stale one".to_owned());
    up.into_iter().chain(down).collect()
}

#[cfg(test)]
mod tests;
