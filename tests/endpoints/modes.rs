//! Are endpoints found out that only stream, and is a suite asked in the mode that was chosen?

use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::chat::{self, good};
use crate::mind::Says;
use crate::places::{PLACES, RESULTS, SPEAKERS, is_streamed};
use crate::server::{Asked, Script, Server, Then};
use crate::{Verdict, probe};

const ARGS: [&str; 4] = ["--trials", "2", "--timeout", "20s"];

/// How plain requests fail.
type Failure = fn() -> Script;

fn refused() -> Script {
    let error =
        json!({"message": "tools need a stream", "code": 400, "status": "INVALID_ARGUMENT"});
    Script::json(400, &json!({"type": "error", "error": error}))
}

fn broken() -> Script {
    Script::json(500, &json!({"error": {"message": "Internal Server Error", "code": 500}}))
}

fn silent() -> Script {
    Script { pieces: Vec::new(), then: Then::Hang }
}

#[track_caller]
fn is_streamed_profile(verdict: &Verdict, what: &str) {
    assert_eq!(verdict.code, Some(0), "{what}: {}", verdict.errors);
    let single = &verdict.profile["results"]["singleTool"];
    assert_eq!(single["replies"], "streamed", "{what}: {single}");
    for (field, expected) in [
        ("toolDelivery", json!("native")),
        ("schemaLevel", json!("strict-json-schema")),
        ("supportsParallelToolUse", json!(true)),
        ("supportsStreamingToolUse", json!(true)),
        ("errorRepair", json!("reliable")),
    ] {
        assert_eq!(verdict.profile[field], expected, "{what}: {field}");
    }
    for result in ["singleTool", "schema", "closedLoop", "history"] {
        assert_eq!(verdict.result(result).0, "pass", "{what}: {result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_plain_requests_with_tools_fail_the_suite_is_asked_streamed_in_any_dialect() {
    let failures: [(&str, Failure, &str); 3] =
        [("400", refused, "20s"), ("500", broken, "20s"), ("silence", silent, "2s")];
    let cases = PLACES.into_iter().flat_map(|place| failures.map(|failure| (place, failure)));
    join_all(cases.map(async |((path, healthy), (name, failure, patience))| {
        let server = Server::start(move |asked| {
            let fails = chat::has_tools(asked) && !is_streamed(asked);
            if fails { failure() } else { healthy(asked) }
        })
        .await;
        let what = format!("{path}, {name}");
        let args = ["--trials", "1", "--timeout", patience];
        let verdict = probe(&server.at(path), &args).await;
        is_streamed_profile(&verdict, &what);
        assert_eq!(verdict.profile["supportsPlainToolUse"], false, "{what}");
        let plain = &verdict.profile["results"]["singleTool"]["plain"];
        assert_eq!(plain["status"], "fail", "{what}: {plain}");
        assert_eq!(plain["control"], "the same call in a stream", "{what}");
        assert_eq!(verdict.profile["corrections"][0]["set"]["toolCalls"], "streamed", "{what}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_refuses_every_plain_request_is_asked_streamed() {
    let server = Server::start(|asked| {
        if is_streamed(asked) {
            return chat::streamed(&good(asked));
        }
        chat::refusal(
            400,
            "This model only support stream mode, please enable the stream parameter",
        )
    })
    .await;
    let url = server.at(PLACES[0].0);
    let verdict = probe(&url, &ARGS).await;
    is_streamed_profile(&verdict, "no greetings either");
    assert_eq!(verdict.profile["supportsPlainToolUse"], false);
    let required = probe(&url, &[&ARGS[..], &["--require", "plain"]].concat()).await;
    assert_eq!(required.code, Some(1), "{}", required.errors);
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_of_everything_plain_is_no_verdict_on_plain_replies() {
    let server =
        Server::start(
            |asked| {
                if is_streamed(asked) { chat::streamed(&good(asked)) } else { broken() }
            },
        )
        .await;
    let verdict = probe(&server.at(PLACES[0].0), &["--trials", "1", "--timeout", "20s"]).await;
    assert_eq!(verdict.result("singleTool").0, "pass");
    assert_eq!(verdict.profile["supportsStreamingToolUse"], true);
    assert!(verdict.profile["supportsPlainToolUse"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_that_passes_is_not_held_against_plain_replies() {
    for failing in [4, 12] {
        let plain = Arc::new(Mutex::new(0));
        let server = Server::start(move |asked| {
            if is_streamed(asked) || !chat::has_tools(asked) {
                return chat::answer(asked, &good(asked));
            }
            let mut plain = plain.lock().unwrap();
            *plain += 1;
            if *plain <= failing { broken() } else { chat::reply(&good(asked)) }
        })
        .await;
        let verdict = probe(&server.at(PLACES[0].0), &["--trials", "1"]).await;
        assert_ne!(verdict.profile["supportsPlainToolUse"], false, "{failing} failures");
        assert!(!verdict.statuses().contains(&"fail".to_owned()), "{failing} failures");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_asks_the_whole_suite_in_one_way_in_any_dialect() {
    join_all(PLACES.map(async |(path, healthy)| {
        let asked = Arc::new(Mutex::new([0_usize; 2]));
        let seen = Arc::clone(&asked);
        let server = Server::start(move |asked| {
            seen.lock().unwrap()[usize::from(is_streamed(asked))] += 1;
            healthy(asked)
        })
        .await;
        let url = server.at(path);
        let mut counts = Vec::new();
        for mode in ["plain", "stream", "both"] {
            let verdict = probe(&url, &["--mode", mode, "--trials", "2"]).await;
            assert_eq!(verdict.code, Some(0), "{path}, {mode}: {}", verdict.errors);
            let field = |name: &str| verdict.profile[name].clone();
            let found = (field("supportsPlainToolUse"), field("supportsStreamingToolUse"));
            let expected = match mode {
                "plain" => (json!(true), Value::Null),
                "stream" => (Value::Null, json!(true)),
                _ => (json!(true), json!(true)),
            };
            assert_eq!(found, expected, "{path}, {mode}");
            assert_eq!(verdict.profile["errorRepair"], "reliable", "{path}, {mode}");
            counts.push(std::mem::take(&mut *asked.lock().unwrap()));
        }
        let [[plain, 0], [0, streamed], [first, twins]] = counts[..] else {
            panic!("{path}: {counts:?}")
        };
        assert_eq!(plain, streamed, "{path}: {counts:?}");
        // The control of what is refused in a stream is plain.
        assert!((plain..=plain + 2).contains(&first), "{path}: {counts:?}");
        // Every probe of the standard suite has a twin, most of them with one trial.
        assert!(twins > plain / 3 && twins < plain, "{path}: {counts:?}");
    }))
    .await;
}

/// The same request as a stream, in any dialect.
fn as_stream(asked: &Asked) -> Asked {
    let mut streamed = asked.clone();
    streamed.path = asked.path.replace(":generateContent", ":streamGenerateContent");
    if !streamed.path.contains(":stream") {
        streamed.body["stream"] = json!(true);
    }
    streamed
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_streams_whatever_is_asked_has_no_plain_replies_in_any_dialect() {
    join_all(PLACES.map(async |(path, healthy)| {
        let server = Server::start(move |asked| healthy(&as_stream(asked))).await;
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        is_streamed_profile(&verdict, path);
        assert_eq!(verdict.profile["supportsPlainToolUse"], false, "{path}");
        let plain = verdict.profile["results"]["singleTool"]["plain"]["reason"].to_string();
        assert!(plain.contains("a stream where one whole body was asked for"), "{path}: {plain}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_ends_inside_its_first_event_is_cut_in_any_dialect() {
    join_all(PLACES.map(async |(path, healthy)| {
        let server = Server::start(move |asked| {
            let mut script = healthy(asked);
            if is_streamed(asked) {
                let first = script.pieces[1].slice(..40);
                script.pieces.truncate(1);
                script.pieces.push(first);
            }
            script
        })
        .await;
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        let (status, reason) = verdict.result("streaming");
        assert_eq!(status, "fail", "{path}: {reason}");
        assert!(reason.contains("the stream ended before the reply did"), "{path}: {reason}");
    }))
    .await;
}

/// What a fault in streams is called, in which requests it shows by their text and the word for a result,
/// and which twin shows it.
type StreamFault = (&'static str, fn(&str, &str) -> bool, &'static str);

#[tokio::test(flavor = "multi_thread")]
async fn each_probe_has_a_twin_that_finds_what_only_streams_lose_in_any_dialect() {
    let faults: [StreamFault; 3] = [
        ("a keyword", |text, _| text.contains("probe_integer"), "schema"),
        ("an error", |text, _| text.contains("is_error"), "error-repair"),
        ("two results", |text, result| text.matches(result).count() > 1, "history"),
    ];
    let places = PLACES.into_iter().zip(RESULTS);
    let cases = places.flat_map(|place| faults.map(|fault| (place, fault)));
    join_all(cases.map(async |(((path, healthy), result), (name, is_lost, twin))| {
        let server = Server::start(move |asked| {
            if is_streamed(asked) && is_lost(&asked.body.to_string(), result) {
                return chat::refusal(400, "not in a stream");
            }
            healthy(asked)
        })
        .await;
        let what = format!("{path}, {name}");
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        let streaming = &verdict.profile["results"]["streaming"];
        let found = &streaming["twins"][twin];
        assert_eq!(found["verdict"], "accepted-invalid", "{what}: {found}");
        assert_eq!(verdict.profile["supportsStreamingToolUse"], false, "{what}: {streaming}");
        for result in ["singleTool", "schema", "closedLoop", "parallelTool", "errorRepair"] {
            assert_eq!(verdict.result(result).0, "pass", "{what}: {result}");
        }
    }))
    .await;
}

/// Writes calls as the protocol that it was taught says.
fn as_taught(says: Says) -> Says {
    let write = |(name, arguments): &(String, Value)| chat::hermes(name, arguments);
    match says {
        Says::Calls(calls) => Says::Words(calls.iter().map(write).collect::<Vec<_>>().join("\n")),
        says @ Says::Words(_) => says,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_without_native_tools_that_only_streams_is_taught_in_streams_in_any_dialect() {
    let failures: [(&str, Failure); 2] = [("400", refused), ("500", broken)];
    let places = PLACES.into_iter().zip(SPEAKERS);
    let cases = places.flat_map(|place| failures.map(|failure| (place, failure)));
    join_all(cases.map(async |(((path, _), speak), (name, failure))| {
        let server = Server::start(move |asked| {
            let text = asked.body.to_string();
            match (is_streamed(asked), chat::has_tools(asked)) {
                (false, _) => failure(),
                (true, true) => chat::refusal(400, "m does not support tools"),
                // It never learnt to write a fence.
                (true, false) if text.contains("~~~") || text.contains("<tool_use>") => {
                    speak(asked, |_| Says::Words("I am only a language model.".to_owned()))
                }
                (true, false) => speak(asked, as_taught),
            }
        })
        .await;
        let what = format!("{path}, {name}");
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        assert_eq!(verdict.code, Some(0), "{what}: {} {:#}", verdict.errors, verdict.profile);
        let single = &verdict.profile["results"]["singleTool"];
        assert_eq!(single["replies"], "streamed", "{what}: {single:#}");
        for (field, expected) in [
            ("toolDelivery", json!("prompted:tool-call")),
            ("toolCallFormat", json!("json-text")),
            ("errorRepair", json!("reliable")),
            ("supportsStreamingToolUse", json!(true)),
        ] {
            assert_eq!(verdict.profile[field], expected, "{what}: {field}");
        }
        // Trouble of everything plain is no verdict on plain replies; a refusal is one.
        let plain = if name == "400" { json!(false) } else { Value::Null };
        assert_eq!(verdict.profile["supportsPlainToolUse"], plain, "{what}: {single:#}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_wants_the_other_field_for_the_token_limit_is_no_refusal() {
    let server = Server::start(|asked| {
        if asked.body.get("max_tokens").is_some() {
            let words = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                         Use 'max_completion_tokens' instead.";
            let error = json!({"message": words, "type": "invalid_request_error",
                               "param": "max_tokens", "code": "unsupported_parameter"});
            return Script::json(400, &json!({ "error": error }));
        }
        assert!(asked.body["max_completion_tokens"].is_u64(), "{}", asked.body);
        chat::answer(asked, &good(asked))
    })
    .await;
    let healthy = Server::start(|asked| chat::answer(asked, &good(asked))).await;
    let verdict = probe(&server.at(PLACES[0].0), &ARGS).await;
    let expected = probe(&healthy.at(PLACES[0].0), &ARGS).await;
    assert_eq!(verdict.code, Some(0), "{}", verdict.errors);
    assert_eq!(verdict.statuses(), expected.statuses());
    assert_eq!(
        verdict.profile["results"]["history"]["shapes"],
        expected.profile["results"]["history"]["shapes"]
    );
    let extra = r#"{"max_completion_tokens": 500}"#;
    let own = probe(&server.at(PLACES[0].0), &[&ARGS[..], &["--extra-body", extra]].concat()).await;
    assert_eq!(own.statuses(), expected.statuses(), "{}", own.errors);
}
