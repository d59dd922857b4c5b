//! HTTP: one attempt over the network. The only file that uses the HTTP client.
//!
//! Redirects are never followed; proxies are taken from the environment, but loopback addresses are
//! always reached directly; the size of a compressed body is measured after unpacking.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, ClientBuilder};
use tokio::time::{Instant, timeout, timeout_at};
use url::{Host, Url};

use super::apart::{LONG, apart};
use super::bounds::SizeLimits;
use super::call::{HeaderText, HttpCall, Method, SentRequest, redacted_url};
use super::error::{CloseStage, TransportError};
use super::exchange::{Body, Exchange, HttpOutcome, Response, Timing};
use super::in_flight::{InFlight, Room};
use super::lane::{lane, lanes};
use super::receive::Receiver;
use super::timeouts::{Phase, Timeouts};
use super::{Judge, Transport, headers, tls};
use crate::secret::Scrubber;

const USER_AGENT: &str = concat!("toolprobe/", env!("CARGO_PKG_VERSION"));

/// Sends each call once. One serves any number of endpoints.
#[derive(Debug)]
pub struct HttpTransport {
    timeouts: Timeouts,
    limits: SizeLimits,
    scrubber: Scrubber,
    pool: Pool,
    in_flight: InFlight,
}

/// Kept-alive connections. Clones share them; making a new pool is slow.
#[derive(Debug, Clone)]
pub struct Pool {
    connect: Duration,
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
    fn client_for(&self, url: &Url, origin: &str) -> &Client {
        let single_use = || self.single_use.get_or_init(|| Clients::new(self.connect, 0).ok());
        let is_large = self.reply_size(origin) == Some(ReplySize::Large);
        let clients = if is_large { single_use().as_ref() } else { None };
        let own = lane().checked_sub(1).and_then(|place| self.of_lanes.get(place));
        clients.or(own).unwrap_or(&self.clients).for_address(url)
    }

    fn stage_before_reply(&self, origin: &str) -> CloseStage {
        match self.reply_size(origin) {
            Some(ReplySize::Small) => CloseStage::BeforeReplyReused,
            Some(ReplySize::Large) | None => CloseStage::BeforeReply,
        }
    }

    fn reply_size(&self, origin: &str) -> Option<ReplySize> {
        self.known_origins.lock().unwrap_or_else(PoisonError::into_inner).get(origin).copied()
    }

    fn add_known_origin(&self, origin: String) {
        let mut known = self.known_origins.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(origin).or_insert(ReplySize::Small);
    }

