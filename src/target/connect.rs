//! Connections: how a target gets a transport, credentials and a budget.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use url::Url;

use super::credentials::secrets_in_fields;
use super::offered::offered_models;
use super::{
    Access, Bounds, Credentials, Endpoint, Env, Limits, MissingKey, Prices, Target, Timeouts,
};
use crate::conversation::{Address, Client, ExchangeLog};
use crate::dialect::EndpointError;
use crate::profile::origin;
use crate::secret::{known_secrets, remember};
use crate::transport::{
    self, Budget, EndpointLimits, HttpCall, HttpTransport, InFlight, Pool, Price, RetryPolicy,
    RetrySettings, Retrying, RunLimits, Scrubber, Secret, SendGate, SetupError, SharedLimits,
    SizeLimits, Transport, is_loopback,
};

/// The most tokens a reply may have: enough for eight kilobytes of code as an argument, and for a
/// model that thinks first.
pub(crate) const MAX_TOKENS: u64 = 8192;

/// How many requests an endpoint gets at the same time where no target says anything else.
const CONCURRENCY: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// Why a target cannot be spoken to.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The key is not where it should be.
    #[error(transparent)]
    MissingKey(#[from] MissingKey),
    /// A credential would be readable on its way.
    #[error(
        "a credential would be sent to {host} over plain HTTP, where everybody on the way can read it; \
         use https, or allow it with --insecure-http (insecure_http in the configuration)"
    )]
    PlainHttp {
        /// The host that it would be sent to.
        host: String,
    },
    /// What the model costs is not known, and the run may cost only so much.
    #[error(
        "the price of '{model}' is not known, so --max-cost cannot hold; add [models.\"{model}\"] to the prices"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// There is no HTTP client.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// A transport to an endpoint, with its credentials and its budget.
type OpenTransport = (Arc<dyn Transport>, Credentials, Arc<Budget>);

/// Opens connections that share a connection pool, a limit of concurrent requests, a budget, and the
/// limits of the endpoints that they lead to.
#[derive(Debug)]
pub(crate) struct Connector {
    budget: Arc<Budget>,
    prices: Prices,
    run_limits: RunLimits,
    gate: SendGate,
    in_flight: InFlight,
    /// By scheme, host, port and credentials, which is what a provider counts by.
    limits: Mutex<Vec<(String, Credentials, SharedLimits)>>,
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
    /// Lets nothing more out once it is closed; shared by the connections of a run.
    pub gate: SendGate,
    /// The number of its endpoint: targets with the same one share its limits.
    pub endpoint_number: usize,
}

impl Connector {
    /// Spends from one budget, with at most so many concurrent requests over all connections.
    pub(crate) fn new(budget: Arc<Budget>, at_once: Option<NonZeroUsize>) -> Self {
        Self {
            budget,
            prices: Prices::default(),
            run_limits: RunLimits::of(at_once),
            gate: SendGate::default(),
            in_flight: InFlight::new(&SizeLimits::default()),
            limits: Mutex::default(),
            pools: Mutex::default(),
        }
    }

    /// The same, with room for large replies by these bounds.
    #[must_use]
    pub(crate) fn within(self, bounds: &Bounds) -> Self {
        Self { in_flight: InFlight::new(&size_limits(bounds)), ..self }
    }

    /// The same, where the endpoints of a provider share these limits.
    #[must_use]
    pub(crate) fn limiting(self, providers: &BTreeMap<String, Limits>) -> Self {
        for (provider, limits) in providers {
            self.run_limits.limit_provider(provider, EndpointLimits::from(*limits));
        }
        self
    }

    /// The same, where models have these prices.
    #[must_use]
    pub(crate) fn at_prices(self, prices: Prices) -> Self {
        Self { prices, ..self }
    }

    /// Opens a connection over HTTP with the limits and timeouts of the target's endpoint.
    pub(crate) fn connect(&self, target: Target, env: Env<'_>) -> Result<Connection, ConnectError> {
        let in_body = secrets_in_fields(&target.extra_body);
        let price = self.prices.of(&target.model);
        if price.is_none() && self.budget.limits().cost.is_some() {
            return Err(ConnectError::NoPrice { model: target.model });
        }
        let (transport, credentials, budget) = self.open(&target.endpoint, in_body, price, env)?;
        let endpoint_number = self.limits(&target.endpoint, &credentials).number();
        let gate = self.gate.clone();
        Ok(Connection { target, transport, credentials, budget, gate, endpoint_number })
    }

    /// The models that an endpoint lists, before one of them is chosen as a target.
    pub(crate) async fn offered_models(
        &self,
        endpoint: &Endpoint,
        env: Env<'_>,
    ) -> Result<Option<Vec<String>>, ConnectError> {
        let (transport, credentials, _) = self.open(endpoint, Vec::new(), None, env)?;
        Ok(offered_models(&*transport, endpoint, &credentials).await)
    }

    fn open(
        &self,
        endpoint: &Endpoint,
        in_body: Vec<Secret>,
        price: Option<Price>,
        env: Env<'_>,
    ) -> Result<OpenTransport, ConnectError> {
        let credentials = endpoint.credentials(env)?;
        let secrets = secrets_to_send(endpoint, &credentials, in_body)?;
        let timeouts = timeouts(endpoint.timeouts);
        let pool = self.pool(timeouts.connect)?;
        let scrubber = scrubber(endpoint, &secrets);
        let sizes = size_limits(&endpoint.bounds);
        let http = HttpTransport::over(pool, timeouts, sizes, scrubber);
        let http = http.sharing(self.in_flight.clone());
        let budget = Arc::new(Budget::share_of(&self.budget, price));
        let usual = RetryPolicy::default();
        let settings = RetrySettings {
            limits: self.limits(endpoint, &credentials),
            budget: Arc::clone(&budget),
            gate: self.gate.clone(),
            policy: RetryPolicy { max_waited: usual.max_waited.min(timeouts.total), ..usual },
            ..RetrySettings::default()
        };
        let http = self.gate.before(http);
        let transport = Arc::new(Retrying::new(http, settings));
        Ok((transport, credentials, budget))
    }

