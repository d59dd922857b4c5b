//! Connections: how a target gets a transport, credentials and a budget.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::offered::offered_models;
use super::{Access, Credentials, Endpoint, Env, Limits, MissingKey, Target, Timeouts};
use crate::conversation::{Address, Client, ExchangeLog};
use crate::dialect::EndpointError;
use crate::transport::{
    self, Budget, ConcurrencyLimit, EndpointLimits, HttpCall, HttpTransport, Pool, RetryPolicy,
    RetrySettings, Retrying, Scrubber, SetupError, SizeLimits, Transport,
};

/// The most tokens a reply may have: enough for eight kilobytes of code as an argument, and for a
/// model that thinks first.
pub(crate) const MAX_TOKENS: u64 = 8192;

/// How many requests an endpoint gets at the same time where a target says nothing else.
const CONCURRENCY: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// Why a target cannot be spoken to.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The key is not where it should be.
    #[error(transparent)]
    MissingKey(#[from] MissingKey),
    /// There is no HTTP client.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// A transport to an endpoint, with its credentials and its budget.
type OpenTransport = (Arc<dyn Transport>, Credentials, Arc<Budget>);

/// Opens connections that share a connection pool, a limit of concurrent requests and a budget.
#[derive(Debug)]
pub struct Connector {
    budget: Arc<Budget>,
    concurrency: ConcurrencyLimit,
    /// By connect timeout, which is a property of the pool.
    pools: Mutex<BTreeMap<Duration, Pool>>,
}

/// A target with an open transport, its credentials and its budget.
#[derive(Clone)]
pub struct Connection {
    /// What is probed.
    pub target: Target,
    /// Carries the requests.
    pub transport: Arc<dyn Transport>,
    /// Keys and secret headers.
    pub credentials: Credentials,
    /// Counts what the target costs.
    pub budget: Arc<Budget>,
}

impl Connector {
    /// Spends from one budget, with at most so many concurrent requests over all connections.
    pub fn new(budget: Arc<Budget>, at_once: Option<NonZeroUsize>) -> Self {
        Self { budget, concurrency: ConcurrencyLimit::of(at_once), pools: Mutex::default() }
    }

    /// Opens a connection over HTTP with the limits and timeouts of the target's endpoint.
    pub fn connect(&self, target: Target, env: Env<'_>) -> Result<Connection, ConnectError> {
        let (transport, credentials, budget) = self.open(&target.endpoint, env)?;
        Ok(Connection { target, transport, credentials, budget })
    }

    /// The models that an endpoint lists, before one of them is chosen as a target.
    pub async fn offered_models(
        &self,
        endpoint: &Endpoint,
        env: Env<'_>,
    ) -> Result<Option<Vec<String>>, ConnectError> {
        let (transport, credentials, _) = self.open(endpoint, env)?;
        Ok(offered_models(&*transport, endpoint, &credentials).await)
    }

    fn open(&self, endpoint: &Endpoint, env: Env<'_>) -> Result<OpenTransport, ConnectError> {
        let credentials = endpoint.credentials(env)?;
        let timeouts = timeouts(endpoint.timeouts);
        let pool = self.pool(timeouts.connect)?;
        let scrubber = scrubber(endpoint, &credentials);
        let http = HttpTransport::over(pool, timeouts, SizeLimits::default(), scrubber);
        let budget = Arc::new(Budget::share_of(&self.budget));
        let usual = RetryPolicy::default();
        let settings = RetrySettings {
            limits: limits(endpoint.limits),
            budget: Arc::clone(&budget),
            policy: RetryPolicy { max_waited: usual.max_waited.min(timeouts.total), ..usual },
            ..RetrySettings::default()
        };
        let transport = Arc::new(Retrying::new(self.concurrency.around(http), settings));
        Ok((transport, credentials, budget))
    }

    fn pool(&self, connect: Duration) -> Result<Pool, SetupError> {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&connect) {
            return Ok(pool.clone());
        }
        let pool = Pool::new(connect)?;
        pools.insert(connect, pool.clone());
        Ok(pool)
    }
}

/// Opens a single connection.
pub fn connect(
    target: Target,
    env: Env<'_>,
    budget: &Arc<Budget>,
) -> Result<Connection, ConnectError> {
    Connector::new(Arc::clone(budget), None).connect(target, env)
}

/// What is kept out of the records of an endpoint.
fn scrubber(endpoint: &Endpoint, credentials: &Credentials) -> Scrubber {
    let mut scrubber = Scrubber::default();
    credentials.secrets().for_each(|secret| scrubber.register(secret));
    if let Some(alias) = &endpoint.alias {
        for access in &endpoint.accesses {
            scrubber.rename(access.base_url.as_str().trim_end_matches('/'), alias);
        }
    }
    scrubber
}

impl Connection {
    /// A client of the model, over this access.
    pub fn client(&self, access: &Access, log: ExchangeLog) -> Result<Client, EndpointError> {
        let target = &self.target;
        let bare = HttpCall::get(access.base_url.clone());
        let address = Address {
            dialect: access.dialect,
            base: access.base_url.clone(),
            model: target.model.clone(),
            headers: target.endpoint.dress(bare, access, &self.credentials).headers,
            extra: target.extra_body.clone(),
            max_tokens: MAX_TOKENS,
        };
        Client::new(address, Arc::clone(&self.transport), log)
    }

    /// The models that the endpoint lists.
    pub async fn offered_models(&self) -> Option<Vec<String>> {
        offered_models(&*self.transport, &self.target.endpoint, &self.credentials).await
    }
}

fn timeouts(given: Timeouts) -> transport::Timeouts {
    let usual = transport::Timeouts::default();
    let usual = given.total.map_or(usual, |total| usual.with_total(total.0));
    transport::Timeouts {
        connect: given.connect.map_or(usual.connect, |span| span.0),
        first_byte: given.first_byte.map_or(usual.first_byte, |span| span.0),
        idle: given.idle.map_or(usual.idle, |span| span.0),
        total: usual.total,
    }
}

fn limits(given: Limits) -> EndpointLimits {
    EndpointLimits {
        concurrency: Some(given.concurrency.unwrap_or(CONCURRENCY)),
        per_minute: given.requests_per_minute,
    }
}