    fn mark_large(&self, origin: String) {
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

impl HttpTransport {
    /// A transport within these limits whose records are free of the scrubber's secrets.
    pub fn new(
        timeouts: Timeouts,
        limits: SizeLimits,
        scrubber: Scrubber,
    ) -> Result<Self, SetupError> {
        Ok(Self::over(Pool::new(timeouts.connect)?, timeouts, limits, scrubber))
    }

    /// The same over a shared pool, whose connect timeout is used.
    pub fn over(pool: Pool, timeouts: Timeouts, limits: SizeLimits, scrubber: Scrubber) -> Self {
        let timeouts = Timeouts { connect: pool.connect, ..timeouts };
        Self { timeouts, limits, scrubber, pool, in_flight: InFlight::new(&limits) }
    }

    /// The same, with room for large replies that it shares with other transports.
    #[must_use]
    pub fn sharing(self, in_flight: InFlight) -> Self {
        Self { in_flight, ..self }
    }

    /// The registered secrets and those of the call, which nearly always are registered.
    fn scrubber_for(&self, call: &HttpCall) -> Cow<'_, Scrubber> {
        let mut scrubber = Cow::Borrowed(&self.scrubber);
        for secret in call.secrets().filter(|secret| !self.scrubber.knows(secret)) {
            scrubber.to_mut().register(&secret);
        }
        scrubber
    }

    /// Sends a call and waits for the first piece of its reply; `None` where none comes.
    pub(crate) async fn begin(&self, call: &HttpCall) -> Option<BegunReply> {
        let mut response = self.send_and_read_head(call, Instant::now()).await.ok()?;
        let first = timeout(self.timeouts.first_byte, response.chunk()).await.ok()?;
        first.ok().flatten().map(|_| BegunReply { _response: response })
    }

    async fn attempt(&self, call: &HttpCall) -> Exchange {
        let scrubber = self.scrubber_for(call);
        let started = Instant::now();
        let mut arrival = PartialResponse::default();
        let result = timeout(
            self.timeouts.total,
            self.send_and_receive(call, &scrubber, started, &mut arrival),
        )
        .await
        .unwrap_or_else(|_| Err(self.timed_out(Phase::Total)));
        let timing =
            Timing { first_byte_ms: arrival.first_byte_ms, total_ms: millis(started.elapsed()) };
        let room = std::mem::take(&mut arrival.room);
        let outcome = if arrival.is_long() {
            let scrubber = scrubber.clone().into_owned();
            apart(move || arrival.into_outcome(result, &scrubber)).await
        } else {
            arrival.into_outcome(result, &scrubber)
        };
        Exchange {
            room,
            ..Exchange::single(SentRequest::redacted(call, &scrubber), outcome, timing)
        }
    }

    async fn send_and_receive(
        &self,
        call: &HttpCall,
        scrubber: &Scrubber,
        started: Instant,
        arrival: &mut PartialResponse,
    ) -> Result<(), TransportError> {
        let response = self.send_and_read_head(call, started).await?;
        let head = read_head(&response, scrubber);
        let expected = call.framing.filter(|_| head.is_success());
        let content_type = head.header("content-type").map(str::to_owned);
        let receiver = Receiver::new(expected, content_type, self.limits);
        check_head(&arrival.response.insert((head, receiver)).0)?;
        self.read_body(response, started, arrival).await
    }

    async fn send_and_read_head(
        &self,
        call: &HttpCall,
        started: Instant,
    ) -> Result<reqwest::Response, TransportError> {
        let origin = call.url.origin().ascii_serialization();
        let client = self.pool.client_for(&call.url, &origin);
        let request = client.request(call.method.into(), call.url.clone());
        let request = match &call.body {
            Some(body) => request.body(Bytes::from_owner(body.clone())),
            None => request,
        };
        let sending = request.headers(header_map(call)?).send();
        let stage = self.pool.stage_before_reply(&origin);
        let response = timeout_at(started + self.timeouts.first_byte, sending)
            .await
            .map_err(|_| self.timed_out(Phase::FirstByte))?
            .map_err(|error| self.head_error(&error, stage))?;
        self.pool.add_known_origin(origin);
        Ok(response)
    }

    async fn read_body(
        &self,
        mut response: reqwest::Response,
        started: Instant,
        arrival: &mut PartialResponse,
    ) -> Result<(), TransportError> {
        let Some((_, receiver)) = &mut arrival.response else { return Ok(()) };
        let announced = response.content_length().and_then(|it| usize::try_from(it).ok());
        loop {
            let (phase, deadline) = match arrival.first_byte_ms {
                None => (Phase::FirstByte, started + self.timeouts.first_byte),
                Some(_) => (Phase::Idle, Instant::now() + self.timeouts.idle),
            };
            let piece = timeout_at(deadline, response.chunk())
                .await
                .map_err(|_| self.timed_out(phase))?
                .map_err(|error| body_error(&error))?;
            let at_ms = millis(started.elapsed());
            let Some(bytes) = piece else { return receiver.finish(at_ms) };
            arrival.first_byte_ms.get_or_insert(at_ms);
            // Before it is copied: pieces have up to 400 KB, and there may be many who wait.
            let coming = announced.unwrap_or_default().max(receiver.received() + bytes.len());
            if let Some(room) = receiver.wants_room(coming).filter(|_| !arrival.room.is_taken()) {
                self.pool.mark_large(response.url().origin().ascii_serialization());
                arrival.room = self.in_flight.take(room).await;
            }
            receiver.push(&bytes, at_ms)?;
        }
    }

    fn timed_out(&self, phase: Phase) -> TransportError {
        TransportError::Timeout { phase, limit_ms: millis(self.timeouts.of(phase)) }
    }

    fn head_error(&self, error: &reqwest::Error, stage: CloseStage) -> TransportError {
        let detail = causes(error);
        if error.is_connect() && error.is_timeout() {
            self.timed_out(Phase::Connect)
        } else if error.is_dns() {
            TransportError::Dns { detail }
        } else if error.is_connect() && is_tls(error) {
            TransportError::Tls { detail }
        } else if error.is_connect() {
            TransportError::Connect { detail }
        } else if is_closed(error) {
            TransportError::Closed { stage, detail }
        } else if chain(error).any(is_not_http) {
            TransportError::NotHttp { detail }
        } else {
            TransportError::Other { detail }
        }
    }
}

/// A reply of which the first piece is here. The client hangs up when it is dropped.
#[derive(Debug)]
pub(crate) struct BegunReply {
    _response: reqwest::Response,
}

impl Transport for HttpTransport {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        SentRequest::redacted(call, &self.scrubber_for(call))
    }

    fn send<'a>(&'a self, call: &'a HttpCall, _judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        self.attempt(call).boxed()
    }
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

/// Later headers replace earlier ones of the same name, the content type of the body included.
fn header_map(call: &HttpCall) -> Result<HeaderMap, TransportError> {
    let mut map = HeaderMap::new();
    if call.body.is_some() {
        map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for (name, value) in &call.headers {
        let invalid = || TransportError::InvalidHeader { name: name.clone() };
        let key = HeaderName::try_from(name.as_str()).map_err(|_| invalid())?;
        map.insert(key, header_value(value).map_err(|_| invalid())?);
    }
    Ok(map)
}

fn header_value(text: &HeaderText) -> Result<HeaderValue, reqwest::header::InvalidHeaderValue> {
    match text {
        HeaderText::Plain(text) => HeaderValue::from_str(text),
        HeaderText::Secret { scheme, secret } => {
            let mut value = HeaderValue::from_str(&format!("{scheme}{}", secret.expose()))?;
            value.set_sensitive(true);
            Ok(value)
        }
    }
}

impl From<Method> for reqwest::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Get => Self::GET,
            Method::Post => Self::POST,
        }
    }
}

