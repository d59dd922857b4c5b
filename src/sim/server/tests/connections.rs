//! Connections: what a client sees on the wire.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;

pub(super) fn post(path: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: sim\r\nanthropic-version: x\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(super) fn streamed(model: &str) -> Value {
    let mut body = hello(model);
    body["stream"] = json!(true);
    body
}

/// Everything the server sends until it closes the connection.
pub(super) async fn until_closed(server: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(server.addr()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut received = Vec::new();
    // A reset ends the reading just as a close does; what never ends is a failure, not a wait.
    let reading = stream.read_to_end(&mut received);
    let _ = tokio::time::timeout(Duration::from_secs(60), reading).await.expect("closed");
    String::from_utf8_lossy(&received).into_owned()
}

pub(super) async fn start(models: &[(&str, &str)]) -> Running {
    Sim::start(fleet(models), "127.0.0.1:0", Options::default()).await.unwrap()
}

pub(super) fn closing(request: &str) -> String {
    request.replacen("host: sim", "host: sim\r\nconnection: close", 1)
}

#[tokio::test]
async fn streams_are_chunked_and_whole_bodies_are_not() {
    let server = start(&[("claude", MESSAGES)]).await;
    let plain = until_closed(&server, &closing(&post("/v1/messages", &hello("claude")))).await;
    assert!(plain.starts_with("HTTP/1.1 200 OK\r\n"), "{plain}");
    assert!(plain.contains("content-length: "), "{plain}");
    let stream = until_closed(&server, &closing(&post("/v1/messages", &streamed("claude")))).await;
    assert!(stream.contains("transfer-encoding: chunked\r\n"), "{stream}");
    assert!(stream.ends_with("\r\n0\r\n\r\n"), "the last chunk is there: {stream}");
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_paced_stream_waits_before_its_first_piece_and_between_pieces() {
    let pace = Pace { first_ms: 300, between_ms: 20 };
    let pieces = vec![b"a".to_vec(), b"b".to_vec(), b"c".to_vec()];
    let start = tokio::time::Instant::now();
    let sent = send_pieces(pieces, Ending::Kept, pace, CloseHandle::default());
    let times: Vec<u128> = sent.map(|_| start.elapsed().as_millis()).collect().await;
    assert_eq!(times, [300, 320, 340]);
}

#[test]
fn only_streams_are_paced() {
    let slow = format!("{MESSAGES}\npace = {{ first_ms = 300, between_ms = 20 }}");
    let desk = Desk::new(&[("slow", &slow)]);
    let pace = Pace { first_ms: 300, between_ms: 20 };
    assert_eq!(desk.post("/v1/messages", &streamed("slow")).pace, pace);
    assert_eq!(desk.post("/v1/messages", &hello("slow")).pace, Pace::default());
}

#[tokio::test]
async fn a_cut_stream_has_no_last_chunk() {
    let cuts = format!("{MESSAGES}\nhttp_quirks = [\"cuts-body\"]");
    let server = start(&[("cuts", &cuts)]).await;
    let stream = until_closed(&server, &post("/v1/messages", &streamed("cuts"))).await;
    assert!(stream.contains("message_start"), "{stream}");
    assert!(!stream.contains("message_stop") && !stream.ends_with("0\r\n\r\n"), "{stream}");
    server.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_server_can_close_a_connection_that_it_announced_as_kept() {
    let closes = format!("{MESSAGES}\nhttp_quirks = [\"closes-after-stream\"]");
    let server = start(&[("closes", &closes)]).await;
    let stream = until_closed(&server, &post("/v1/messages", &streamed("closes"))).await;
    assert!(stream.ends_with("\r\n0\r\n\r\n"), "the stream itself is whole: {stream}");
    assert!(!stream.contains("connection: close"), "{stream}");
    server.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_kept_connection_takes_the_next_request() {
    let server = start(&[("claude", MESSAGES)]).await;
    let twice = post("/v1/messages", &streamed("claude"))
        + &closing(&post("/v1/messages", &hello("claude")));
    let received = until_closed(&server, &twice).await;
    assert_eq!(received.matches("HTTP/1.1 200 OK").count(), 2, "{received}");
    server.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_hanging_request_does_not_keep_the_server_from_stopping() {
    let hangs = format!("{MESSAGES}\nhttp_quirks = [\"hangs\"]");
    let server = start(&[("hangs", &hangs)]).await;
    let mut waiting = TcpStream::connect(server.addr()).await.unwrap();
    waiting.write_all(post("/v1/messages", &hello("hangs")).as_bytes()).await.unwrap();
    // The other request is answered, so the first one has been taken as well.
    until_closed(&server, &closing("GET /health HTTP/1.1\r\nhost: sim\r\n\r\n")).await;
    server.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_port_that_is_in_use_is_an_error() {
    let server = start(&[("claude", MESSAGES)]).await;
    let second = Sim::start(fleet(&[("claude", MESSAGES)]), server.addr(), Options::default());
    assert_eq!(second.await.unwrap_err().kind(), io::ErrorKind::AddrInUse);
    server.shutdown().await.unwrap();
}

/// Reads until the server closes a connection, which it has to do in good time.
async fn closed(mut stream: TcpStream) -> bool {
    let mut rest = Vec::new();
    let reading = stream.read_to_end(&mut rest);
    tokio::time::timeout(Duration::from_secs(60), reading).await.is_ok()
}

#[tokio::test]
async fn a_thousand_half_open_clients_keep_nobody_else_out() {
    let options = Options { max_connections: 16, ..Options::default() };
    let server = Sim::start(fleet(&[("claude", MESSAGES)]), "127.0.0.1:0", options).await.unwrap();
    let mut half_open = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(server.addr()).await.unwrap();
        // One that was closed already cannot be written to.
        let _ = stream.write_all(b"POST /v1/messages HTTP/1.1\r\nhost: sim\r\ncontent-le").await;
        half_open.push(stream);
    }
    let plain = until_closed(&server, &closing(&post("/v1/messages", &hello("claude")))).await;
    assert!(plain.starts_with("HTTP/1.1 200 OK\r\n"), "{plain}");
    assert!(closed(half_open.swap_remove(0)).await, "the oldest was not closed");
}

#[tokio::test]
async fn a_request_that_takes_too_long_to_arrive_is_given_up() {
    let options = Options { request_time: Duration::from_millis(50), ..Options::default() };
    let server = Sim::start(fleet(&[("claude", MESSAGES)]), "127.0.0.1:0", options).await.unwrap();
    for begun in ["", "POST /v1/messages HTTP/1.1\r\nhost: sim\r\ncontent-length: 9\r\n\r\n{"] {
        let mut stream = TcpStream::connect(server.addr()).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        assert!(closed(stream).await, "{begun:?}");
    }
}

#[tokio::test]
async fn an_answer_may_take_longer_than_a_request() {
    let hangs = format!("{MESSAGES}\nhttp_quirks = [\"hangs\"]");
    let request_time = Duration::from_millis(20);
    let options = Options { request_time, ..Options::default() };
    let server = Sim::start(fleet(&[("hangs", &hangs)]), "127.0.0.1:0", options).await.unwrap();
    let mut waiting = TcpStream::connect(server.addr()).await.unwrap();
    waiting.write_all(post("/v1/messages", &hello("hangs")).as_bytes()).await.unwrap();
    let mut byte = [0];
    let read = tokio::time::timeout(10 * request_time, waiting.read(&mut byte)).await;
    assert!(read.is_err(), "it was closed: {read:?}");
}

#[tokio::test]
async fn all_bodies_together_have_a_limit() {
    let options = Options { bodies_limit: 8 << 10, ..Options::default() };
    let server = Sim::start(fleet(&[("claude", MESSAGES)]), "127.0.0.1:0", options).await.unwrap();
    let long = json!({"model": "claude", "pad": "x".repeat(20_000)});
    let refused = until_closed(&server, &closing(&post("/v1/messages", &long))).await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    let plain = until_closed(&server, &closing(&post("/v1/messages", &hello("claude")))).await;
    assert!(plain.starts_with("HTTP/1.1 200 OK\r\n"), "{plain}");
}
