//! The test server of this crate: raw TCP on loopback that does what a script says.
//!
//! `tests/endpoints/server.rs` is apart on purpose: the verdicts there are tested over code that
//! shares nothing with this crate.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use url::Url;

/// What the server does next on a connection.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Reads one whole request.
    Read,
    /// Writes these bytes.
    Write(Vec<u8>),
    /// Writes this piece this many times.
    Repeat(Vec<u8>, usize),
    /// Keeps the connection open and silent.
    Hang,
    /// Breaks the connection with a reset.
    Reset,
}

/// A server on a port of its own, stopped when dropped.
#[derive(Debug)]
pub(crate) struct Scripted {
    /// Its address, with a path.
    pub(crate) url: Url,
    requests: Requests,
    task: tokio::task::JoinHandle<()>,
}

type Requests = Arc<Mutex<Vec<String>>>;

impl Scripted {
    /// Plays one script per connection, in the order of the connections, and then accepts no more.
    pub(crate) async fn start(scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        let scripts = scripts.into_iter().collect::<Vec<_>>();
        Self::serve(|listener, requests| async move {
            let mut connections = JoinSet::new();
            for script in scripts {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(play(stream, script, Arc::clone(&requests)));
            }
            drop(listener);
            connections.join_all().await;
        })
        .await
    }

    /// Answers the request of one connection after the other with these responses.
    pub(crate) async fn answering(responses: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self::start(responses.into_iter().map(|bytes| vec![Step::Read, Step::Write(bytes)])).await
    }

    /// Reads one request of each connection and plays the script that is made for it.
    pub(crate) async fn answering_by<F>(script_for: F) -> Self
    where
        F: Fn(&str) -> Vec<Step> + Send + Sync + 'static,
    {
        let script_for = Arc::new(script_for);
        Self::serve(|listener, requests| async move {
            let mut connections = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (script_for, requests) = (Arc::clone(&script_for), Arc::clone(&requests));
                connections.spawn(async move {
                    let request = read_request(&mut stream).await;
                    let script = script_for(&request);
                    requests.lock().unwrap().push(request);
                    play(stream, script, requests).await;
                });
            }
        })
        .await
    }

    async fn serve<F>(accept: impl FnOnce(TcpListener, Requests) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/chat", listener.local_addr().unwrap()).parse().unwrap();
        let requests = Requests::default();
        let task = tokio::spawn(accept(listener, Arc::clone(&requests)));
        Self { url, requests, task }
    }

    /// The requests that were read, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The address of this path.
    pub(crate) fn at(&self, path: &str) -> String {
        self.url.join(path).unwrap().to_string()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Stops when the client has gone.
async fn play(mut stream: TcpStream, script: Vec<Step>, requests: Requests) {
    for step in script {
        let is_written = match step {
            Step::Read => {
                let request = read_request(&mut stream).await;
                requests.lock().unwrap().push(request);
                true
            }
            Step::Write(bytes) => stream.write_all(&bytes).await.is_ok(),
            Step::Repeat(bytes, times) => {
                let mut written = 0;
                while written < times && stream.write_all(&bytes).await.is_ok() {
                    written += 1;
                }
                written == times
            }
            Step::Hang => std::future::pending().await,
            Step::Reset => {
                stream.set_zero_linger().unwrap();
                return;
            }
        };
        if !is_written {
            return;
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !is_complete(&bytes) {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await.unwrap_or(0) {
            0 => break,
            n => bytes.extend_from_slice(&piece[..n]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_complete(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

/// A response of this status with headers (each ending in CRLF) and a body of known length.
pub(crate) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// The head of a chunked event stream.
pub(crate) const EVENT_STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// One chunk of a chunked body; an empty one ends it.
pub(crate) fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}
