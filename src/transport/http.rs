//! How is one attempt made over HTTP?
//!
//! The only file that knows the HTTP client. Redirects are never followed; proxies are taken from
//! the environment, except that loopback addresses are always reached directly; compressed bodies
//! are unpacked piece by piece and measured afterwards.

use std::collections::HashSet;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, ClientBuilder};
use tokio::time::{Instant, timeout, timeout_at};
use url::{Host, Url};

use super::call::{HeaderText, HttpCall, Method, SentRequest, redacted_url};
use super::error::{CloseStage, TransportError};
use super::exchange::{Body, Exchange, HttpOutcome, Response, Timing};
use super::receive::{Receiver, SizeLimits};
use super::secret::Scrubber;
use super::timeouts::{Phase, Timeouts};
use super::{Judge, Transport, headers};

const USER_AGENT: &str = concat!("toolprobe/", env!("CARGO_PKG_VERSION"));

/// Makes single attempts. One serves any number of endpoints.
#[derive(Debug)]
pub struct HttpTransport {
    timeouts: Timeouts,
    limits: SizeLimits,
    scrubber: Scrubber,
    pool: Pool,
}

/// Connections that are kept. Clones share them, and setting one up is what costs.
#[derive(Debug, Clone)]
pub struct Pool {
    connect: Duration,
    direct: Client,
    proxied: Client,
    /// Origins that have answered: a connection to them may be a kept one.
    known_origins: Arc<Mutex<HashSet<String>>>,
}

impl Pool {
    /// A pool whose connections are made within this time.
    pub fn new(connect: Duration) -> Result<Self, SetupError> {
        Ok(Self {
            connect,
            direct: base_client(connect).no_proxy().build().map_err(SetupError)?,
            proxied: base_client(connect).build().map_err(SetupError)?,
            known_origins: Arc::default(),
        })
    }

    fn client_for(&self, url: &Url) -> &Client {
        if is_loopback(url) { &self.direct } else { &self.proxied }
    }

    fn stage_before_reply(&self, origin: &str) -> CloseStage {
        let known = self.known_origins.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(origin) { CloseStage::BeforeReplyReused } else { CloseStage::BeforeReply }
    }

    fn has_answered(&self, origin: String) {
        self.known_origins.lock().unwrap_or_else(PoisonError::into_inner).insert(origin);
    }
}

