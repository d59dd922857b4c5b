//! How are simulated models served?
//!
//! All models stand behind one port, on the providers' own paths; the model's name picks the file.
//!
//! - [`respond`](self): from a request to its answer, without a socket
//! - [`listing`](self): what is told about the models
//! - [`faults`](self): what a faulty server does
//! - [`openings`](self): which conversations have begun
//! - [`outcome`](self): an answer as the connection will see it
//! - [`line`](self): connections that close without a word

mod faults;
mod line;
mod listing;
mod openings;
mod outcome;
mod respond;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use futures_util::{Stream, StreamExt, future, stream};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::Fleet;
use faults::Seen;
use line::{HangUp, Switchboard};
use openings::Openings;
use outcome::{Ending, Outcome, Payload};
use respond::{Incoming, respond};

/// What a server is told besides its models.
#[derive(Debug, Clone)]
pub struct Options {
    /// The only key that is accepted; without one, requests need no key.
    pub api_key: Option<String>,
    /// The longest request body that is read, in bytes.
    pub body_limit: usize,
    /// What time it is.
    pub clock: Clock,
}

impl Default for Options {
    fn default() -> Self {
        Self { api_key: None, body_limit: 32 << 20, clock: Clock::System }
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
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        let (stop, stopped) = watch::channel(());
        let shared = Arc::new(Shared {
            fleet,
            options,
            seen: Seen::default(),
            openings: Openings::default(),
            stopped,
        });
        let app = Router::new().fallback(handle).with_state(Arc::clone(&shared));
        let service = app.into_make_service_with_connect_info::<HangUp>();
        let mut stopped = shared.stopped.clone();
        let serving =
            axum::serve(Switchboard(listener), service).with_graceful_shutdown(async move {
                // An error means that the `Running` is gone, which is as good as a stop.
                let _ = stopped.changed().await;
            });
        let task = tokio::spawn(serving.into_future());
        Ok(Running { addr, stop, task })
    }
}

/// A server that runs until it is told to stop or dropped.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    stop: watch::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

impl Running {
    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
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

struct Shared {
    fleet: Fleet,
    options: Options,
    seen: Seen,
    openings: Openings,
    stopped: watch::Receiver<()>,
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(line): ConnectInfo<HangUp>,
    request: Request,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, shared.options.body_limit).await.ok();
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let incoming = Incoming {
        method: &head.method,
        path: head.uri.path(),
        query: &query,
        headers: &head.headers,
        body: body.as_deref(),
    };
    let outcome =
        respond(&shared.fleet, &shared.options, &shared.seen, &shared.openings, &incoming);
    if outcome.payload == Payload::Silence {
        // Until the client gives up, which drops this, or the server is stopped.
        let _ = shared.stopped.clone().changed().await;
    }
    response(outcome, line)
}

fn response(outcome: Outcome, line: HangUp) -> Response<Body> {
    let mut response = Response::new(body(outcome.payload, outcome.ending, line));
    *response.status_mut() =
        StatusCode::from_u16(outcome.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in outcome.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().append(HeaderName::from_static(name), value);
        }
    }
    response
}

const FLOOD_PIECE: Bytes = Bytes::from_static(&[b' '; 64 << 10]);

fn body(payload: Payload, ending: Ending, line: HangUp) -> Body {
    match payload {
        Payload::Whole(bytes) => Body::from(bytes),
        Payload::Silence => Body::empty(),
        Payload::Flood(bytes) => {
            let pieces = bytes.div_ceil(FLOOD_PIECE.len());
            Body::from_stream(stream::iter((0..pieces).map(|_| Ok::<_, io::Error>(FLOOD_PIECE))))
        }
        Payload::Pieces(pieces) => Body::from_stream(paced(pieces, ending, line)),
    }
}

/// The pieces one by one, and then what becomes of the connection.
fn paced(
    mut pieces: Vec<Vec<u8>>,
    ending: Ending,
    line: HangUp,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    pieces.retain(|piece| !piece.is_empty());
    if ending == Ending::Cut {
        pieces.truncate(pieces.len() / 2);
    }
    // Giving way between pieces lets each leave as a chunk of its own.
    let sent = stream::iter(pieces).then(|piece| async {
        tokio::task::yield_now().await;
        Ok(Bytes::from(piece))
    });
    let end = stream::iter([ending]).filter_map(move |ending| {
        future::ready(match ending {
            Ending::Kept => None,
            // Not before the last piece: the server would take it for a client that has gone.
            Ending::HungUp => {
                line.after_this_response();
                None
            }
            Ending::Cut => Some(Err(io::Error::from(io::ErrorKind::ConnectionReset))),
        })
    });
    sent.chain(end)
}
