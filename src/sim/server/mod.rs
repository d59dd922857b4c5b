//! The HTTP server of the simulated models.
//!
//! All models stand behind one port, on the providers' own paths; the model's name picks the file.
//!
//! - `respond`: from a request to its answer, without a socket
//! - `listing`: what is told about the models
//! - `faults`: what a faulty server does
//! - `answer`: what is sent back, and how the connection ends
//! - `recorded`: recorded answers in place of simulated ones
//! - `closing`: connections that close without notice; `receive`: bodies within limits
//! - `arrivals`: what came in, and what it was answered; `whereabouts`: how others get to read that,
//!   and `watchers`: one at a time

mod answer;
mod arrivals;
mod closing;
mod faults;
mod listing;
mod receive;
mod recorded;
mod respond;
#[cfg(test)]
mod tests;
mod watchers;
mod whereabouts;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use futures_util::{Stream, StreamExt, future, stream};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::official::StoredResponses;
use super::{Fleet, Pace};
use answer::{Ending, HttpAnswer, Payload};
use closing::{CloseHandle, ClosingListener};
use faults::SeenRequests;
use receive::{BodyRoom, Received};
pub(crate) use recorded::{RecordedAnswer, RecordedAnswers, RecordedHead};
use respond::{IncomingRequest, respond};

use arrivals::DeliveryNote;
pub(crate) use arrivals::{Arrival, Arrivals, Delivery};
pub(crate) use watchers::WATCHERS_PATH;
use watchers::Watchers;
pub(crate) use whereabouts::{ARRIVALS_PATH, ArrivalPage, REPEAT_SLOWLY, WHERE_SERVED, served_at};

/// Settings of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The only key that is accepted; without one, requests need no key.
    pub api_key: Option<String>,
    /// The longest request body that is read, in bytes.
    pub body_limit: usize,
    /// The most bytes of all request bodies that are held at the same time. What does not fit is
    /// refused with a 503.
    pub bodies_limit: usize,
    /// The most connections at the same time. Beyond it, the oldest that waits for a request is closed.
    pub max_connections: usize,
    /// How long a client may take to send a whole request.
    pub request_time: Duration,
    /// What time it is.
    pub clock: Clock,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            api_key: None,
            body_limit: 32 << 20,
            bodies_limit: 64 << 20,
            max_connections: 512,
            request_time: Duration::from_secs(60),
            clock: Clock::System,
        }
    }
}

/// Where a server gets its time from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The machine.
    System,
    /// It stands still at this Unix time.
    Fixed(i64),
}

impl Clock {
    fn now(self) -> i64 {
        match self {
            Self::System => chrono::Utc::now().timestamp(),
            Self::Fixed(seconds) => seconds,
        }
    }
}

/// A server of simulated models.
#[derive(Debug)]
pub struct Sim;

impl Sim {
    /// Starts serving on this address; port 0 picks a free one.
    pub async fn start(
        fleet: Fleet,
        addr: impl tokio::net::ToSocketAddrs,
        options: Options,
    ) -> io::Result<Running> {
        Self::serve(Source::Simulated(fleet), addr, options).await
    }

    /// Starts serving recorded answers; whatever was not recorded is refused.
    pub async fn replay(
        recordings: Arc<dyn RecordedAnswers>,
        addr: impl tokio::net::ToSocketAddrs,
        options: Options,
    ) -> io::Result<Running> {
        Self::serve(Source::Recorded(recordings), addr, options).await
    }

    async fn serve(
        source: Source,
        addr: impl tokio::net::ToSocketAddrs,
        options: Options,
    ) -> io::Result<Running> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        let (stop, stopped) = watch::channel(());
        let listener =
            ClosingListener::new(listener, options.max_connections, options.request_time);
        let room = BodyRoom::new(options.body_limit, options.bodies_limit);
        let arrivals = Arrivals::default();
        let shared = Arc::new(Shared {
            source,
            options,
            memory: Memory::default(),
            room,
            arrivals: arrivals.clone(),
            watchers: Watchers::default(),
            served_at: format!("http://{}", reachable(addr)),
            stopped,
        });
        let app = Router::new().fallback(handle).with_state(Arc::clone(&shared));
        let service = app.into_make_service_with_connect_info::<CloseHandle>();
        let mut stopped = shared.stopped.clone();
        let serving = axum::serve(listener, service).with_graceful_shutdown(async move {
            // An error means that the `Running` was dropped, which stops the server too.
            let _ = stopped.changed().await;
        });
        let task = tokio::spawn(serving.into_future());
        Ok(Running { addr, arrivals, stop, task })
    }
}

/// The address under which this machine reaches a server that listens there.
fn reachable(addr: SocketAddr) -> SocketAddr {
    match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, addr.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, addr.port()).into(),
        _ => addr,
    }
}

/// A server that runs until it is told to stop or dropped.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    arrivals: Arrivals,
    stop: watch::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

