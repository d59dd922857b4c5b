//! Opening a session: load the kept profile, probe if need be, choose the plan.

use super::step::Trace;
use super::{Caution, Session, SessionStep};
use crate::adapt::plan::Plan;
use crate::campaign::{ProbeTargetError, RunSettings, probe_target};
use crate::conversation::ExchangeLog;
use crate::profile::{CorrectionKind, Profile, Setting, Staleness, Tier, ToolOffer, staleness};
use crate::target::Connection;

/// What is kept of a target.
enum Kept {
    Missing,
    Stale(Profile),
    Fresh(Profile),
}

impl Session {
    /// The first three steps: a profile that still holds, from those kept or by probing, and the
    /// plan that follows from it. `tier` is how far the target is trusted; see
    /// `crate::adapt::rollout`.
    pub async fn open(
        connection: &Connection,
        settings: &RunSettings,
        kept: Option<Profile>,
        tier: Tier,
    ) -> Result<Self, ProbeTargetError> {
        let mut trace = Trace::default();
        let kept = load_profile(connection, settings, kept, &mut trace);
        let profile = probe(connection, settings, kept, &mut trace).await?;
        let plan = choose_adapter(&profile, tier, &mut trace);
        let accesses = &connection.target.endpoint.accesses;
        let spoken = accesses.iter().find(|it| it.dialect == profile.dialect);
        let access = spoken.or(accesses.first()).ok_or(ProbeTargetError::NoAccess)?;
        let client = connection.client(access, ExchangeLog::default())?.with_plan(plan);
        Ok(Self { client, profile, tier, trace, failures: 0, telemetry: Vec::new() })
    }
}

/// Looks at the kept profile. One that is missing or stale has to be made anew.
fn load_profile(
    connection: &Connection,
    settings: &RunSettings,
    kept: Option<Profile>,
    trace: &mut Trace,
) -> Kept {
    let own = kept.filter(|profile| profile.subject.model == connection.target.model);
    let Some(profile) = own else {
        trace.done(SessionStep::LoadProfile, "missing");
        return Kept::Missing;
    };
    let (version, now) = (settings.suite.version(), settings.verified_at);
    let ttl = connection.target.endpoint.ttl;
    match staleness(Some(&profile), &profile.subject, version, now, ttl) {
        Staleness::Fresh { .. } => {
            trace.done(SessionStep::LoadProfile, "fresh");
            Kept::Fresh(profile)
        }
        Staleness::Stale(_) | Staleness::Missing => {
            trace.done(SessionStep::LoadProfile, "stale");
            Kept::Stale(profile)
        }
    }
}

/// Probes where there is no profile that holds. Where that fails, a stale profile still tells how to
/// speak with the model, and not that its calls can be trusted: no tools.
async fn probe(
    connection: &Connection,
    settings: &RunSettings,
    kept: Kept,
    trace: &mut Trace,
) -> Result<Profile, ProbeTargetError> {
    let old = match kept {
        Kept::Fresh(profile) => {
            trace.done(SessionStep::Probe, "not needed");
            return Ok(profile);
        }
        Kept::Stale(profile) => Some(profile),
        Kept::Missing => None,
    };
    match (Box::pin(probe_target(connection, settings, &())).await, old) {
        (Ok(probed), _) if is_measured(&probed.profile) => {
            trace.done(SessionStep::Probe, "probed");
            Ok(probed.profile)
        }
        (Ok(_), Some(old)) => {
            trace.fall(SessionStep::Probe, Caution::NoTools, "no verdict: the profile is stale");
            Ok(old)
        }
        (Err(error), Some(old)) => {
            let why = format!("{error}: the profile is stale");
            trace.fall(SessionStep::Probe, Caution::NoTools, why);
            Ok(old)
        }
        (Ok(probed), None) => {
            trace.fall(SessionStep::Probe, Caution::NoTools, "no verdict on calls");
            Ok(probed.profile)
        }
        (Err(error), None) => Err(error),
    }
}

/// Whether it is known if and how the model calls.
fn is_measured(profile: &Profile) -> bool {
    profile.capabilities.tool_call_format.is_some()
}

/// Chooses the plan. A model without usable calls, or one that is not trusted, gets no tools.
fn choose_adapter(profile: &Profile, tier: Tier, trace: &mut Trace) -> Plan {
    let plan = Plan::of(profile);
    let kinds: Vec<&str> = plan.kinds().map(CorrectionKind::as_str).collect();
    let words = format!("corrections: {}", kinds.join(", "));
    let offers_none = matches!(
        plan.setting(CorrectionKind::Delivery),
        Some(Setting::Delivery { tools: ToolOffer::None })
    );
    if offers_none {
        trace.fall(SessionStep::ChooseAdapter, Caution::NoTools, words);
    } else if tier < Tier::ReadOnly {
        let why = format!("{words}; the tier is {tier}");
        trace.fall(SessionStep::ChooseAdapter, Caution::NoTools, why);
    } else {
        trace.done(SessionStep::ChooseAdapter, words);
    }
    plan
}
