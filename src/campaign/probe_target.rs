//! Probing one target: its dialect, what the server tells, all probes, the profile.

use std::collections::BTreeMap;
use std::time::Instant;

use futures_util::future::join;

use super::RunSettings;
use super::cost::{cost, unit_cost};
use super::diagnosis::diagnose;
use crate::adapt::claims::false_claims;
use crate::adapt::complete;
use crate::adapt::plan::Plan;
use crate::conversation::{ExchangeLog, Logged};
use crate::dialect::EndpointError;
use crate::ir::Digest;
use crate::probe::{self, Bench, ProbeListener, Seed, SuiteOutcome};
use crate::profile::{PROFILE_VERSION, Profile, ThinkingSwitch, capabilities};
use crate::prompted::ToolDelivery;
use crate::store::TargetCost;
use crate::target::{
    Access, Connection, DiscoverError, Discovery, Inspection, Target, TemplateFileError, discover,
    inspect, read_template,
};
use crate::telemetry::{Counts, TurnEvent};
use crate::transport::RecordedExchange;

/// A profile, and the exchanges it rests on.
#[derive(Debug, Clone)]
pub struct ProbedTarget {
    /// What was found.
    pub profile: Profile,
    /// The evidence that no journal keeps, in the order the exchanges ended.
    pub exchanges: Vec<RecordedExchange>,
    /// The addresses of the evidence that one keeps.
    pub kept: Vec<Digest>,
    /// What it cost.
    pub cost: TargetCost,
    /// How long each probe took in milliseconds, by its id, where that was measured.
    pub probe_ms: BTreeMap<String, u64>,
    /// The turns that its metrics were counted on.
    pub telemetry: Vec<TurnEvent>,
    /// How thinking was switched, where that was known.
    pub thinking: Option<ThinkingSwitch>,
}

/// Why a target was not probed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeTargetError {
    /// It does not speak any dialect that is known.
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    /// It cannot be called at its URL.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The chat template that the user names cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateFileError),
    /// It has no address at all.
    #[error("the target has no address")]
    NoAccess,
}

/// Finds out which dialect a target speaks, and asks it everything in the settings.
pub async fn probe_target(
    connection: &Connection,
    settings: &RunSettings,
    watch: &dyn ProbeListener,
) -> Result<ProbedTarget, ProbeTargetError> {
    probe(connection, settings, watch, None).await
}

/// The same, through a client that follows a plan: what an adapter makes of the target.
pub(crate) async fn probe_with_plan(
    connection: &Connection,
    settings: &RunSettings,
    plan: &Plan,
) -> Result<ProbedTarget, ProbeTargetError> {
    probe(connection, settings, &(), Some(plan)).await
}

async fn probe(
    connection: &Connection,
    settings: &RunSettings,
    watch: &dyn ProbeListener,
    plan: Option<&Plan>,
) -> Result<ProbedTarget, ProbeTargetError> {
    let target = &connection.target;
    let named = target.endpoint.chat_template.as_deref().map(read_template).transpose()?;
    let began = Instant::now();
    let mut tried = Vec::new();
    let (access, told, (measured, logged)) = match discover(connection).await {
        Ok(Discovery { access, answers }) => {
            for answer in answers {
                tried.extend(answer.exchange);
            }
            let told = inspect(connection, &access);
            let (told, asked) = join(told, ask(connection, &access, settings, watch, plan)).await;
            (access, told, asked?)
        }
        Err(error) => {
            // Nothing can be asked, which is as inconclusive as an endpoint that never answers.
            let access = target.endpoint.accesses.first().cloned().ok_or_else(|| error.clone())?;
            let measured = probe::run_unreachable(&settings.probes(), &error.to_string());
            tried = error.into_exchanges();
            (access, Inspection::default(), (measured, Logged::default()))
        }
    };
    let measured = explain_silence(connection, settings, measured, tried, &logged).await;
    let told = Inspection { template: named.or(told.template), ..told };
    let profile = Profile {
        cost: Some(unit_cost(target, &measured.telemetry, &logged.times)),
        ..profile(target, &access, told, settings, &measured)
    };
    let cost = cost(&logged.times, &connection.budget, began.elapsed());
    let Logged { exchanges, kept, .. } = logged;
    let (telemetry, thinking) = (measured.telemetry, access.thinking);
    let probe_ms = BTreeMap::new();
    Ok(ProbedTarget { profile, exchanges, kept, cost, probe_ms, telemetry, thinking })
}

/// Where nothing at all was learned for a reason that is known, every result says that reason, with
/// what to do about it.
async fn explain_silence(
    connection: &Connection,
    settings: &RunSettings,
    measured: SuiteOutcome,
    mut seen: Vec<RecordedExchange>,
    logged: &Logged,
) -> SuiteOutcome {
    if measured.results.has_verdict() || logged.replies > 0 {
        return measured;
    }
    seen.extend(logged.exchanges.iter().chain(&logged.failures).cloned());
    match diagnose(connection, &seen).await {
        Some(why) => SuiteOutcome {
            results: probe::run_unreachable(&settings.probes(), &why).results,
            ..measured
        },
        None => measured,
    }
}

async fn ask(
    connection: &Connection,
    access: &Access,
    settings: &RunSettings,
    watch: &dyn ProbeListener,
    plan: Option<&Plan>,
) -> Result<(SuiteOutcome, Logged), ProbeTargetError> {
    let log = ExchangeLog::default();
    let client = connection.client(access, log.clone())?;
    let bench = Bench {
        client: match plan {
            Some(plan) => client.with_plan(plan.clone()),
            None => client,
        },
        delivery: ToolDelivery::Native,
        replies: settings.suite.manner().mode.first(),
        is_twin: false,
        seed: Seed::new(settings.seed),
        trials: settings.trials,
        first_trial: 0,
        thinking: access.thinking.clone(),
        manner: settings.suite.manner(),
    };
    let measured = Box::pin(probe::run(&bench, &settings.probes(), watch)).await;
    Ok((measured, log.take()))
}

fn profile(
    target: &Target,
    access: &Access,
    told: Inspection,
    settings: &RunSettings,
    measured: &SuiteOutcome,
) -> Profile {
    let template = told.template.map(|template| template.hash());
    let claims = if target.subject.is_some() { Vec::new() } else { told.claims };
    // Facts about the server that answers are not facts about another subject.
    let facts = if target.subject.is_some() { BTreeMap::new() } else { told.facts };
    let profile = complete(Profile {
        profile_version: PROFILE_VERSION,
        name: Some(target.name.clone()),
        subject: target.subject_at(access, template.as_ref()),
        dialect: access.dialect,
        server: facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect(),
        capabilities: capabilities(&measured.results),
        verified_at: settings.verified_at,
        probe_version: settings.suite.version().to_owned(),
        suite: Some(settings.name),
        probes: settings.probes().iter().map(|it| (it.id.clone(), it.hash.clone())).collect(),
        results: measured.results.clone(),
        metrics: Some(Counts::of(&measured.telemetry).metrics()),
        cost: None,
        corrections: Vec::new(),
        rollout: None,
        false_claims: Vec::new(),
    });
    Profile { false_claims: false_claims(&claims, &profile), ..profile }
}