/// What has arrived of a response; kept when the wait for the rest is cancelled.
#[derive(Debug, Default)]
struct PartialResponse {
    /// Status and headers, and the receiver of the body.
    response: Option<(Response, Receiver)>,
    first_byte_ms: Option<u64>,
    /// The room of a large body.
    room: Room,
}

impl PartialResponse {
    /// Whether it takes long to look through what came.
    fn is_long(&self) -> bool {
        self.response.as_ref().is_some_and(|(_, receiver)| receiver.received() >= LONG)
    }

    fn into_outcome(self, result: Result<(), TransportError>, scrubber: &Scrubber) -> HttpOutcome {
        let oversize = matches!(result, Err(TransportError::TooLarge { .. }));
        let response = self.response.map(|(head, receiver)| Response {
            body: receiver.into_body(scrubber, oversize),
            ..head
        });
        match (result, response) {
            (Ok(()), Some(response)) => HttpOutcome::Answered(response),
            (Ok(()), None) => {
                let error = TransportError::Other { detail: "no response".to_owned() };
                HttpOutcome::Failed { error, partial: None }
            }
            (Err(error), partial) => HttpOutcome::Failed { error: error.scrub(scrubber), partial },
        }
    }
}

/// A response whose body has not arrived, without secrets.
fn read_head(response: &reqwest::Response, scrubber: &Scrubber) -> Response {
    let kept = response.headers().iter().filter(|(name, _)| headers::is_kept(name.as_str()));
    let read = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let mut headers: Vec<(String, String)> = kept.map(read).collect();
    scrubber.pieces(headers.iter_mut().map(|(_, value)| value).collect());
    // After the search for secrets, which an address that is parsed may hide.
    for (_, location) in headers.iter_mut().filter(|(name, _)| LOCATION == name.as_str()) {
        *location = redacted_location(std::mem::take(location));
    }
    Response { status: response.status().as_u16(), headers, body: Body::Whole(String::new()) }
}

/// Refuses a redirect and an encoding that cannot be read. The HTTP client removes the encoding
/// header of what it unpacks, so a header that is left names an encoding it does not know.
fn check_head(head: &Response) -> Result<(), TransportError> {
    if let (status @ 300..400, Some(location)) = (head.status, head.header("location")) {
        return Err(TransportError::Redirect { status, location: location.to_owned() });
    }
    match head.header("content-encoding") {
        None | Some("" | "identity") => Ok(()),
        Some(other) => Err(TransportError::Decompression {
            detail: format!("content encoding '{other}' was not asked for"),
        }),
    }
}

/// Gateways put tokens into the addresses they send clients to.
fn redacted_location(text: String) -> String {
    Url::parse(&text).map_or(text, |url| redacted_url(&url))
}

fn body_error(error: &reqwest::Error) -> TransportError {
    let detail = causes(error);
    if is_closed(error) {
        TransportError::Closed { stage: CloseStage::MidBody, detail }
    } else if error.is_decode() {
        TransportError::Decompression { detail }
    } else {
        TransportError::NotHttp { detail }
    }
}

fn chain<'e>(error: &'e reqwest::Error) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let first: Option<&'e (dyn Error + 'static)> = Some(error);
    std::iter::successors(first, |error| (*error).source())
}

/// The causes in words. The client's own sentence is left out: it holds the address, which may hold
/// a credential.
fn causes(error: &reqwest::Error) -> String {
    let mut texts: Vec<String> = chain(error).skip(1).map(ToString::to_string).collect();
    texts.dedup();
    if texts.is_empty() { "no cause given".to_owned() } else { texts.join(": ") }
}

fn is_closed(error: &reqwest::Error) -> bool {
    chain(error).any(|cause| {
        cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message)
            || io_kind(cause).is_some_and(|kind| {
                matches!(
                    kind,
                    ErrorKind::ConnectionReset
                        | ErrorKind::ConnectionAborted
                        | ErrorKind::BrokenPipe
                        | ErrorKind::UnexpectedEof
                        | ErrorKind::NotConnected
                )
            })
    })
}

/// The TLS library reports through I/O errors of this kind; a plain connection has none.
fn is_tls(error: &reqwest::Error) -> bool {
    chain(error).any(|cause| io_kind(cause) == Some(ErrorKind::InvalidData))
}

fn is_not_http(cause: &(dyn Error + 'static)) -> bool {
    cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse)
}

/// The kind of an I/O error; of the innermost, where one wraps another without naming it its source.
fn io_kind(cause: &(dyn Error + 'static)) -> Option<ErrorKind> {
    let mut error = cause.downcast_ref::<io::Error>()?;
    while let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
        error = inner;
    }
    Some(error.kind())
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
