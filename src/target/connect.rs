//! How does a target become an endpoint that can be spoken to?

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Access, Credentials, Endpoint, Env, Limits, MissingKey, Target, Timeouts};
use crate::conversation::{self, Address, ExchangeLog};
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

/// What the lines of one run share: connections, places and the budget.
#[derive(Debug)]
pub struct Lines {
    budget: Arc<Budget>,
    concurrency: ConcurrencyLimit,
    /// By the time that a connection may take to be made, which is a pool's own.
    pools: Mutex<BTreeMap<Duration, Pool>>,
}

/// A line to a target's endpoint.
#[derive(Clone)]
pub struct Connection {
    /// What carries the requests.
    pub transport: Arc<dyn Transport>,
    /// What they carry beside their bodies.
    pub credentials: Credentials,
    /// What they cost.
    pub budget: Arc<Budget>,
}

impl Lines {
    /// Lines that spend from one budget, with so many requests under way over all of them.
    pub fn new(budget: Arc<Budget>, at_once: Option<NonZeroUsize>) -> Self {
        Self { budget, concurrency: ConcurrencyLimit::of(at_once), pools: Mutex::default() }
    }

    /// Opens a line over HTTP, with the patience that the endpoint is to be treated with.
    pub fn connect(&self, endpoint: &Endpoint, env: Env<'_>) -> Result<Connection, ConnectError> {
        let credentials = endpoint.credentials(env)?;
        let timeouts = timeouts(endpoint.timeouts);
        let pool = self.pool(timeouts.connect)?;
        let scrubber = scrubber(endpoint, &credentials);
        let http = HttpTransport::over(pool, timeouts, SizeLimits::default(), scrubber);
        let budget = Arc::new(Budget::share_of(&self.budget));
        let usual = RetryPolicy::default();
        let patience = RetrySettings {
            limits: limits(endpoint.limits),
            budget: Arc::clone(&budget),
            policy: RetryPolicy { max_waited: usual.max_waited.min(timeouts.total), ..usual },
            ..RetrySettings::default()
        };
        let transport = Arc::new(Retrying::new(self.concurrency.around(http), patience));
        Ok(Connection { transport, credentials, budget })
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

/// Opens a single line.
pub fn connect(
    endpoint: &Endpoint,
    env: Env<'_>,
    budget: &Arc<Budget>,
) -> Result<Connection, ConnectError> {
    Lines::new(Arc::clone(budget), None).connect(endpoint, env)
}

/// What is kept out of the records of an endpoint.
fn scrubber(endpoint: &Endpoint, credentials: &Credentials) -> Scrubber {
    let mut scrubber = Scrubber::default();
    credentials.secrets().for_each(|secret| scrubber.register(secret));
    if let Some(alias) = &endpoint.alias {
        for way in &endpoint.ways {
            scrubber.rename(way.base_url.as_str().trim_end_matches('/'), alias);
        }
    }
    scrubber
}

impl Connection {
    /// A client for the model of this target, reached in this way.
    pub fn client(
        &self,
        target: &Target,
        way: &Access,
        log: ExchangeLog,
    ) -> Result<conversation::Client, EndpointError> {
        let bare = HttpCall::get(way.base_url.clone());
        let address = Address {
            dialect: way.dialect,
            base: way.base_url.clone(),
            model: target.model.clone(),
            headers: target.endpoint.dress(bare, way, &self.credentials).headers,
            extra: target.extra_body.clone(),
            max_tokens: MAX_TOKENS,
        };
        conversation::Client::new(address, Arc::clone(&self.transport), log)
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
