//! A mock that answers at once: every reply is known by its request and was written before.
//!
//! It is a thread for each connection over blocking sockets. What it answers was recorded from the simulated model, so
//! that a run goes as it would with a model. The pieces of a stream leave in one write, each as a chunk of its own:
//! the client has the work of fifty pieces, and the kernel adds little to both sides of a comparison.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Whole responses by path and body of the request.
#[derive(Default)]
pub(crate) struct Answers(HashMap<(String, String), Vec<u8>>);

impl Answers {
    /// Keeps the answer of a recorded exchange.
    pub(crate) fn add(&mut self, record: &Value) {
        let request = &record["request"];
        let path = without_query(request["url"].as_str().unwrap().splitn(4, '/').nth(3).unwrap());
        let body = request.get("body").map(Value::to_string).unwrap_or_default();
        let response = &record["outcome"]["answered"];
        let bytes = response_bytes(response);
        self.0.insert((format!("/{path}"), sorted(&body)), bytes.clone());
        self.0.insert((format!("/{path}"), body), bytes);
    }

    /// The answer to a request; one that was written by another client may differ in order and blanks.
    fn to(&self, request: (String, String)) -> Option<&[u8]> {
        let as_it_is = self.0.get(&request);
        let (path, body) = request;
        as_it_is.or_else(|| self.0.get(&(path, sorted(&body)))).map(Vec::as_slice)
    }
}

/// What stands before the values in an address, which are no longer known in what is stored.
fn without_query(path: &str) -> &str {
    path.split('?').next().unwrap_or(path)
}

/// The same JSON with its keys in order.
fn sorted(body: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    value.sort_all_objects();
    value.to_string()
}

fn response_bytes(response: &Value) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} Recorded\r\n", response["status"]);
    let headers = response["headers"].as_array().into_iter().flatten();
    for header in headers.filter(|header| header[0] == "content-type") {
        write!(head, "content-type: {}\r\n", header[1].as_str().unwrap()).unwrap();
    }
    match response["body"]["frames"].as_array() {
        None => {
            let body = response["body"]["whole"].as_str().unwrap();
            format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
        }
        Some(frames) => {
            let chunk = |frame: &Value| {
                let data = format!("data: {}\n\n", frame["data"].as_str().unwrap());
                format!("{:x}\r\n{data}\r\n", data.len())
            };
            let chunks: String = frames.iter().map(chunk).collect();
            format!("{head}transfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n").into_bytes()
        }
    }
}

/// A running mock.
pub(crate) struct Mock {
    pub(crate) base: String,
    unknown: Arc<AtomicU64>,
}

impl Mock {
    /// Serves these answers, each after this time, until the process ends.
    pub(crate) fn start(answers: Arc<Answers>, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let unknown = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&unknown);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answers, counted) = (Arc::clone(&answers), Arc::clone(&counted));
                thread::spawn(move || serve(&stream.unwrap(), &answers, delay, &counted));
            }
        });
        Self { base, unknown }
    }

    /// How many requests it had no answer to.
    pub(crate) fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::Relaxed)
    }
}

fn serve(mut stream: &TcpStream, answers: &Answers, delay: Duration, unknown: &AtomicU64) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        thread::sleep(delay);
        let answer = answers.to(request).unwrap_or_else(|| {
            unknown.fetch_add(1, Ordering::Relaxed);
            b"HTTP/1.1 404 Unknown\r\ncontent-length: 0\r\n\r\n"
        });
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

/// Path and body; `None` when the connection is closed.
fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<(String, String)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let path = without_query(line.split(' ').nth(1)?).to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, String::from_utf8(body).ok()?))
}
