//! HTTP: one attempt over the network. No other room uses the HTTP client.
//!
//! Redirects are never followed; the size of a compressed body is measured after unpacking.
//!
//! - `pool`: which connection a request goes over
//! - `failure`: what the client's errors mean

mod failure;
mod pool;

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use self::failure::{body_error, causes, chain, is_closed, is_not_http, is_tls};
pub(crate) use self::pool::is_loopback;
pub use self::pool::{Pool, SetupError};
use super::apart::{LONG, apart};
use super::bounds::SizeLimits;
use super::call::{HeaderText, HttpCall, Method, SentRequest, redacted_url};
use super::error::{CloseStage, TransportError};
use super::exchange::{Body, Exchange, HttpOutcome, Response, Timing};
use super::in_flight::{InFlight, Room};
use super::receive::Receiver;
use super::timeouts::{Phase, Timeouts};
use super::{Judge, Transport, headers};
use crate::secret::Scrubber;

/// Sends each call once. One serves any number of endpoints.
#[derive(Debug)]
pub struct HttpTransport {
    timeouts: Timeouts,
    limits: SizeLimits,
    scrubber: Scrubber,
    pool: Pool,
    in_flight: InFlight,
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

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
