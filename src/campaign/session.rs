//! What does probing one target give?

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use futures_util::future::join;

use super::cost::{cost, unit_cost};
use crate::conversation::ExchangeLog;
use crate::dialect::EndpointError;
use crate::probe::{self, Bench, Measured, Probe, Seed, Suite, SuiteName, Watch};
use crate::profile::{PROFILE_VERSION, Profile, Subject, ThinkingSwitch, capabilities};
use crate::prompted::ToolDelivery;
use crate::store::Cost;
use crate::target::{
    Access, Connection, DiscoverError, Discovery, Inspection, Target, TemplateFileError, discover,
    inspect, read_template,
};
use crate::telemetry::{Counts, TurnEvent};
use crate::transport::Exchange;

/// What is asked, and how often.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The probes.
    pub suite: Suite,
    /// Which of them.
    pub name: SuiteName,
    /// Trials of each case.
    pub trials: u32,
    /// Where the values come from.
    pub seed: u64,
    /// When the profiles are made.
    pub verified_at: DateTime<Utc>,
}

impl Plan {
    /// The probes that are asked.
    pub fn probes(&self) -> Vec<&Probe> {
        self.suite.select(self.name).collect()
    }
}

/// A profile, and the exchanges it rests on.
#[derive(Debug, Clone)]
pub struct Probed {
    /// What was found.
    pub profile: Profile,
    /// The evidence, in the order the exchanges ended.
    pub exchanges: Vec<Exchange>,
    /// What it cost.
    pub cost: Cost,
    /// The turns that its metrics were counted on.
    pub telemetry: Vec<TurnEvent>,
    /// How thinking was switched, where that was known.
    pub thinking: Option<ThinkingSwitch>,
}

/// Why a target was not probed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
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

/// Finds out how a target is spoken to, and asks it everything that is planned.
pub async fn probe_target(
    target: &Target,
    line: &Connection,
    plan: &Plan,
    watch: &dyn Watch,
) -> Result<Probed, SessionError> {
    let named = target.endpoint.chat_template.as_deref().map(read_template).transpose()?;
    let began = Instant::now();
    let (transport, credentials) = (&*line.transport, &line.credentials);
    let found = discover(transport, &target.endpoint, credentials, &target.model).await;
    let (way, told, (measured, exchanges)) = match found {
        Ok(Discovery { way, heard }) => {
            for heard in &heard {
                line.budget.charge(heard.tokens);
            }
            let told = inspect(transport, &target.endpoint, &way, credentials, &target.model);
            let (told, asked) = join(told, ask(target, line, &way, plan, watch)).await;
            (way, told, asked?)
        }
        Err(error) => {
            // Nothing can be asked, which is as inconclusive as asking for nothing.
            let way = target.endpoint.ways.first().cloned().ok_or_else(|| error.clone())?;
            let measured = probe::unheard(&plan.probes(), &error.to_string());
            (way, Inspection::default(), (measured, Vec::new()))
        }
    };
    let told = Inspection { template: named.or(told.template), ..told };
    let profile = Profile {
        cost: Some(unit_cost(target, &measured.telemetry, &exchanges)),
        ..profile(target, &way, told, plan, &measured)
    };
    let cost = cost(&exchanges, &line.budget, began.elapsed());
    let (telemetry, thinking) = (measured.telemetry, way.thinking);
    Ok(Probed { profile, exchanges, cost, telemetry, thinking })
}

async fn ask(
    target: &Target,
    line: &Connection,
    way: &Access,
    plan: &Plan,
    watch: &dyn Watch,
) -> Result<(Measured, Vec<Exchange>), SessionError> {
    let log = ExchangeLog::charging(Arc::clone(&line.budget));
    let bench = Bench {
        client: line.client(target, way, log.clone())?,
        delivery: ToolDelivery::Native,
        stream: false,
        seed: Seed::new(plan.seed),
        trials: plan.trials,
        thinking: way.thinking.clone(),
    };
    let measured = probe::run(&bench, &plan.probes(), watch).await;
    Ok((measured, log.take()))
}

fn profile(
    target: &Target,
    way: &Access,
    told: Inspection,
    plan: &Plan,
    measured: &Measured,
) -> Profile {
    let template = told.template.map(|template| template.hash());
    Profile {
        profile_version: PROFILE_VERSION,
        subject: target.subject(way, template.as_ref()),
        dialect: way.dialect,
        server: told.facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect(),
        capabilities: capabilities(&measured.results),
        verified_at: plan.verified_at,
        probe_version: plan.suite.version().to_owned(),
        results: measured.results.clone(),
        metrics: Some(Counts::of(&measured.telemetry).metrics()),
        cost: None,
    }
}

impl Probed {
    /// The same, said to be about something else than the server that was asked.
    #[must_use]
    pub fn about(mut self, subject: Subject) -> Self {
        self.profile.subject = subject;
        self.profile.server.clear();
        self
    }
}
