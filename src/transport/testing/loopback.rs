//! Tests of the HTTP transport against misbehaving servers, over real sockets.

use std::io::Write as _;
use std::time::Duration;

use serde_json::json;

use super::scripted::{EVENT_STREAM, Scripted, Step, chunk, response};
use crate::transport::bounds::Oversize;
use crate::transport::error::CloseStage;
use crate::transport::exchange::AttemptEnd;
use crate::transport::timeouts::Phase;
use crate::transport::{
    Body, Exchange, HttpCall, HttpOutcome, HttpTransport, RetryPolicy, RetrySettings, Retrying,
    Scrubber, Secret, SizeLimits, Timeouts, Transport, TransportError, by_status,
};
use crate::wire::{Frame, Framing};

const KEY: &str = "sk-very-secret-1";
const JSON: &str = "content-type: application/json\r\n";
const SHORT: Duration = Duration::from_millis(60);

fn http(timeouts: Timeouts, limits: SizeLimits) -> HttpTransport {
    HttpTransport::new(timeouts, limits, Scrubber::default()).unwrap()
}

fn usual() -> HttpTransport {
    http(Timeouts::default(), SizeLimits::default())
}

fn call(server: &Scripted) -> HttpCall {
    HttpCall::post(server.url.clone(), json!({"model": "m"})).credential(
        "authorization",
        "Bearer ",
        Secret::new(KEY),
    )
}

async fn send(transport: &impl Transport, call: &HttpCall) -> Exchange {
    transport.send(call, &by_status).await
}

/// The outcome of one call to a server that plays `script` on its first connection.
async fn error_of(transport: &HttpTransport, script: Vec<Step>) -> (TransportError, Exchange) {
    let server = Scripted::start([script]).await;
    let exchange = send(transport, &call(&server).streamed(Framing::Sse)).await;
    (exchange.response().unwrap_err().clone(), exchange)
}

fn partial(exchange: &Exchange) -> &Body {
    match &exchange.outcome {
        HttpOutcome::Failed { partial: Some(response), .. } => &response.body,
        other => panic!("no partial response in {other:?}"),
    }
}

fn payload(frame: &Frame) -> &str {
    match frame {
        Frame::Event { data, .. } => data,
        Frame::Comment(text) => text,
    }
}

fn payloads(body: &Body) -> Vec<&str> {
    let Body::Frames(frames) = body else { panic!("no frames: {body:?}") };
    frames.iter().map(|timed| payload(&timed.frame)).collect()
}

