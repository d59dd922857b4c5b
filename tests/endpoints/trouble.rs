//! Does infrastructure trouble of every kind end as `inconclusive`, and soon?

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use tokio::time::timeout;

use crate::mind::obey;
use crate::server::{Asked, Script, Server, Then, head};
use crate::{Verdict, chat, probe};

const CHAT: &str = "/v1/chat/completions";

/// Long enough for a busy machine, and far from forever.
const SOON: Duration = Duration::from_secs(60);

/// A kind of trouble, what it answers, and a word that the reason must hold.
type Case = (&'static str, fn() -> Script, &'static str);

fn status(status: u16) -> Script {
    chat::refusal(status, "not now")
}

const CASES: [Case; 25] = [
    ("401", || status(401), "401"),
    ("402", || status(402), "402"),
    ("403", || status(403), "403"),
    ("404", || status(404), "404"),
    ("408", || status(408), "408"),
    ("429", || status(429), "429"),
    ("429 until tomorrow", || Script::http(429, &["retry-after: 86400"], b""), "429"),
    ("500", || status(500), "500"),
    ("500 as text", || Script::http(500, &[], b"Internal Server Error"), "Internal Server Error"),
    ("503", || status(503), "503"),
    ("529", || status(529), "529"),
    (
        "error in a success",
        || Script::json(200, &json!({"error": {"code": 502, "message": "up"}})),
        "up",
    ),
    ("other JSON", || Script::json(200, &json!({"hello": "world"})), "protocol"),
    (
        "page",
        || Script::http(200, &["content-type: text/html"], b"<html>Welcome</html>"),
        "protocol",
    ),
    (
        "page as a refusal",
        || Script::http(400, &["content-type: text/html"], b"<html><title>400</title></html>"),
        "400",
    ),
    ("empty body", || Script::http(200, &[], b""), ""),
    ("deep nesting", || Script::http(200, &[], "[".repeat(200_000).as_bytes()), "beyond the limit"),
    ("invalid UTF-8", || Script::http(200, &[], b"{\"choices\": \"\xff\xfe\"}"), "UTF-8"),
    ("60 MB", sixty_megabytes, "beyond the limit"),
    ("gzip bomb", bomb, "beyond the limit"),
    ("redirect", || Script::http(302, &["location: http://127.0.0.1:9/"], b""), "redirect"),
    ("no HTTP", || Script::raw("SSH-2.0-OpenSSH_9.2\r\n", Then::Close), ""),
    ("silence", || Script { pieces: vec![], then: Then::Hang }, "no first byte"),
    ("half a body", || half(Then::Hang), ""),
    ("reset", || half(Then::Reset), ""),
];

fn half(then: Then) -> Script {
    let mut bytes = head(200, &["content-type: application/json"], Some(4096)).to_vec();
    bytes.extend_from_slice(b"{\"choices\": [{\"message\"");
    Script::raw(bytes, then)
}

fn sixty_megabytes() -> Script {
    let piece = Bytes::from(vec![b'x'; 1 << 20]);
    let mut pieces = vec![head(200, &[], None), Bytes::from_static(b"{\"a\": \"")];
    pieces.extend(std::iter::repeat_n(piece, 60));
    Script { pieces, then: Then::Close }
}

/// 64 MB of zeros in some 60 KB.
fn bomb() -> Script {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..64 {
        encoder.write_all(&zeros).unwrap();
    }
    Script::http(200, &["content-encoding: gzip"], &encoder.finish().unwrap())
}

async fn probed(url: &str, args: &[&str]) -> Verdict {
    timeout(SOON, probe(url, args)).await.expect("probing ends")
}

