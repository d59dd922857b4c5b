//! Limits of tiers: what keeps a profile below a tier, and which metrics count as degraded.

use crate::adapt::plan::Plan;
use crate::profile::{
    CorrectionKind, ErrorRepair, Profile, Requirement, Rollout, SchemaLevel, Setting, Status, Tier,
    ToolOffer,
};
use crate::telemetry::{MetricName, Metrics};

/// A row of the table: while it holds, a profile is not trusted further.
#[derive(Debug)]
pub(crate) struct Limit {
    /// The highest tier that it allows.
    pub at_most: Tier,
    /// Why it holds, in words.
    holds: fn(&Profile) -> Option<String>,
}

/// An interval that is wider says little: three trials that all pass give 0.56.
const WIDEST_INTERVAL: f64 = 0.6;

/// All rows; the lowest tier of those that hold counts.
pub(crate) const LIMITS: &[Limit] = &[
    Limit { at_most: Tier::Blocked, holds: no_tools },
    Limit { at_most: Tier::Shadow, holds: unknown },
    Limit { at_most: Tier::Shadow, holds: unread },
    Limit { at_most: Tier::ReadOnly, holds: wide },
    Limit { at_most: Tier::ReadOnly, holds: loose_schema },
    Limit { at_most: Tier::ReadOnly, holds: no_repair },
    Limit { at_most: Tier::ReadOnly, holds: bad_metric },
];

fn no_tools(profile: &Profile) -> Option<String> {
    let plan = Plan::of(profile);
    let offers_none = matches!(
        plan.setting(CorrectionKind::Delivery),
        Some(Setting::Delivery { tools: ToolOffer::None })
    );
    offers_none.then(|| "no call can be used".to_owned())
}

fn unknown(profile: &Profile) -> Option<String> {
    let open = [Requirement::Tools, Requirement::Results]
        .into_iter()
        .find(|demand| demand.status(profile).is_none_or(|status| !status.is_conclusive()));
    open.map(|demand| format!("no verdict on {demand}"))
}

fn unread(profile: &Profile) -> Option<String> {
    let fails = Requirement::Results.status(profile) == Some(Status::Fail);
    fails.then(|| "results are not read".to_owned())
}

fn wide(profile: &Profile) -> Option<String> {
    let demands = [Requirement::Tools, Requirement::Results];
    let mut outcomes = demands.into_iter().filter_map(|it| it.outcome(profile));
    outcomes.find_map(|outcome| {
        let interval = outcome.interval?;
        let width = interval.1 - interval.0;
        let probe = &outcome.probe;
        (width > WIDEST_INTERVAL).then(|| format!("{probe}: the interval is {width:.2} wide"))
    })
}

fn loose_schema(profile: &Profile) -> Option<String> {
    match profile.capabilities.schema_level {
        Some(SchemaLevel::SimpleObject | SchemaLevel::StrictJsonSchema) => None,
        Some(SchemaLevel::StringOnly | SchemaLevel::None) => {
            Some("arguments keep to text at most".to_owned())
        }
        None => Some("no verdict on the schema".to_owned()),
    }
}

fn no_repair(profile: &Profile) -> Option<String> {
    match profile.capabilities.error_repair {
        Some(ErrorRepair::Reliable | ErrorRepair::Limited) => None,
        Some(ErrorRepair::None) => Some("tool errors are not corrected".to_owned()),
        None => Some("no verdict on error repair".to_owned()),
    }
}

fn bad_metric(profile: &Profile) -> Option<String> {
    // A probe makes errors on purpose: what is repaired there is the result, not the metric.
    let metrics = profile.metrics.as_ref()?;
    let named = |name: &MetricName| *name != MetricName::RepairSuccessRate;
    degraded_metrics(metrics)
        .into_iter()
        .filter(|(name, _)| named(name))
        .map(|(_, words)| words)
        .next()
}

/// How far one profile by itself is trusted.
pub(crate) fn rollout(profile: &Profile) -> Rollout {
    let held: Vec<(Tier, String)> =
        LIMITS.iter().filter_map(|limit| Some((limit.at_most, (limit.holds)(profile)?))).collect();
    let ceiling = held.iter().map(|(tier, _)| *tier).min().unwrap_or(Tier::Full);
    let because = held.into_iter().filter(|(tier, _)| *tier == ceiling).map(|(_, why)| why);
    Rollout { tier: ceiling.min(Tier::Shadow), ceiling, because: because.collect() }
}

/// Which side of a bound is bad.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bound {
    /// Values below it.
    Below(f64),
    /// Values above it.
    Above(f64),
}

/// The metrics that count, and the values from which they are degraded.
pub(crate) const DEGRADED: &[(MetricName, Bound)] = &[
    (MetricName::ToolCallParseSuccessRate, Bound::Below(0.95)),
    (MetricName::SchemaValidationFailureRate, Bound::Above(0.1)),
    (MetricName::ToolResultClosureErrors, Bound::Above(0.0)),
    (MetricName::ReasoningReplayErrors, Bound::Above(0.0)),
    (MetricName::RepairSuccessRate, Bound::Below(0.5)),
];

/// The metrics that are degraded, each in words.
pub(crate) fn degraded_metrics(metrics: &Metrics) -> Vec<(MetricName, String)> {
    let bad = DEGRADED.iter().filter_map(|(name, bound)| {
        let value = metrics.get(*name)?;
        let (is_bad, words) = match bound {
            Bound::Below(least) => (value < *least, format!("is {value}, below {least}")),
            Bound::Above(most) => (value > *most, format!("is {value}, above {most}")),
        };
        is_bad.then(|| (*name, format!("{} {words}", name.as_str())))
    });
    bad.collect()
}