#[tokio::test]
async fn a_plain_reply_is_whole_and_the_request_is_what_was_asked_for() {
    let headers = format!("{JSON}x-request-id: r1\r\nset-cookie: a=b\r\n");
    let server = Scripted::answering([response("200 OK", &headers, r#"{"id":1}"#)]).await;
    let exchange = send(&usual(), &call(&server)).await;
    let answer = exchange.response().unwrap();
    assert_eq!((answer.status, answer.json().unwrap()), (200, json!({"id": 1})));
    assert_eq!(answer.header("x-request-id"), Some("r1"));
    assert_eq!(answer.header("set-cookie"), None);
    let request = server.requests().concat();
    assert!(request.starts_with("POST /v1/chat HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {KEY}\r\n")), "{request}");
    assert!(request.contains(concat!("user-agent: toolprobe/", env!("CARGO_PKG_VERSION"))));
    assert!(request.contains("content-type: application/json\r\n"), "{request}");
    assert!(request.ends_with(r#"{"model":"m"}"#), "{request}");
}

#[tokio::test]
async fn no_record_holds_the_key_however_the_server_echoes_it() {
    let body = format!(r#"{{"error":"bad key {KEY}, Bearer%20{KEY}"}}"#);
    let headers = format!("{JSON}x-request-id: for-{KEY}\r\n");
    let server = Scripted::answering([response("401 Unauthorized", &headers, body)]).await;
    let exchange = send(&usual(), &call(&server)).await;
    let stored = serde_json::to_string(&exchange).unwrap();
    assert!(!stored.contains(KEY) && stored.contains("Bearer [secret]"), "{stored}");
    assert!(!format!("{exchange:?}").contains(KEY));
}

#[tokio::test]
async fn a_stream_cut_inside_characters_and_line_ends_gives_its_frames() {
    let events = "data: {\"t\":\"漢🦀\"}\r\n\r\n: ping\n\ndata: [DONE]\n\n".as_bytes();
    let pieces = events.chunks(1).flat_map(chunk).chain(chunk(b"")).collect::<Vec<u8>>();
    let server = Scripted::answering([[EVENT_STREAM.as_bytes(), &pieces].concat()]).await;
    let exchange = send(&usual(), &call(&server).streamed(Framing::Sse)).await;
    let answer = exchange.response().unwrap();
    assert_eq!(payloads(&answer.body), ["{\"t\":\"漢🦀\"}", "ping", "[DONE]"]);
    assert!(exchange.timing.first_byte_ms.is_some());
}

#[tokio::test]
async fn a_stream_that_was_not_given_and_an_error_status_are_whole() {
    let events = "content-type: text/event-stream\r\n";
    let cases =
        [("200 OK", JSON, r#"{"id":1}"#), ("429 Slow", events, "data: {\"error\":\"slow\"}\n\n")];
    for (status, headers, body) in cases {
        let server = Scripted::answering([response(status, headers, body)]).await;
        let exchange = send(&usual(), &call(&server).streamed(Framing::Sse)).await;
        assert_eq!(exchange.response().unwrap().body, Body::Whole(body.into()), "{status}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_a_connect_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let exchange = send(&usual(), &HttpCall::get(url)).await;
    let error = exchange.response().unwrap_err();
    assert!(matches!(error, TransportError::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn every_hang_ends_in_the_timeout_of_its_phase() {
    let head = || Step::Write(EVENT_STREAM.into());
    let event = || Step::Write(chunk(b"data: 1\n\n"));
    let base = Timeouts::default();
    let cases = [
        (Phase::FirstByte, Timeouts { first_byte: SHORT, ..base }, vec![Step::Read]),
        (Phase::FirstByte, Timeouts { first_byte: SHORT, ..base }, vec![Step::Read, head()]),
        (Phase::Idle, Timeouts { idle: SHORT, ..base }, vec![Step::Read, head(), event()]),
        (Phase::Total, Timeouts { total: SHORT, ..base }, vec![Step::Read, head(), event()]),
    ];
    for (phase, timeouts, mut script) in cases {
        script.push(Step::Hang);
        let (error, _) = error_of(&http(timeouts, SizeLimits::default()), script).await;
        assert_eq!(error, TransportError::Timeout { phase, limit_ms: 60 });
        assert!(error.to_string().contains("within 60 ms; raise it with "), "{error}");
    }
}

#[tokio::test]
async fn what_came_before_a_timeout_is_evidence() {
    let timeouts = Timeouts { idle: SHORT, ..Timeouts::default() };
    let event = Step::Write(chunk(b"data: 1\n\n"));
    let script = vec![Step::Read, Step::Write(EVENT_STREAM.into()), event, Step::Hang];
    let (_, exchange) = error_of(&http(timeouts, SizeLimits::default()), script).await;
    assert_eq!(payloads(partial(&exchange)), ["1"]);
}

#[tokio::test]
async fn a_drip_that_never_idles_still_ends_in_the_total() {
    let timeouts = Timeouts { total: SHORT, ..Timeouts::default() };
    let drip = Step::Repeat(chunk(b":\n"), usize::MAX);
    let script = vec![Step::Read, Step::Write(EVENT_STREAM.into()), drip];
    let limits = SizeLimits::default()
        .with(Oversize::Stream, usize::MAX)
        .with(Oversize::FrameCount, usize::MAX);
    let (error, _) = error_of(&http(timeouts, limits), script).await;
    assert_eq!(error, TransportError::Timeout { phase: Phase::Total, limit_ms: 60 });
}

#[tokio::test]
async fn a_connection_that_breaks_is_told_by_how_far_the_reply_had_come() {
    let head = || Step::Write(EVENT_STREAM.into());
    let event = || Step::Write(chunk(b"data: 1\n\n"));
    let cases = [
        (CloseStage::BeforeReply, vec![Step::Read]),
        (CloseStage::BeforeReply, vec![Step::Read, Step::Reset]),
        (CloseStage::MidBody, vec![Step::Read, head(), event()]),
        (CloseStage::MidBody, vec![Step::Read, head(), event(), Step::Reset]),
    ];
    for (expected, script) in cases {
        let label = format!("{script:?}");
        let (error, _) = error_of(&usual(), script).await;
        let TransportError::Closed { stage, .. } = &error else { panic!("{label}: {error:?}") };
        assert_eq!(*stage, expected, "{label}");
    }
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_broken() {
    let mut bytes = response("200 OK", JSON, "{\"id\":1}");
    bytes.truncate(bytes.len() - 3);
    let (error, exchange) = error_of(&usual(), vec![Step::Read, Step::Write(bytes)]).await;
    assert!(matches!(error, TransportError::Closed { stage: CloseStage::MidBody, .. }), "{error}");
    assert_eq!(partial(&exchange), &Body::Whole("{\"id\"".into()));
}

#[tokio::test]
async fn a_stream_that_ends_without_a_length_is_complete_as_far_as_http_knows() {
    let bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\ndata: {\"cu";
    let server = Scripted::answering([bytes.to_vec()]).await;
    let exchange = send(&usual(), &call(&server).streamed(Framing::Sse)).await;
    assert_eq!(payloads(&exchange.response().unwrap().body), ["1", "{\"cu"]);
}

#[tokio::test]
async fn sixty_megabytes_are_refused_at_the_limit() {
    let head = format!("HTTP/1.1 200 OK\r\n{JSON}content-length: 60000000\r\n\r\n");
    let flood = Step::Repeat(vec![b'x'; 60_000], 1000);
    let script = vec![Step::Read, Step::Write(head.into()), flood];
    let (error, exchange) = error_of(&usual(), script).await;
    let limit = SizeLimits::default().of(Oversize::Body) as u64;
    assert_eq!(error, TransportError::TooLarge { what: Oversize::Body, limit });
    let Body::Whole(text) = partial(&exchange) else { panic!() };
    assert!(text.len() < 100_000);
}

#[tokio::test]
async fn a_compressed_bomb_is_measured_after_it_is_unpacked() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    (0..2000).for_each(|_| gzip.write_all(&[b' '; 10_000]).unwrap());
    let bomb = gzip.finish().unwrap();
    assert!(bomb.len() < 100_000);
    let headers = format!("{JSON}content-encoding: gzip\r\n");
    let script = vec![Step::Read, Step::Write(response("200 OK", &headers, bomb))];
    let (error, _) = error_of(&usual(), script).await;
    assert!(matches!(error, TransportError::TooLarge { what: Oversize::Body, .. }), "{error:?}");
}

#[tokio::test]
async fn a_compressed_reply_is_unpacked_and_a_broken_or_unknown_one_is_refused() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"{\"id\":1}").unwrap();
    let headers = format!("{JSON}content-encoding: gzip\r\n");
    let server = Scripted::answering([response("200 OK", &headers, gzip.finish().unwrap())]).await;
    let exchange = send(&usual(), &call(&server)).await;
    assert_eq!(exchange.response().unwrap().json().unwrap(), json!({"id": 1}));
    for (encoding, body) in [("gzip", "not gzip at all"), ("br", "whatever")] {
        let headers = format!("{JSON}content-encoding: {encoding}\r\n");
        let script = vec![Step::Read, Step::Write(response("200 OK", &headers, body))];
        let (error, _) = error_of(&usual(), script).await;
        assert!(matches!(error, TransportError::Decompression { .. }), "{encoding}: {error:?}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_an_error_with_their_place() {
    let script = |headers: &str, body: &[u8]| {
        vec![Step::Read, Step::Write(response("200 OK", headers, body))]
    };
    let (error, _) = error_of(&usual(), script(JSON, b"{\"a\":\"\xff\"}")).await;
    assert_eq!(error, TransportError::NotUtf8 { offset: 6 });
    let events = script("content-type: text/event-stream\r\n", b"data: \xff\n\n");
    assert_eq!(error_of(&usual(), events).await.0, TransportError::NotUtf8 { offset: 6 });
}

#[tokio::test]
async fn a_redirect_is_reported_and_never_followed() {
    let headers = format!("location: https://elsewhere.test/?k={KEY}&token=t0\r\n");
    let script = vec![Step::Read, Step::Write(response("307 Temporary", &headers, ""))];
    let (error, exchange) = error_of(&usual(), script).await;
    let location = "https://elsewhere.test/?k=[secret]&token=[secret]".to_owned();
    assert_eq!(error, TransportError::Redirect { status: 307, location });
    assert_eq!(exchange.attempts.len(), 1);
    let stored = serde_json::to_string(&exchange).unwrap();
    assert!(!stored.contains(KEY) && !stored.contains("t0"), "{stored}");
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_a_tls_error() {
    let server = Scripted::start([vec![Step::Write(response("400 Bad", "", "plain HTTP"))]]).await;
    let mut url = server.url.clone();
    url.set_scheme("https").unwrap();
    let exchange = send(&usual(), &HttpCall::get(url)).await;
    let error = exchange.response().unwrap_err();
    assert!(matches!(error, TransportError::Tls { .. }), "{error:?}");
}

#[tokio::test]
async fn what_is_no_http_or_has_endless_headers_is_refused() {
    let endless: Vec<u8> = (0..200).flat_map(|i| format!("x-h{i}: 1\r\n").into_bytes()).collect();
    for bytes in [
        b"220 mail.test ESMTP\r\n".to_vec(),
        response("200 OK", &String::from_utf8(endless).unwrap(), ""),
    ] {
        let (error, _) = error_of(&usual(), vec![Step::Read, Step::Write(bytes)]).await;
        assert!(matches!(error, TransportError::NotHttp { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_named_by_its_header() {
    let server = Scripted::start([]).await;
    let bad =
        HttpCall::get(server.url.clone()).credential("x-api-key", "", Secret::new("ab\ncdefgh"));
    let exchange = send(&usual(), &bad).await;
    let error = exchange.response().unwrap_err();
    assert_eq!(*error, TransportError::InvalidHeader { name: "x-api-key".into() });
}

fn retrying(max_attempts: u32) -> Retrying<HttpTransport> {
    let base = Duration::from_millis(1);
    let policy = RetryPolicy { max_attempts, base, ..RetryPolicy::default() };
    Retrying::new(usual(), RetrySettings { policy, jitter: || 0.5, ..RetrySettings::default() })
}

fn statuses(exchange: &Exchange) -> Vec<u16> {
    let status = |end: &AttemptEnd| match end {
        AttemptEnd::Status(status) => *status,
        AttemptEnd::Error(_) => 0,
    };
    exchange.attempts.iter().map(|attempt| status(&attempt.end)).collect()
}

#[tokio::test]
async fn a_rate_limit_with_retry_after_passes() {
    let limited = response("429 Too Many", "retry-after: 0\r\nconnection: close\r\n", "{}");
    let server = Scripted::answering([limited, response("200 OK", JSON, "{}")]).await;
    let exchange = send(&retrying(2), &call(&server)).await;
    assert_eq!(statuses(&exchange), [429, 200]);
    assert!(exchange.response().unwrap().is_success());
}

#[tokio::test]
async fn a_flapping_server_is_asked_until_it_answers() {
    let bad = |status| response(status, "connection: close\r\n", "oops");
    let answers = [bad("500 E"), bad("502 E"), bad("503 E"), response("200 OK", JSON, "{}")];
    let server = Scripted::answering(answers).await;
    assert_eq!(statuses(&send(&retrying(4), &call(&server)).await), [500, 502, 503, 200]);
}

/// llama.cpp announces keep-alive after a stream and closes the connection all the same.
#[tokio::test]
async fn a_kept_alive_connection_that_was_closed_is_replaced_once() {
    let ok = || response("200 OK", JSON, "{}");
    let stale = vec![Step::Read, Step::Write(ok()), Step::Read];
    let server = Scripted::start([stale, vec![Step::Read, Step::Write(ok())]]).await;
    let (transport, call) = (retrying(1), call(&server));
    assert!(send(&transport, &call).await.response().is_ok());
    let second = send(&transport, &call).await;
    assert!(second.response().is_ok(), "{second:?}");
    assert_eq!(statuses(&second), [0, 200]);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_connection() {
    let server = Scripted::start([vec![Step::Read, Step::Read]]).await;
    let (transport, call) = (usual(), call(&server));
    tokio::select! {
        exchange = send(&transport, &call) => panic!("answered: {exchange:?}"),
        () = has_read(&server, 1) => {}
    }
    // The second read ends when the connection does.
    has_read(&server, 2).await;
}

async fn has_read(server: &Scripted, requests: usize) {
    let wait = async {
        while server.requests().len() < requests {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.expect("the server is left waiting");
}

/// The environment of a process cannot be changed safely, so the test above runs again in another.
#[test]
fn loopback_is_reached_directly_whatever_proxy_the_environment_names() {
    let test = "transport::testing::loopback::a_plain_reply_is_whole_and_the_request_is_what_was_asked_for";
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        again.env(variable, "http://127.0.0.1:9");
    }
    let output = again.args(["--exact", test]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}
