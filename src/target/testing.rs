//! How does a server answer by path? A real one on loopback, for tests.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::{Connection, Credentials, Endpoint, Target};
use crate::ir::Object;
use crate::transport::{Budget, HttpTransport, Scrubber, SizeLimits, Timeouts};

/// What a path is answered with.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// JSON of this status.
    Json(u16, Value),
    /// Any other text of this status.
    Text(u16, &'static str, &'static str),
    /// Nothing, ever.
    Hang,
}

/// A request line, such as `POST /v1/messages`, and its answer. Everything else is a bare 404.
pub(super) type Routes = Vec<(&'static str, Reply)>;

/// A server on a port of its own, stopped when dropped.
#[derive(Debug)]
pub(super) struct Routed {
    /// Its address, without a path.
    pub(super) url: Url,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Routed {
    pub(super) async fn start(routes: Routes) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(answer(stream, routes.clone(), Arc::clone(&seen)));
            }
        });
        Self { url, requests, task }
    }

    /// The requests that were read, head and body.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// An address below this server.
    pub(super) fn at(&self, path: &str) -> String {
        self.url.join(path).unwrap().to_string()
    }
}

impl Drop for Routed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A transport with the usual limits.
pub(super) fn transport() -> HttpTransport {
    HttpTransport::new(Timeouts::default(), SizeLimits::default(), Scrubber::default()).unwrap()
}

/// A connection to a model at this endpoint, without a key.
pub(super) fn connection(endpoint: &Endpoint, model: &str) -> Connection {
    let target = Target {
        name: model.to_owned(),
        model: model.to_owned(),
        variant: None,
        extra_body: Object::new(),
        require: Vec::new(),
        subject: None,
        endpoint: endpoint.clone(),
    };
    Connection {
        target,
        transport: Arc::new(transport()),
        credentials: Credentials::default(),
        budget: Arc::new(Budget::unlimited()),
    }
}

async fn answer(mut stream: TcpStream, routes: Routes, seen: Arc<Mutex<Vec<String>>>) {
    let request = read_request(&mut stream).await;
    let line = request.lines().next().unwrap_or_default();
    let line = line.trim_end_matches(" HTTP/1.1").to_owned();
    seen.lock().unwrap().push(request);
    let found = routes
        .into_iter()
        .find(|(route, _)| line == *route || line.starts_with(&format!("{route}?")));
    let (status, kind, body) = match found.map(|(_, reply)| reply) {
        Some(Reply::Json(status, value)) => (status, "application/json", value.to_string()),
        Some(Reply::Text(status, kind, text)) => (status, kind, text.to_owned()),
        Some(Reply::Hang) => std::future::pending().await,
        None => (404, "text/plain", "404 page not found".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
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
