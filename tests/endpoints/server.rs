//! The test server of these tests: each request is answered with bytes that a function gives for it.
//!
//! Apart from the one inside the crate: what is tested here shares nothing with the crate under test,
//! and that one plays its scripts by connection.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One request, as far as it matters.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) body: Value,
    /// How many requests for this path came before.
    pub(crate) earlier: usize,
    /// How many requests came before, whatever their path.
    pub(crate) before: usize,
}

/// What comes after the last piece.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Then {
    Close,
    Reset,
    Hang,
}

/// The bytes of an answer, each piece written by itself.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) pieces: Vec<Bytes>,
    pub(crate) then: Then,
}

impl Script {
    /// Bytes that are not made to be HTTP.
    pub(crate) fn raw(bytes: impl Into<Bytes>, then: Then) -> Self {
        Self { pieces: vec![bytes.into()], then }
    }

    /// A whole response.
    pub(crate) fn http(status: u16, headers: &[&str], body: &[u8]) -> Self {
        let mut bytes = head(status, headers, Some(body.len())).to_vec();
        bytes.extend_from_slice(body);
        Self::raw(bytes, Then::Close)
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::http(status, &["content-type: application/json"], body.to_string().as_bytes())
    }

    /// A stream that ends with the connection.
    pub(crate) fn stream(content_type: &str, pieces: Vec<Vec<u8>>) -> Self {
        let kind = format!("content-type: {content_type}");
        let mut all = vec![head(200, &[&kind], None)];
        all.extend(pieces.into_iter().map(Bytes::from));
        Self { pieces: all, then: Then::Close }
    }
}

pub(crate) fn head(status: u16, headers: &[&str], length: Option<usize>) -> Bytes {
    let mut text = format!("HTTP/1.1 {status} Whatever\r\nconnection: close\r\n");
    for line in headers {
        text.push_str(line);
        text.push_str("\r\n");
    }
    if let Some(length) = length {
        write!(text, "content-length: {length}\r\n").unwrap();
    }
    text.push_str("\r\n");
    text.into()
}

type Behaviour = Arc<dyn Fn(&Asked) -> Script + Send + Sync>;

/// A server on a port of its own. What it has no behaviour for is not found.
pub(crate) struct Server {
    base: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Answers every POST with this behaviour.
    pub(crate) async fn start(
        behaviour: impl Fn(&Asked) -> Script + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (behaviour, kept): (Behaviour, _) = (Arc::new(behaviour), Arc::clone(&asked));
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&behaviour), Arc::clone(&kept)));
            }
        });
        Self { base, asked, task }
    }

    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// How many requests came for this path.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| asked.path == path).count()
    }

    /// How many requests came.
    pub(crate) fn total(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(connection: TcpStream, behaviour: Behaviour, kept: Arc<Mutex<Vec<Asked>>>) {
    let mut connection = BufReader::new(connection);
    let Some((method, path, body)) = request(&mut connection).await else { return };
    let asked = {
        let mut kept = kept.lock().unwrap();
        let earlier = kept.iter().filter(|asked| asked.path == path).count();
        let before = kept.iter().filter(|asked| !asked.body.is_null()).count();
        let asked = Asked { path, body, earlier, before };
        kept.push(asked.clone());
        asked
    };
    let script = match method.as_str() {
        "POST" if !asked.path.starts_with("/api/show") => behaviour(&asked),
        _ => Script::http(404, &[], b""),
    };
    write(connection.into_inner(), script).await;
}

async fn write(mut connection: TcpStream, script: Script) {
    for piece in script.pieces {
        // A client that has seen enough goes away.
        if connection.write_all(&piece).await.is_err() || connection.flush().await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    match script.then {
        Then::Close => {
            let _ = connection.shutdown().await;
            // Closing with unread bytes would reset the connection.
            let _ = connection.read(&mut [0; 64]).await;
        }
        Then::Reset => connection.set_zero_linger().unwrap(),
        Then::Hang => {
            let _ = connection.read(&mut [0; 64]).await;
        }
    }
}

async fn request(connection: &mut BufReader<TcpStream>) -> Option<(String, String, Value)> {
    let mut first = String::new();
    connection.read_line(&mut first).await.ok()?;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut length = 0;
    loop {
        let mut line = String::new();
        connection.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await.ok()?;
    let path = target.split('?').next()?.to_owned();
    Some((method, path, serde_json::from_slice(&body).unwrap_or_default()))
}