impl Running {
    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The requests that reach it.
    pub fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    /// The base of all its paths, without a slash at the end.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Takes no more requests, lets the running ones finish, and returns when they have.
    pub async fn shutdown(self) -> io::Result<()> {
        drop(self.stop);
        self.task.await.map_err(io::Error::other)?
    }
}

/// Where answers come from.
enum Source {
    Simulated(Fleet),
    Recorded(Arc<dyn RecordedAnswers>),
}

/// What a server remembers from one request to the next.
#[derive(Debug, Default)]
struct Memory {
    seen: SeenRequests,
    stored: StoredResponses,
}

struct Shared {
    source: Source,
    options: Options,
    memory: Memory,
    arrivals: Arrivals,
    watchers: Watchers,
    served_at: String,
    room: BodyRoom,
    stopped: watch::Receiver<()>,
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(close): ConnectInfo<CloseHandle>,
    request: Request,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let (body, _room) = match shared.room.receive(body).await {
        Received::Whole(bytes, room) => (Some(bytes), room),
        Received::TooLarge => (None, Vec::new()),
        Received::NoRoom => return response(respond::busy(), close, None),
    };
    let _answering = close.begin_answer();
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let incoming = IncomingRequest {
        method: &head.method,
        path: head.uri.path(),
        query: &query,
        headers: &head.headers,
        body: body.as_deref(),
        served_at: &shared.served_at,
    };
    if let Some(answered) = shared.watchers.answer(&incoming) {
        return response(answered, close, None);
    }
    if let Some(listed) = whereabouts::list(&shared.arrivals, &incoming) {
        return response(listed, close, None);
    }
    let answer = match &shared.source {
        Source::Simulated(fleet) => respond(fleet, &shared.options, &shared.memory, &incoming),
        Source::Recorded(recordings) => recorded::respond(&**recordings, &incoming),
    };
    let note = shared.arrivals.note(&incoming, &answer);
    if answer.payload == Payload::Silence {
        // Until the client gives up, which drops this, or the server is stopped.
        let _ = shared.stopped.clone().changed().await;
    }
    response(answer, close, note)
}

fn response(answer: HttpAnswer, close: CloseHandle, note: Option<DeliveryNote>) -> Response<Body> {
    let HttpAnswer { payload, ending, pace, .. } = answer;
    let mut response = Response::new(body(payload, ending, pace, close, note));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(&value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

const FLOOD_PIECE: Bytes = Bytes::from_static(&[b' '; 64 << 10]);

fn body(
    payload: Payload,
    ending: Ending,
    pace: Pace,
    close: CloseHandle,
    mut note: Option<DeliveryNote>,
) -> Body {
    if !matches!(payload, Payload::Pieces(_) | Payload::Silence) {
        note.iter_mut().for_each(DeliveryNote::sent);
    }
    match payload {
        Payload::Whole(bytes) => Body::from(bytes),
        Payload::Silence => Body::empty(),
        Payload::Flood(bytes) => {
            let pieces = bytes.div_ceil(FLOOD_PIECE.len());
            Body::from_stream(stream::iter((0..pieces).map(|_| Ok::<_, io::Error>(FLOOD_PIECE))))
        }
        Payload::Pieces(pieces) => {
            Body::from_stream(note_end(send_pieces(pieces, ending, pace, close), note))
        }
    }
}

/// Sends the pieces one by one, then ends the connection as told.
fn send_pieces(
    mut pieces: Vec<Vec<u8>>,
    ending: Ending,
    pace: Pace,
    close: CloseHandle,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    pieces.retain(|piece| !piece.is_empty());
    if ending == Ending::Cut {
        pieces.truncate(pieces.len() / 2);
    }
    let sent = stream::iter(pieces).enumerate().then(move |(place, piece)| async move {
        match pace.wait_before(place) {
            Some(wait) => tokio::time::sleep(wait).await,
            // Yielding between pieces sends each as a chunk of its own.
            None => tokio::task::yield_now().await,
        }
        Ok(Bytes::from(piece))
    });
    let end = stream::iter([ending]).filter_map(move |ending| {
        future::ready(match ending {
            Ending::Kept => None,
            // Only after the last piece: before it, the server would think that the client has left.
            Ending::Closed => {
                close.close_after_response();
                None
            }
            Ending::Cut => Some(Err(io::Error::from(io::ErrorKind::ConnectionReset))),
        })
    });
    sent.chain(end)
}

/// The same stream, whose end is noted. One that is dropped before was hung up on.
fn note_end<S: Stream + Send>(
    pieces: S,
    mut note: Option<DeliveryNote>,
) -> impl Stream<Item = S::Item> + Send {
    let end = stream::poll_fn(move |_| {
        note.take().iter_mut().for_each(DeliveryNote::sent);
        Poll::Ready(None)
    });
    pieces.chain(end)
}
