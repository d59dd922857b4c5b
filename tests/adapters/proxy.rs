//! A proxy that passes everything on but for one mutation.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Version};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::edit::{Counter, edit};
use crate::events::edited_events;
use crate::mutation::{Edit, Mutation, On};

/// The simulated models behind a server that ends with the test.
pub(crate) struct Sim {
    child: Child,
    pub(crate) url: String,
}

impl Sim {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolprobe"))
            .args(["sim", "--addr", "127.0.0.1:0"])
            .env_clear()
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut url = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut url).expect("its address");
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A proxy before an upstream, until it is dropped.
pub(crate) struct Proxy {
    pub(crate) url: String,
    _runtime: Runtime,
}

/// What a proxy needs for each request.
struct Shared {
    upstream: String,
    client: reqwest::Client,
    mutation: Option<Mutation>,
}

/// A client of its own. Whichever test makes one first installs the provider for TLS.
pub(crate) fn client() -> reqwest::Client {
    rustls::crypto::ring::default_provider().install_default().ok();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

impl Proxy {
    pub(crate) fn before(upstream: &str, mutation: Option<Mutation>) -> Self {
        let client = client();
        let shared = Arc::new(Shared { upstream: upstream.to_owned(), client, mutation });
        let app = Router::new().fallback(move |request| forward(Arc::clone(&shared), request));
        Self::serve(app)
    }

    pub(crate) fn serve(app: Router) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener =
            runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { url, _runtime: runtime }
    }
}

impl Shared {
    fn edits(&self, on: On) -> Vec<Edit> {
        let is_reply = matches!(on, On::Plain | On::Streams);
        let Some(mutation) = &self.mutation else { return Vec::new() };
        if mutation.on == on || mutation.on == On::Replies && is_reply {
            return mutation.edits.clone();
        }
        if is_reply { mutation.back.clone() } else { Vec::new() }
    }
}

/// Headers that are about one hop.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let hop = ["host", "content-length", "transfer-encoding", "connection", "accept-encoding"];
    let kept = headers.iter().filter(|(name, _)| !hop.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn without_dropped(mut headers: HeaderMap, edits: &[Edit]) -> HeaderMap {
    for edit in edits {
        if let Edit::DropHeader(name) = edit {
            headers.remove(name.as_str());
        }
    }
    headers
}

async fn forward(shared: Arc<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let edits = shared.edits(On::Requests);
    let body = edited(&body, &edits, &mut Counter::default());
    let call = shared
        .client
        .request(parts.method, format!("{}{}", shared.upstream, parts.uri))
        .headers(without_dropped(passed_on(&parts.headers), &edits))
        .body(body);
    let answer = call.send().await.expect("the simulator is there");
    let kind = answer.headers().get("content-type").map(|it| it.to_str().unwrap().to_owned());
    let kind = kind.unwrap_or_default();
    let streamed = kind.starts_with("text/event-stream") || kind.contains("ndjson");
    let on = match (answer.status().is_success(), streamed) {
        (false, _) => On::Errors,
        (true, true) => On::Streams,
        (true, false) => On::Plain,
    };
    let edits = shared.edits(on);
    let mut response = Response::builder().status(answer.status());
    for edit in &edits {
        if let Edit::Status(status) = edit {
            response = response.status(*status);
        }
    }
    let mut headers = without_dropped(passed_on(answer.headers()), &edits);
    if edits.iter().any(|it| matches!(it, Edit::PlainError)) {
        headers.insert("content-type", "text/plain".parse().unwrap());
    }
    let has = |wanted: fn(&Edit) -> bool| edits.iter().any(wanted);
    if has(|it| matches!(it, Edit::Close)) {
        headers.insert("connection", "close".parse().unwrap());
    }
    if has(|it| matches!(it, Edit::OldHttp)) {
        response = response.version(Version::HTTP_10);
    }
    let gzip = has(|it| matches!(it, Edit::Gzip)) && !streamed;
    if gzip {
        headers.insert("content-encoding", "gzip".parse().unwrap());
    }
    *response.headers_mut().unwrap() = headers;
    let body = if has(|it| matches!(it, Edit::Buffer)) || !streamed {
        let bytes = answer.bytes().await.unwrap_or_default();
        let edited = if streamed {
            String::from_utf8_lossy(&bytes).into_owned()
        } else {
            edited(&bytes, &edits, &mut Counter::default())
        };
        if gzip { Body::from(compressed(&edited)) } else { Body::from(edited) }
    } else if has(|it| matches!(it, Edit::Slow)) {
        Body::from_stream(answer.bytes_stream().then(|piece| async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            piece
        }))
    } else if has(|it| matches!(it, Edit::ReadOn)) {
        Body::from_stream(read_on(answer))
    } else if has(|it| matches!(it, Edit::SmallPieces)) {
        Body::from_stream(answer.bytes_stream().flat_map(|piece| stream::iter(small_pieces(piece))))
    } else if edits.is_empty() {
        Body::from_stream(answer.bytes_stream())
    } else {
        Body::from_stream(edited_events(answer, edits))
    };
    response.body(body).unwrap()
}

/// The same stream, which is read to its end whoever listens.
fn read_on(answer: reqwest::Response) -> impl Stream<Item = Result<Bytes, reqwest::Error>> {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut pieces = answer.bytes_stream();
        while let Some(piece) = pieces.next().await {
            sender.send(piece).ok();
        }
    });
    stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)))
}

fn small_pieces(piece: Result<Bytes, reqwest::Error>) -> Vec<Result<Bytes, reqwest::Error>> {
    match piece {
        Ok(bytes) => bytes.chunks(3).map(|it| Ok(Bytes::copy_from_slice(it))).collect(),
        Err(error) => vec![Err(error)],
    }
}

/// A JSON body, changed and written anew.
pub(crate) fn edited(bytes: &[u8], edits: &[Edit], counter: &mut Counter) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return text };
    if edits.is_empty() {
        return text;
    }
    for it in edits {
        edit(&mut value, it, counter);
    }
    if edits.iter().any(|it| matches!(it, Edit::PlainError)) {
        return value["error"]["message"].as_str().unwrap_or("error").to_owned();
    }
    let written = value.to_string();
    if edits.iter().any(|it| matches!(it, Edit::Ascii)) { ascii(&written) } else { written }
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        }
    }
    out
}
