//! Pool: which connection a request goes over.
//!
//! Each lane has clients of its own. Loopback addresses are always reached directly, others by the proxies of the
//! environment.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder};
use url::{Host, Url};

use crate::transport::error::CloseStage;
use crate::transport::lane::{lane, lanes};
use crate::transport::tls;

const USER_AGENT: &str = concat!("toolprobe/", env!("CARGO_PKG_VERSION"));

/// Kept-alive connections. Clones share them; making a new pool is slow.
#[derive(Debug, Clone)]
pub struct Pool {
    pub(super) connect: Duration,
    /// Those of threads that are no lane.
    clients: Arc<Clients>,
    of_lanes: Arc<[Clients]>,
    /// Without kept-alive connections, which keep a buffer as large as the largest piece they ever carried.
    single_use: Arc<OnceLock<Option<Clients>>>,
    /// Origins that have answered: the next connection to them may be a kept-alive one.
    known_origins: Arc<Mutex<HashMap<String, ReplySize>>>,
}

/// The clients of one lane, or of one kind of connections.
#[derive(Debug)]
struct Clients {
    direct: Client,
    proxied: Client,
}

/// How large the replies of an origin were so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplySize {
    Small,
    Large,
}

impl Clients {
    /// Clients that keep so many idle connections to each host.
    fn new(connect: Duration, idle: usize) -> Result<Self, SetupError> {
        let base = || base_client(connect).map(|base| base.pool_max_idle_per_host(idle));
        Ok(Self {
            direct: base()?.no_proxy().dns_resolver(LoopbackNames).build()?,
            proxied: base()?.build()?,
        })
    }

    fn for_address(&self, url: &Url) -> &Client {
        if is_loopback(url) { &self.direct } else { &self.proxied }
    }
}

impl Pool {
    /// A pool with this connect timeout.
    pub fn new(connect: Duration) -> Result<Self, SetupError> {
        Ok(Self {
            connect,
            clients: Arc::new(Clients::new(connect, usize::MAX)?),
            of_lanes: (0..lanes())
                .map(|_| Clients::new(connect, usize::MAX))
                .collect::<Result<_, _>>()?,
            single_use: Arc::default(),
            known_origins: Arc::default(),
        })
    }

    /// The client for an address. An origin whose replies are large gets a connection for each request, so that the
    /// buffers of many connections do not grow.
    pub(super) fn client_for(&self, url: &Url, origin: &str) -> &Client {
        let single_use = || self.single_use.get_or_init(|| Clients::new(self.connect, 0).ok());
        let is_large = self.reply_size(origin) == Some(ReplySize::Large);
        let clients = if is_large { single_use().as_ref() } else { None };
        let own = lane().checked_sub(1).and_then(|place| self.of_lanes.get(place));
        clients.or(own).unwrap_or(&self.clients).for_address(url)
    }

    pub(super) fn stage_before_reply(&self, origin: &str) -> CloseStage {
        match self.reply_size(origin) {
            Some(ReplySize::Small) => CloseStage::BeforeReplyReused,
            Some(ReplySize::Large) | None => CloseStage::BeforeReply,
        }
    }

    fn reply_size(&self, origin: &str) -> Option<ReplySize> {
        self.known_origins.lock().unwrap_or_else(PoisonError::into_inner).get(origin).copied()
    }

    pub(super) fn add_known_origin(&self, origin: String) {
        let mut known = self.known_origins.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(origin).or_insert(ReplySize::Small);
    }

    pub(super) fn mark_large(&self, origin: String) {
        let mut known = self.known_origins.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(origin, ReplySize::Large);
    }
}

/// The HTTP client could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The certificates that the system trusts cannot be used.
    #[error("cannot use the certificates of this system")]
    Certificates(#[from] rustls::Error),
    /// The client refused its settings.
    #[error("cannot set up the HTTP client")]
    Client(#[from] reqwest::Error),
}

/// Without retries of the client: `retrying` decides on them and records them.
fn base_client(connect: Duration) -> Result<ClientBuilder, rustls::Error> {
    Ok(Client::builder()
        .tls_backend_preconfigured(tls::client_config()?)
        .user_agent(USER_AGENT)
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never()))
}

/// Whether an address is on this machine. Such addresses are reached without a proxy.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// Resolves the names that [`is_loopback`] trusts, and asks nobody: where a resolver sends `localhost`
/// elsewhere, a key that may go to this machine in the clear would follow.
#[derive(Debug)]
struct LoopbackNames;

impl Resolve for LoopbackNames {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        let addresses: Addrs = Box::new(addresses.map(|ip| SocketAddr::new(ip, 0)).into_iter());
        std::future::ready(Ok(addresses)).boxed()
    }
}
