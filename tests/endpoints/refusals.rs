//! Is a refusal of everything never taken for a finding, and a refusal of one thing still one?

use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use crate::chat::{self, good};
use crate::places::{PLACES, Place, RESULTS, is_streamed};
use crate::probe;
use crate::server::{Script, Server};

/// What an account that ran dry is answered with: in words that are known, and in words that are not.
const BODIES: [(&str, &str); 5] = [
    (
        "credit",
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}"#,
    ),
    ("key", r#"{"error":{"code":400,"message":"API key expired.","status":"INVALID_ARGUMENT"}}"#),
    (
        "unknown words",
        r#"{"error":{"message":"Kontingent aufgebraucht","type":"invalid_request_error"}}"#,
    ),
    ("a text", "nope"),
    ("nothing", ""),
];

/// After how many good replies the account is empty.
const GOOD: [usize; 5] = [1, 3, 8, 20, 45];

/// What is wrong with how an account that runs dry was judged; nothing, if it is right.
async fn misjudged(
    (place, body, good): (Place, (&'static str, &'static str), usize),
) -> Vec<String> {
    let (path, healthy) = place;
    let (name, body) = body;
    let dry = move || {
        let content = ["content-type: application/json"];
        Script::http(400, &content, body.as_bytes())
    };
    let server =
        Server::start(move |asked| if asked.before < good { healthy(asked) } else { dry() }).await;
    let args = ["--trials", "2", "--timeout", "20s", "--concurrency", "4"];
    let verdict = probe(&server.at(path), &args).await;
    let mut wrong = Vec::new();
    let text = verdict.profile["results"].to_string();
    if verdict.statuses().iter().any(|status| status == "fail") || text.contains("\"rejected\"") {
        wrong.push(format!("{path}, {name}, {good} good: {text}"));
    }
    if verdict.code != Some(3) {
        wrong.push(format!("{path}, {name}, {good} good: exit {:?}", verdict.code));
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_runs_dry_is_no_finding_in_any_dialect() {
    let cases = PLACES.into_iter().flat_map(|place| {
        BODIES.into_iter().flat_map(move |body| GOOD.map(|good| (place, body, good)))
    });
    let wrong: Vec<Vec<String>> =
        stream::iter(cases).map(misjudged).buffer_unordered(4).collect().await;
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_alone_are_refused_in_unknown_words_are_a_finding() {
    let server = Server::start(|asked| {
        if !chat::is_streamed(asked) {
            return chat::answer(asked, &good(asked));
        }
        let error = json!({"error": {"message": "Guthaben verbraucht", "code": 400}});
        Script::stream("text/event-stream", vec![format!("data: {error}\n\n").into_bytes()])
    })
    .await;
    let verdict = probe(&server.at("/v1/chat/completions"), &["--trials", "1"]).await;
    let (status, reason) = verdict.result("streaming");
    // Plain requests are answered all the while.
    assert_eq!(status, "fail", "{reason}");
    assert!(reason.contains("Guthaben"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_alone_is_refused_stays_a_finding_in_any_dialect() {
    join_all(PLACES.into_iter().zip(RESULTS).map(async |((path, healthy), result)| {
        let server = Server::start(move |asked| {
            if asked.body.to_string().contains(result) {
                return chat::refusal(400, "no results, please");
            }
            if is_streamed(asked) {
                return chat::refusal(400, "Guthaben verbraucht");
            }
            healthy(asked)
        })
        .await;
        let verdict = probe(&server.at(path), &["--trials", "2", "--timeout", "20s"]).await;
        for (result, words) in [
            ("closedLoop", "no results, please"),
            ("errorRepair", "no results, please"),
            // Plain requests are answered all the while.
            ("streaming", "Guthaben"),
        ] {
            let (status, reason) = verdict.result(result);
            assert_eq!(status, "fail", "{path}: {result}: {reason}");
            assert!(reason.contains(words), "{path}: {result}: {reason}");
        }
    }))
    .await;
}