/// What is wrong with how a kind of trouble was judged; nothing, if it is right.
async fn misjudged((name, answer, word): Case) -> Vec<String> {
    let script = answer();
    let server = Server::start(move |_| script.clone()).await;
    let args = ["--suite", "light", "--trials", "2", "--timeout", "5s"];
    let verdict = probed(&server.at(CHAT), &args).await;
    let (status, reason) = verdict.result("singleTool");
    let mut wrong = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            wrong.push(format!("{name}: {what}"));
        }
    };
    expect(verdict.code == Some(3), format!("exit {:?}: {}", verdict.code, verdict.errors));
    expect(status == "inconclusive", format!("{status}: {reason}"));
    expect(!reason.is_empty() && reason.contains(word), format!("reason {reason:?}"));
    let others = verdict.statuses().into_iter().find(|status| status != "inconclusive");
    expect(others.is_none(), format!("{others:?} somewhere"));
    expect(verdict.profile["toolCallFormat"].is_null(), "a format".to_owned());
    let requests = server.count(CHAT);
    // One stream is tried as well, with its retries: the endpoint may be one that only streams.
    expect((1..=24).contains(&requests), format!("{requests} requests"));
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_of_every_kind_is_inconclusive_with_a_reason() {
    let wrong: Vec<Vec<String>> =
        stream::iter(CASES).map(misjudged).buffer_unordered(6).collect().await;
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_at_the_address_is_inconclusive() {
    let server = Server::start(|_| status(500)).await;
    let url = server.at(CHAT);
    drop(server);
    let verdict = probed(&url, &["--suite", "light", "--timeout", "5s"]).await;
    assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
    assert_eq!(verdict.result("singleTool").0, "inconclusive");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_endpoint_is_not_asked_a_whole_suite() {
    let dead: [fn() -> Script; 4] = [
        || status(401),
        || status(503),
        || Script { pieces: vec![], then: Then::Hang },
        || Script::http(200, &["content-type: text/html"], b"<html>Welcome</html>"),
    ];
    join_all(dead.map(async |answer| {
        let server = Server::start(move |_| answer()).await;
        let verdict = probed(&server.at(CHAT), &["--trials", "5", "--timeout", "5s"]).await;
        assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
        let requests = server.count(CHAT);
        assert!(requests <= 64, "{requests} requests");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_whose_dialect_must_be_found_is_given_up_as_well() {
    let server = Server::start(|_| Script { pieces: vec![], then: Then::Hang }).await;
    let verdict = probed(&server.at("/"), &["--timeout", "5s"]).await;
    assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
    assert!(server.total() <= 40, "{} requests", server.total());
}

fn obedient(asked: &Asked) -> Script {
    let says = obey(&chat::heard(&asked.body));
    chat::answer(asked, &chat::message(&says, |index| json!(format!("call-{index}"))))
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_that_passes_leaves_no_mark() {
    let flapping: [fn() -> Script; 4] = [
        || status(500),
        || Script::http(429, &["retry-after: 0"], b""),
        || half(Then::Reset),
        || Script::http(200, &["content-type: text/html"], b"<html>One moment</html>"),
    ];
    join_all(flapping.map(async |trouble| {
        let server =
            Server::start(
                move |asked| {
                    if asked.earlier % 5 == 0 { trouble() } else { obedient(asked) }
                },
            )
            .await;
        let args = ["--suite", "light", "--trials", "2", "--concurrency", "1"];
        let verdict = probed(&server.at(CHAT), &args).await;
        assert_eq!(verdict.code, Some(0), "{}", verdict.errors);
        for result in ["singleTool", "closedLoop"] {
            let (status, reason) = verdict.result(result);
            assert_eq!(
                (status, &verdict.profile["results"][result]["trials"]),
                ("pass", &json!(2)),
                "{reason}"
            );
        }
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_hangs_is_no_finding_about_streams() {
    let server = Server::start(|asked| {
        let script = obedient(asked);
        if !chat::is_streamed(asked) {
            return script;
        }
        let [head, body] = script.pieces.as_slice() else { panic!("a head and a body") };
        Script { pieces: vec![head.clone(), body.slice(..body.len() / 2)], then: Then::Hang }
    })
    .await;
    let verdict = probed(&server.at(CHAT), &["--trials", "1", "--timeout", "5s"]).await;
    assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
    assert_eq!(verdict.result("singleTool").0, "pass");
    let (status, reason) = verdict.result("streaming");
    assert_eq!(status, "inconclusive", "{reason}");
    assert!(verdict.profile["supportsStreamingToolUse"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_are_spoilt_once_leave_no_mark() {
    let spoilt = AtomicBool::new(false);
    let server = Server::start(move |asked| {
        let script = obedient(asked);
        if !chat::is_streamed(asked) || spoilt.swap(true, Ordering::SeqCst) {
            return script;
        }
        let spoil =
            |piece: &Bytes| String::from_utf8_lossy(piece).replace("\"function\"", "\"function ");
        let pieces = script.pieces.iter().map(|piece| Bytes::from(spoil(piece))).collect();
        Script { pieces, ..script }
    })
    .await;
    let verdict = probed(&server.at(CHAT), &["--trials", "1"]).await;
    assert_eq!(verdict.code, Some(0), "{}", verdict.errors);
    let (status, reason) = verdict.result("streaming");
    assert_eq!(status, "pass", "{reason}");
}

/// No plain reply that can be read, and streams without a frame about calls that can.
fn spoilt_calls(asked: &Asked) -> Script {
    if !chat::is_streamed(asked) {
        return Script::http(200, &["content-type: application/json"], b"{\0");
    }
    let spoil = |piece: &Bytes| {
        let piece = String::from_utf8_lossy(piece);
        Bytes::from(piece.replace("\"tool_calls\":", "\0\"tool_calls\":"))
    };
    let script = obedient(asked);
    Script { pieces: script.pieces.iter().map(spoil).collect(), ..script }
}

#[tokio::test(flavor = "multi_thread")]
async fn spoilt_frames_are_no_finding_where_only_streams_are_answered() {
    let server = Server::start(spoilt_calls).await;
    let verdict = probed(&server.at(CHAT), &["--trials", "1", "--timeout", "5s"]).await;
    assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
    let (status, reason) = verdict.result("singleTool");
    assert_eq!(status, "inconclusive", "{reason}");
}

/// What a stream does, in words and as a script.
type BrokenStream = (&'static str, fn() -> Script);

/// What can go wrong with streams alone.
const BROKEN_STREAMS: [BrokenStream; 5] = [
    ("silence", || Script { pieces: vec![], then: Then::Hang }),
    ("a stall", || stalled_stream()),
    ("403", || status(403)),
    ("101", || Script::http(101, &["upgrade: websocket", "connection: upgrade"], b"")),
    ("bad gzip", || Script::http(200, &["content-encoding: gzip"], b"this is not gzip")),
];

fn stalled_stream() -> Script {
    let stream = Script::stream("text/event-stream", vec![b": one moment\n\n".to_vec()]);
    Script { then: Then::Hang, ..stream }
}

/// The results that need no streams, by name.
const PLAIN_RESULTS: [&str; 7] = [
    "singleTool",
    "schema",
    "closedLoop",
    "parallelTool",
    "errorRepair",
    "reasoningReplay",
    "history",
];

#[tokio::test(flavor = "multi_thread")]
async fn trouble_with_streams_costs_no_plain_verdict() {
    let args = ["--trials", "3", "--timeout", "2s", "--concurrency", "2"];
    let healthy = Server::start(obedient).await;
    let expected = probed(&healthy.at(CHAT), &args).await;
    assert_eq!(expected.code, Some(0), "{}", expected.errors);
    join_all(BROKEN_STREAMS.map(async |(name, trouble)| {
        let server =
            Server::start(
                move |asked| {
                    if chat::is_streamed(asked) { trouble() } else { obedient(asked) }
                },
            )
            .await;
        let verdict = probed(&server.at(CHAT), &args).await;
        for result in PLAIN_RESULTS {
            assert_eq!(verdict.result(result), expected.result(result), "{name}: {result}");
        }
        let (status, reason) = verdict.result("streaming");
        assert_eq!((verdict.code, status), (Some(3), "inconclusive"), "{name}: {reason}");
        assert!(verdict.profile["supportsStreamingToolUse"].is_null(), "{name}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_is_inconclusive() {
    let server = Server::start(obedient).await;
    let verdict = probed(&server.at(CHAT), &["--max-requests", "3"]).await;
    assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
    assert_eq!(verdict.statuses().iter().find(|status| *status == "fail"), None);
    assert!(server.total() <= 3, "{} requests", server.total());
}

/// What a stream can hold that is no piece of a reply.
const NO_PIECES: [&str; 4] = [
    "",
    ": still there\n\n: still there\n\n",
    "data: hello\n\ndata: {\"progress\": 1}\n\ndata: [DONE]\n\n",
    "<html>Welcome</html>",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_something_else_is_no_finding_about_streams() {
    join_all(NO_PIECES.map(async |stream| {
        let server = Server::start(move |asked| {
            let kind = "text/event-stream";
            let else_ = || Script::stream(kind, vec![stream.as_bytes().to_vec()]);
            if chat::is_streamed(asked) { else_() } else { obedient(asked) }
        })
        .await;
        let verdict = probed(&server.at(CHAT), &["--trials", "1", "--timeout", "5s"]).await;
        assert_eq!(verdict.code, Some(3), "{stream:?}: {}", verdict.errors);
        assert_eq!(verdict.result("streaming").0, "inconclusive", "{stream:?}");
        assert!(verdict.profile["supportsStreamingToolUse"].is_null(), "{stream:?}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_in_trouble_leaves_every_field_open() {
    let server = Server::start(|asked| {
        if !chat::has_tools(asked) {
            return status(503);
        }
        chat::answer(asked, &json!({"role": "assistant", "content": "I would rather not."}))
    })
    .await;
    let verdict = probed(&server.at(CHAT), &["--trials", "1", "--timeout", "5s"]).await;
    assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
    let fields = [
        "toolCallFormat",
        "schemaLevel",
        "supportsParallelToolUse",
        "requiresReasoningReplay",
        "supportsStreamingToolUse",
        "errorRepair",
    ];
    for field in fields {
        assert!(verdict.profile[field].is_null(), "{field} is {}", verdict.profile[field]);
    }
    assert_eq!(verdict.statuses().iter().find(|status| *status == "fail"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_level_of_schemas_does_not_rest_on_cases_that_were_never_answered() {
    join_all(["integer", "$ref"].map(async |keyword| {
        let server = Server::start(move |asked| {
            let tools = asked.body["tools"].to_string();
            let is_meant = tools.contains("probe_integer") && keyword == "integer"
                || tools.contains("probe_ref") && keyword == "$ref";
            if is_meant { status(503) } else { obedient(asked) }
        })
        .await;
        let verdict = probed(&server.at(CHAT), &["--trials", "1", "--timeout", "5s"]).await;
        assert_eq!(verdict.profile["schemaLevel"], json!(null), "{keyword}");
        assert_eq!(verdict.result("schema").0, "pass");
        assert_eq!(verdict.code, Some(3), "{keyword}: {}", verdict.errors);
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_before_the_dialect_is_known_is_a_profile_as_well() {
    let troubles: [fn() -> Script; 2] =
        [|| status(404), || Script::http(200, &[], b"<html></html>")];
    join_all(troubles.map(async |answer| {
        let server = Server::start(move |_| answer()).await;
        let verdict = probed(&server.at("/v1"), &["--timeout", "5s"]).await;
        assert_eq!(verdict.code, Some(3), "{}", verdict.errors);
        let (status, reason) = verdict.result("singleTool");
        assert_eq!(status, "inconclusive", "{reason}");
        assert!(reason.contains("openai-chat"), "{reason}");
        assert!(verdict.statuses().iter().all(|status| status == "inconclusive"));
    }))
    .await;
}