    /// The limits of an endpoint, which all targets with the same address and credentials share. The
    /// strictest of what they say counts.
    fn limits(&self, endpoint: &Endpoint, credentials: &Credentials) -> SharedLimits {
        let first = endpoint.accesses.first().map(|access| &access.base_url);
        let place = first.map(origin).unwrap_or_default();
        let mut known = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let same = known.iter().find(|(at, by, _)| *at == place && by == credentials);
        let shared = if let Some((_, _, shared)) = same {
            shared.clone()
        } else {
            let shared = self.run_limits.endpoint(&endpoint.provider, Some(CONCURRENCY));
            known.push((place, credentials.clone(), shared.clone()));
            shared
        };
        shared.agree(endpoint.limits.into());
        shared
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

/// Every secret that requests to an endpoint carry, kept out of all output from now on. Refused where
/// one would cross a network in the clear, whatever proxy the environment names.
fn secrets_to_send(
    endpoint: &Endpoint,
    credentials: &Credentials,
    in_body: Vec<Secret>,
) -> Result<Vec<Secret>, ConnectError> {
    let mut all = in_body;
    for access in &endpoint.accesses {
        let url = &access.base_url;
        let call = endpoint.dress(HttpCall::get(url.clone()), access, credentials);
        all.extend(call.secrets());
        if !all.is_empty() && crosses_a_network_in_the_clear(url) && !endpoint.insecure_http {
            let host = url.host_str().unwrap_or_default().to_owned();
            return Err(ConnectError::PlainHttp { host });
        }
    }
    all.iter().for_each(remember);
    Ok(all)
}

fn crosses_a_network_in_the_clear(url: &Url) -> bool {
    url.scheme() != "https" && !is_loopback(url)
}

/// What is kept out of the records of an endpoint: its secrets, and the others that this process was given,
/// such as the password of a proxy.
fn scrubber(endpoint: &Endpoint, secrets: &[Secret]) -> Scrubber {
    let mut scrubber = known_secrets();
    for secret in secrets {
        scrubber.register(secret);
    }
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
            limit_field: access.limit_field,
            limits: size_limits(&target.endpoint.bounds),
        };
        Client::new(address, Arc::clone(&self.transport), log)
    }

    /// The models that the endpoint lists.
    pub async fn offered_models(&self) -> Option<Vec<String>> {
        offered_models(&*self.transport, &self.target.endpoint, &self.credentials).await
    }
}

fn size_limits(bounds: &Bounds) -> SizeLimits {
    let given = bounds.iter().map(|(what, limit)| (*what, limit.get()));
    given.fold(SizeLimits::default(), |limits, (what, limit)| limits.with(what, limit))
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::target::{Defaults, TargetEntry, resolve};

    fn connected(url: &str, change: impl Fn(&mut TargetEntry)) -> Result<Connection, ConnectError> {
        let (base_url, model) = (Some(url.to_owned()), Some("m".to_owned()));
        let mut entry = TargetEntry { base_url, model, ..TargetEntry::default() };
        change(&mut entry);
        let env = |name: &str| Some(format!("value-of-{name}"));
        let targets = resolve(&entry, &Defaults::default(), Path::new(""), &env).unwrap();
        let target = targets.into_iter().next().unwrap();
        connect(target, &env, &Arc::new(Budget::unlimited()))
    }

    fn with_key(entry: &mut TargetEntry) {
        entry.api_key_env = Some("MY_KEY".to_owned());
    }

    fn with_header(entry: &mut TargetEntry) {
        entry.headers.insert("x-team".to_owned(), "blue".to_owned());
    }

    #[test]
    fn no_credential_crosses_a_network_in_the_clear() {
        let nothing = |_: &mut TargetEntry| {};
        let refused = |result: Result<Connection, ConnectError>| {
            matches!(result, Err(ConnectError::PlainHttp { .. }))
        };
        for host in
            ["10.0.0.5:8000", "example.test", "127.0.0.1.example.test", "[fe80::1]", "0.0.0.0"]
        {
            let url = format!("http://{host}/v1");
            assert!(refused(connected(&url, with_key)), "{host}");
            assert!(refused(connected(&url, with_header)), "{host}");
            assert!(connected(&url, nothing).is_ok(), "{host}");
            assert!(connected(&url.replace("http:", "https:"), with_key).is_ok(), "{host}");
            let allowed = |entry: &mut TargetEntry| {
                with_key(entry);
                entry.insecure_http = Some(true);
            };
            assert!(connected(&url, allowed).is_ok(), "{host}");
        }
        for url in ["http://me:pw@h.test/v1", "http://h.test/v1?session=abc"] {
            assert!(refused(connected(url, nothing)), "{url}");
        }
        for host in ["127.0.0.1:1", "127.8.8.8", "localhost", "[::1]:1", "[::ffff:127.0.0.1]"] {
            assert!(connected(&format!("http://{host}/v1"), with_key).is_ok(), "{host}");
        }
    }
}
