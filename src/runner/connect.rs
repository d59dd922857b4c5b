//! How does a target become an endpoint that can be spoken to?

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::{Access, Credentials, Endpoint, Env, Limits, MissingKey, Target, Timeouts};
use crate::conversation::{self, Address, ExchangeLog};
use crate::dialect::EndpointError;
use crate::transport::{
    self, Budget, Call, EndpointLimits, HttpTransport, Patience, Patient, RetryPolicy, Scrubber,
    SetupError, SizeLimits, Transport,
};

/// The most tokens a reply may have: enough for eight kilobytes of code as an argument, and for a
/// model that thinks first.
const MAX_TOKENS: u64 = 8192;

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

/// A line to a target's endpoint.
#[derive(Clone)]
pub struct Connection {
    /// What carries the requests.
    pub transport: Arc<dyn Transport>,
    /// What they carry beside their bodies.
    pub credentials: Credentials,
}

/// Opens a line over HTTP, with the patience that the endpoint is to be treated with.
pub fn connect(
    endpoint: &Endpoint,
    env: Env<'_>,
    budget: &Arc<Budget>,
) -> Result<Connection, ConnectError> {
    let credentials = endpoint.credentials(env)?;
    let mut scrubber = Scrubber::default();
    credentials.secrets().for_each(|secret| scrubber.register(secret));
    let timeouts = timeouts(endpoint.timeouts);
    let http = HttpTransport::new(timeouts, SizeLimits::default(), scrubber)?;
    let usual = RetryPolicy::default();
    let patience = Patience {
        limits: limits(endpoint.limits),
        budget: Arc::clone(budget),
        policy: RetryPolicy { max_waited: usual.max_waited.min(timeouts.total), ..usual },
        ..Patience::default()
    };
    Ok(Connection { transport: Arc::new(Patient::new(http, patience)), credentials })
}

impl Connection {
    /// The target at the end of this line, reached in this way.
    pub fn endpoint(
        &self,
        target: &Target,
        way: &Access,
        log: ExchangeLog,
    ) -> Result<conversation::Endpoint, EndpointError> {
        let bare = Call::get(way.base_url.clone());
        let address = Address {
            dialect: way.dialect,
            base: way.base_url.clone(),
            model: target.model.clone(),
            headers: target.endpoint.dress(bare, way, &self.credentials).headers,
            extra: target.extra_body.clone(),
            max_tokens: MAX_TOKENS,
        };
        conversation::Endpoint::new(address, Arc::clone(&self.transport), log)
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