/// The HTTP client could not be set up; the system's certificates are the likely reason.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up the HTTP client")]
pub struct SetupError(#[source] reqwest::Error);

impl HttpTransport {
    /// A transport within these limits whose records are free of the scrubber's secrets.
    pub fn new(
        timeouts: Timeouts,
        limits: SizeLimits,
        scrubber: Scrubber,
    ) -> Result<Self, SetupError> {
        Ok(Self::over(Pool::new(timeouts.connect)?, timeouts, limits, scrubber))
    }

    /// The same over a pool that others use too; its time to connect holds.
    pub fn over(pool: Pool, timeouts: Timeouts, limits: SizeLimits, scrubber: Scrubber) -> Self {
        let timeouts = Timeouts { connect: pool.connect, ..timeouts };
        Self { timeouts, limits, scrubber, pool }
    }

    /// The registered secrets and those of the call.
    fn scrubber_for(&self, call: &HttpCall) -> Scrubber {
        let mut scrubber = self.scrubber.clone();
        call.secrets().for_each(|secret| scrubber.register(&secret));
        scrubber
    }

    async fn attempt(&self, call: &HttpCall) -> Exchange {
        let scrubber = self.scrubber_for(call);
        let started = Instant::now();
        let mut arrival = Arrival::default();
        let result = timeout(self.timeouts.total, self.run(call, started, &mut arrival))
            .await
            .unwrap_or_else(|_| Err(self.timed_out(Phase::Total)));
        let timing =
            Timing { first_byte_ms: arrival.first_byte_ms, total_ms: millis(started.elapsed()) };
        let outcome = arrival.into_outcome(result, &scrubber);
        Exchange::single(SentRequest::redacted(call, &scrubber), outcome, timing)
    }

    async fn run(
        &self,
        call: &HttpCall,
        started: Instant,
        arrival: &mut Arrival,
    ) -> Result<(), TransportError> {
        let response = self.send_and_read_head(call, started).await?;
        let head = ResponseHead::of(&response);
        let expected = call.framing.filter(|_| response.status().is_success());
        let content_type = head.header("content-type").map(str::to_owned);
        arrival.receiver = Some(Receiver::new(expected, content_type, self.limits));
        let acceptable = head.check();
        arrival.head = Some(head);
        acceptable?;
        self.read_body(response, started, arrival).await
    }

    async fn send_and_read_head(
        &self,
        call: &HttpCall,
        started: Instant,
    ) -> Result<reqwest::Response, TransportError> {
        let request = self.pool.client_for(&call.url).request(call.method.into(), call.url.clone());
        let request = match &call.body {
            Some(body) => request.body(body.to_string()),
            None => request,
        };
        let sending = request.headers(header_map(call)?).send();
        let origin = call.url.origin().ascii_serialization();
        let stage = self.pool.stage_before_reply(&origin);
        let response = timeout_at(started + self.timeouts.first_byte, sending)
            .await
            .map_err(|_| self.timed_out(Phase::FirstByte))?
            .map_err(|error| self.head_error(&error, stage))?;
        self.pool.has_answered(origin);
        Ok(response)
    }

    async fn read_body(
        &self,
        mut response: reqwest::Response,
        started: Instant,
        arrival: &mut Arrival,
    ) -> Result<(), TransportError> {
        let Some(receiver) = &mut arrival.receiver else { return Ok(()) };
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

impl Transport for HttpTransport {
    fn redact(&self, call: &HttpCall) -> SentRequest {
        SentRequest::redacted(call, &self.scrubber_for(call))
    }

    fn send<'a>(&'a self, call: &'a HttpCall, _judge: Judge<'a>) -> BoxFuture<'a, Exchange> {
        self.attempt(call).boxed()
    }
}

/// Retries are ours to decide and to record, so the client makes none.
fn base_client(connect: Duration) -> ClientBuilder {
    Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
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

/// What has come of a response so far; it outlives a cancelled wait.
#[derive(Debug, Default)]
struct Arrival {
    head: Option<ResponseHead>,
    receiver: Option<Receiver>,
    first_byte_ms: Option<u64>,
}

impl Arrival {
    fn into_outcome(self, result: Result<(), TransportError>, scrubber: &Scrubber) -> HttpOutcome {
        let oversize = matches!(result, Err(TransportError::TooLarge { .. }));
        let response = self.head.map(|head| {
            let body = self.receiver.map(|receiver| receiver.into_body(scrubber, oversize));
            head.into_response(body.unwrap_or_else(|| Body::Whole(String::new())), scrubber)
        });
        match (result, response) {
            (Ok(()), Some(response)) => HttpOutcome::Answered(response),
            (Ok(()), None) => {
                let error = TransportError::Other { detail: "no response".to_owned() };
                HttpOutcome::Failed { error, partial: None }
            }
            (Err(error), partial) => {
                HttpOutcome::Failed { error: error.scrubbed(scrubber), partial }
            }
        }
    }
}

/// Status and headers of a response.
#[derive(Debug)]
struct ResponseHead {
    status: u16,
    headers: Vec<(String, String)>,
}

impl ResponseHead {
    fn of(response: &reqwest::Response) -> Self {
        let kept = response.headers().iter().filter(|(name, _)| headers::is_kept(name.as_str()));
        let stored = |(name, value): (&HeaderName, &HeaderValue)| {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (
                name.as_str().to_owned(),
                if name == LOCATION { redacted_location(text) } else { text },
            )
        };
        Self { status: response.status().as_u16(), headers: kept.map(stored).collect() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Refuses what must not be followed or cannot be read. The client removes the encoding header
    /// of what it unpacks, so one that is left is one that it does not know.
    fn check(&self) -> Result<(), TransportError> {
        if let (300..400, Some(location)) = (self.status, self.header("location")) {
            let (status, location) = (self.status, location.to_owned());
            return Err(TransportError::Redirect { status, location });
        }
        match self.header("content-encoding") {
            None | Some("" | "identity") => Ok(()),
            Some(other) => Err(TransportError::Decompression {
                detail: format!("content encoding '{other}' was not asked for"),
            }),
        }
    }

    fn into_response(self, body: Body, scrubber: &Scrubber) -> Response {
        let scrub = |(name, value): (String, String)| (name, scrubber.text(value));
        let headers = self.headers.into_iter().map(scrub).collect();
        Response { status: self.status, headers, body }
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
