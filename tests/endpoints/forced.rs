//! Are models found out that call only when a call is demanded, and servers that read an older field?

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::places::PLACES;
use crate::server::{Asked, Script, Server};
use crate::{Verdict, chat, probe};

/// The choice that a request makes, as its dialect spells it.
fn choice(asked: &Asked) -> &Value {
    match asked.body.get("toolConfig") {
        Some(config) => &config["functionCallingConfig"]["mode"],
        None => &asked.body["tool_choice"],
    }
}

fn is_forced(asked: &Asked) -> bool {
    let choice = choice(asked);
    let kind = choice["type"].as_str().unwrap_or_default();
    ["required", "ANY"].iter().any(|word| choice == word)
        || ["any", "tool", "function"].contains(&kind)
}

/// The request with other words in its text.
fn reworded(asked: &Asked, from: &str, to: &str) -> Asked {
    let text = asked.body.to_string().replace(from, to);
    Asked { body: serde_json::from_str(&text).unwrap(), ..asked.clone() }
}

/// A model that makes no call by itself: it reads its orders only where a call is demanded.
pub(crate) fn reluctant(asked: &Asked, healthy: fn(&Asked) -> Script) -> Script {
    if is_forced(asked) {
        healthy(asked)
    } else {
        healthy(&reworded(asked, "Call the tool `", "`"))
    }
}

#[track_caller]
fn is_forced_profile(verdict: &Verdict, path: &str) {
    assert_eq!(verdict.code, Some(0), "{path}: {}", verdict.errors);
    let results = ["singleTool", "schema", "closedLoop", "errorRepair"];
    let found = results.map(|result| verdict.result(result));
    assert_eq!(verdict.profile["toolDelivery"], "forced", "{path}: {found:?}");
    assert!(found.iter().all(|(status, _)| *status == "pass"), "{path}: {found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_calls_only_under_force_is_forced_until_it_has_a_result() {
    join_all(PLACES.into_iter().take(4).map(async |(path, healthy)| {
        let forced_on = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&forced_on);
        let server = Server::start(move |asked| {
            let text = asked.body.to_string();
            if is_forced(asked) && text.contains("receipt\\\"") {
                seen.fetch_add(1, SeqCst);
            }
            reluctant(asked, healthy)
        })
        .await;
        let verdict = probe(&server.at(path), &["--trials", "2", "--timeout", "20s"]).await;
        is_forced_profile(&verdict, path);
        assert_eq!(verdict.profile["results"]["singleTool"]["force"], "required", "{path}");
        assert_eq!(verdict.profile["supportsParallelToolUse"], true, "{path}");
        assert_eq!(forced_on.load(SeqCst), 0, "{path}: force is lifted after a result");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_may_be_demanded_by_name_where_any_call_may_not() {
    join_all(PLACES.into_iter().take(4).map(async |(path, healthy)| {
        let server = Server::start(move |asked| {
            let text = asked.body.to_string();
            let is_named = choice(asked).is_object() || text.contains("allowedFunctionNames");
            let is_any = is_forced(asked) && (!is_named || choice(asked)["type"] == "any");
            if is_any {
                return chat::refusal(400, "a call cannot be demanded without its name");
            }
            reluctant(asked, healthy)
        })
        .await;
        let verdict = probe(&server.at(path), &["--trials", "1", "--timeout", "20s"]).await;
        is_forced_profile(&verdict, path);
        assert_eq!(verdict.profile["results"]["singleTool"]["force"], "named", "{path}");
    }))
    .await;
}

/// The tool that a request demands: the one it names, or the first that it offers.
fn demanded(asked: &Asked) -> &str {
    let (choice, tool) = (&asked.body["tool_choice"], &asked.body["tools"][0]);
    let config = &asked.body["toolConfig"]["functionCallingConfig"];
    let names = [
        &choice["function"]["name"],
        &choice["name"],
        &config["allowedFunctionNames"][0],
        &tool["function"]["name"],
        &tool["name"],
        &tool["functionDeclarations"][0]["name"],
    ];
    names.into_iter().find_map(Value::as_str).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn choices_are_asked_whether_or_not_the_model_calls_by_itself_in_any_dialect() {
    join_all(PLACES.into_iter().take(4).map(async |(path, healthy)| {
        let server = Server::start(move |asked| {
            if !is_forced(asked) {
                return reluctant(asked, healthy);
            }
            let tool = demanded(asked);
            let ask =
                format!("Call the tool `{tool}` once, with:\n- message = \"x\"\n- tag = \"alpha\"");
            healthy(&reworded(asked, "Say hello.", &ask.replace('\n', "\\n").replace('"', "\\\"")))
        })
        .await;
        let args = ["--suite", "full", "--trials", "1", "--timeout", "20s"];
        let verdict = probe(&server.at(path), &args).await;
        assert_eq!(verdict.profile["toolDelivery"], "forced", "{path}: {}", verdict.errors);
        let choices = &verdict.profile["results"]["extended"]["tool-choice"]["cases"];
        for choice in ["required", "named"] {
            assert_eq!(choices[choice]["verdict"], "accepted-valid", "{path}, {choice}: {choices}");
        }
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialect_without_a_choice_has_no_forced_rung() {
    let server = Server::start(|asked| PLACES[4].1(&reworded(asked, "Call the tool `", "`"))).await;
    let verdict = probe(&server.at("/api/chat"), &["--trials", "1", "--timeout", "20s"]).await;
    assert_eq!(verdict.profile["toolCallFormat"], "none");
    let rungs = verdict.profile["results"]["singleTool"]["rungs"].to_string();
    assert!(!rungs.contains("forced"), "{rungs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gemini_endpoint_that_reads_only_parameters_is_found_out() {
    let server = Server::start(|asked| {
        let is_blind = asked.body.to_string().contains("parametersJsonSchema");
        // Without a schema, arguments are lost.
        PLACES[3].1(&if is_blind { reworded(asked, "\\n- ", "\\nX ") } else { asked.clone() })
    })
    .await;
    let verdict = probe(&server.at("/v1beta"), &["--trials", "2", "--timeout", "20s"]).await;
    assert_eq!(verdict.code, Some(0), "{}", verdict.errors);
    let single = &verdict.profile["results"]["singleTool"];
    assert_eq!((&single["status"], &single["schemaField"]), (&json!("pass"), &json!("parameters")));
    assert!(single["rungs"]["native"].as_str().unwrap().contains("schema"), "{}", single["rungs"]);
    for (field, expected) in [
        ("toolDelivery", json!("native")),
        ("schemaLevel", json!("strict-json-schema")),
        ("supportsParallelToolUse", json!(true)),
        ("errorRepair", json!("reliable")),
    ] {
        assert_eq!(verdict.profile[field], expected, "{field}");
    }
}
