//! How does a server misbehave on purpose? A raw TCP server for tests, scripted per connection.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// What the server does next on a connection.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Reads one whole request.
    Read,
    /// Writes these bytes.
    Write(Vec<u8>),
    /// Writes this piece this many times, stopping silently when the client has gone.
    Repeat(Vec<u8>, usize),
    /// Keeps the connection open and silent.
    Hang,
    /// Breaks the connection with a reset.
    Reset,
}

/// A server on a port of its own, stopped when dropped.
#[derive(Debug)]
pub(super) struct Scripted {
    /// Its address, with a path.
    pub(super) url: Url,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Scripted {
    /// Plays one script per connection, in the order of the connections, and then accepts no more.
    pub(super) async fn start(scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/chat", listener.local_addr().unwrap()).parse().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, scripts) = (Arc::clone(&requests), scripts.into_iter().collect::<Vec<_>>());
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            for script in scripts {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(play(stream, script, Arc::clone(&seen)));
            }
            drop(listener);
            connections.join_all().await;
        });
        Self { url, requests, task }
    }

    /// A server that answers every request of one connection after the other with these responses.
    pub(super) async fn answering(responses: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self::start(responses.into_iter().map(|bytes| vec![Step::Read, Step::Write(bytes)])).await
    }

    /// The requests that were read, head and body.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn play(mut stream: TcpStream, script: Vec<Step>, seen: Arc<Mutex<Vec<String>>>) {
    for step in script {
        match step {
            Step::Read => {
                let request = read_request(&mut stream).await;
                seen.lock().unwrap().push(request);
            }
            Step::Write(bytes) => stream.write_all(&bytes).await.unwrap(),
            Step::Repeat(bytes, times) => {
                for _ in 0..times {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
            }
            Step::Hang => std::future::pending().await,
            Step::Reset => {
                stream.set_zero_linger().unwrap();
                return;
            }
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    while !is_complete(&bytes) {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await.unwrap() {
            0 => break,
            n => bytes.extend_from_slice(&piece[..n]),
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn is_complete(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

/// A response of this status with headers (each ending in CRLF) and a body of known length.
pub(super) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// The head of a chunked event stream.
pub(super) const EVENT_STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// One chunk of a chunked body; an empty one ends it.
pub(super) fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}
