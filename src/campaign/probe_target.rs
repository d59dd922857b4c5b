//! Probing one target: its dialect, what the server tells, all probes, the profile.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join;

use super::RunSettings;
use super::cost::{cost, unit_cost};
use crate::conversation::ExchangeLog;
use crate::dialect::EndpointError;
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
    /// The evidence, in the order the exchanges ended.
    pub exchanges: Vec<RecordedExchange>,
    /// What it cost.
    pub cost: TargetCost,
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
}

/// Finds out which dialect a target speaks, and asks it everything in the settings.
pub async fn probe_target(
    connection: &Connection,
    settings: &RunSettings,
    watch: &dyn ProbeListener,
) -> Result<ProbedTarget, ProbeTargetError> {
    let target = &connection.target;
    let named = target.endpoint.chat_template.as_deref().map(read_template).transpose()?;
    let began = Instant::now();
    let (access, told, (measured, exchanges)) = match discover(connection).await {
        Ok(Discovery { access, answers }) => {
            for answer in &answers {
                connection.budget.charge(answer.tokens);
            }
            let told = inspect(connection, &access);
            let (told, asked) = join(told, ask(connection, &access, settings, watch)).await;
            (access, told, asked?)
        }
        Err(error) => {
            // Nothing can be asked, which is as inconclusive as an endpoint that never answers.
            let access = target.endpoint.accesses.first().cloned().ok_or_else(|| error.clone())?;
            let measured = probe::run_unreachable(&settings.probes(), &error.to_string());
            (access, Inspection::default(), (measured, Vec::new()))
        }
    };
    let told = Inspection { template: named.or(told.template), ..told };
    let profile = Profile {
        cost: Some(unit_cost(target, &measured.telemetry, &exchanges)),
        ..profile(target, &access, told, settings, &measured)
    };
    let cost = cost(&exchanges, &connection.budget, began.elapsed());
    let (telemetry, thinking) = (measured.telemetry, access.thinking);
    Ok(ProbedTarget { profile, exchanges, cost, telemetry, thinking })
}

async fn ask(
    connection: &Connection,
    access: &Access,
    settings: &RunSettings,
    watch: &dyn ProbeListener,
) -> Result<(SuiteOutcome, Vec<RecordedExchange>), ProbeTargetError> {
    let log = ExchangeLog::charging(Arc::clone(&connection.budget));
    let bench = Bench {
        client: connection.client(access, log.clone())?,
        delivery: ToolDelivery::Native,
        stream: false,
        seed: Seed::new(settings.seed),
        trials: settings.trials,
        thinking: access.thinking.clone(),
    };
    let measured = probe::run(&bench, &settings.probes(), watch).await;
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
    // Facts about the server that answers are not facts about another subject.
    let facts = if target.subject.is_some() { BTreeMap::new() } else { told.facts };
    Profile {
        profile_version: PROFILE_VERSION,
        subject: target.subject_at(access, template.as_ref()),
        dialect: access.dialect,
        server: facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect(),
        capabilities: capabilities(&measured.results),
        verified_at: settings.verified_at,
        probe_version: settings.suite.version().to_owned(),
        results: measured.results.clone(),
        metrics: Some(Counts::of(&measured.telemetry).metrics()),
        cost: None,
    }
}
