//! `toolprobe gate --adapter`, with a gateway of a few lines between the program and its simulator

use std::fs;
use std::path::Path;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use futures_util::{Stream, StreamExt as _};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::{Sim, finished, only_run, toolprobe};

/// What a gateway does to bodies: to requests, and to replies and the events of their streams.
#[derive(Clone, Copy)]
pub(crate) struct Manners {
    pub(crate) asks: fn(&mut Value),
    pub(crate) answers: fn(&mut Value),
}

pub(crate) fn leaves_alone(_: &mut Value) {}

/// A gateway before an upstream, until it is dropped.
pub(crate) struct Gateway {
    pub(crate) url: String,
    _runtime: Runtime,
}

impl Gateway {
    fn before(upstream: &str, answers: fn(&mut Value)) -> Self {
        Self::with(upstream, Manners { asks: leaves_alone, answers })
    }

    pub(crate) fn with(upstream: &str, manners: Manners) -> Self {
        let runtime = Runtime::new().unwrap();
        let upstream = upstream.to_owned();
        // The client wants a provider of TLS, also for plain HTTP; a second one changes nothing.
        rustls::crypto::ring::default_provider().install_default().ok();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let app = Router::new().fallback(move |request: Request| {
            forward(client.clone(), upstream.clone(), request, manners)
        });
        let listener =
            runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { url, _runtime: runtime }
    }
}

/// Passes headers on and streams line by line: what a gateway loses of these is a finding.
async fn forward(
    client: reqwest::Client,
    upstream: String,
    request: Request,
    manners: Manners,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = edited(&to_bytes(body, usize::MAX).await.unwrap(), manners.asks);
    let url = format!("{upstream}{}", parts.uri);
    let call = client.request(parts.method, url).headers(passed_on(&parts.headers)).body(body);
    let Ok(answer) = call.send().await else {
        return Response::builder().status(502).body(Body::from("no upstream")).unwrap();
    };
    let (status, headers) = (answer.status(), passed_on(answer.headers()));
    let kind = headers.get(CONTENT_TYPE).unwrap().to_str().unwrap();
    let body = if kind.starts_with("text/event-stream") {
        Body::from_stream(events(answer, manners.answers))
    } else {
        Body::from(edited(&answer.bytes().await.unwrap(), manners.answers))
    };
    let mut response = Response::builder().status(status).body(body).unwrap();
    *response.headers_mut() = headers;
    response
}

fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let hop = ["host", "content-length", "transfer-encoding", "connection", "accept-encoding"];
    let kept = headers.iter().filter(|(name, _)| !hop.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The lines of a stream as they come, each changed.
fn events(
    answer: reqwest::Response,
    change: fn(&mut Value),
) -> impl Stream<Item = Result<String, reqwest::Error>> {
    let mut rest = String::new();
    answer.bytes_stream().map(move |piece| {
        rest.push_str(&String::from_utf8_lossy(&piece?));
        let whole = rest.rfind('\n').map_or(0, |end| end + 1);
        let lines: String = rest.drain(..whole).collect();
        Ok(lines.split('\n').map(|line| event(line, change)).collect::<Vec<_>>().join("\n"))
    })
}

/// A line of a stream, its payload changed if it is JSON.
fn event(line: &str, change: fn(&mut Value)) -> String {
    match line.strip_prefix("data: ") {
        Some(data) => format!("data: {}", edited(data.as_bytes(), change)),
        None => line.to_owned(),
    }
}

fn edited(bytes: &[u8], change: fn(&mut Value)) -> String {
    let Ok(mut value) = serde_json::from_slice::<Value>(bytes) else {
        return String::from_utf8(bytes.to_vec()).unwrap();
    };
    change(&mut value);
    value.to_string()
}

/// The messages of a chat reply, or the deltas of a chunk.
fn messages(body: &mut Value) -> impl Iterator<Item = &mut Value> {
    let choices = body.get_mut("choices").and_then(Value::as_array_mut);
    choices.into_iter().flatten().flat_map(|choice| {
        let fields = choice.as_object_mut().into_iter().flatten();
        fields.filter(|(key, _)| *key == "message" || *key == "delta").map(|(_, inner)| inner)
    })
}

fn strips_reasoning(body: &mut Value) {
    for message in messages(body) {
        message.as_object_mut().unwrap().remove("reasoning_content");
    }
}

fn drops_second_calls(body: &mut Value) {
    for message in messages(body) {
        let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) else {
            continue;
        };
        calls.truncate(1);
        calls.retain(|call| call["index"].as_u64().unwrap_or(0) == 0);
    }
}

/// Makes numbers of the texts that hold one, in the arguments of whole replies.
fn mends_numbers(body: &mut Value) {
    for message in messages(body) {
        for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
            let text = call["function"]["arguments"].as_str().unwrap();
            let mut arguments: Value = serde_json::from_str(text).unwrap();
            for value in arguments.as_object_mut().unwrap().values_mut() {
                let number = value.as_str().and_then(|text| text.parse::<i64>().ok());
                *value = number.map_or_else(|| value.clone(), Value::from);
            }
            call["function"]["arguments"] = json!(arguments.to_string());
        }
    }
}

/// Encodes arguments once that came encoded twice.
fn decodes_once(body: &mut Value) {
    for message in messages(body) {
        for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
            let text = call["function"]["arguments"].as_str().unwrap();
            let inner: String = serde_json::from_str(text).unwrap();
            call["function"]["arguments"] = json!(inner);
        }
    }
}

/// Runs `gate --adapter` in a folder of its own, which must come to this exit code.
fn gates(folder: &Path, code: i32, gateway: &Gateway, args: &[&str]) -> String {
    let mut command = toolprobe(&["gate", "--adapter", &gateway.url, "--dialect", "openai-chat"]);
    command.args(args).args(["--trials", "1"]).current_dir(folder);
    let (found, out, err) = finished(command.output().unwrap());
    assert_eq!(found, Some(code), "{out}{err}");
    out + &err
}

fn in_folder(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let (code, out, err) = finished(toolprobe(args).current_dir(folder).output().unwrap());
    (code, out + &err)
}

fn lines<'a>(said: &'a str, of: &str) -> Vec<&'a str> {
    said.lines().filter(|line| line.contains(&format!(": {of}: "))).collect()
}

#[test]
fn an_adapter_that_changes_nothing_passes_and_its_run_is_no_snapshot() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::before(&sim.url, leaves_alone);
    let said = gates(dir.path(), 0, &gateway, &["--model", "glm-zai", "--suite", "light"]);
    assert!(said.starts_with("gate: no change; 1 model through http://127.0.0.1:"), "{said}");
    assert!(said.contains("note: no difference: glm-zai"), "{said}");

    let run = only_run(&dir.path().join("reports"));
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(run.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["adapter"], json!(gateway.url));
    let (code, said) = in_folder(dir.path(), &["accept"]);
    assert!(code == Some(2) && said.contains("no complete run in reports"), "{said}");
    let (code, said) = in_folder(dir.path(), &["accept", run.to_str().unwrap()]);
    assert!(code == Some(2) && said.contains("is of the adapter at http://"), "{said}");
    let (code, said) = in_folder(dir.path(), &["gate"]);
    assert!(code == Some(2) && said.contains("no run in reports"), "{said}");
}

#[test]
fn reasoning_that_does_not_come_through_is_hidden_and_a_policy_may_deny_that() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::before(&sim.url, strips_reasoning);
    let args = ["--model", "glm-zai", "--confirm", "off"];
    let said = gates(dir.path(), 0, &gateway, &args);
    let expected = "warn: adapter/glm-zai: hides: reasoning-hidden: \
                    seen.details.reasoning.verdict shown → absent (minor)";
    assert_eq!(lines(&said, "hides"), [expected], "{said}");
    assert_eq!(lines(&said, "breaks"), [""; 0], "{said}");

    let policy = "[[rule]]\neffect = \"hides\"\nlevel = \"deny\"\n";
    fs::write(dir.path().join("toolprobe-policy.toml"), policy).unwrap();
    let said = gates(dir.path(), 1, &gateway, &[&args[..], &["--suite", "light"]].concat());
    assert!(said.contains("deny: adapter/glm-zai: hides: reasoning-hidden"), "{said}");
    assert!(said.contains("decided by: policy rule: effect = hides"), "{said}");
}

#[test]
fn a_model_that_demands_its_reasoning_back_breaks_when_it_is_hidden() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::before(&sim.url, strips_reasoning);
    let args = ["--model", "deepseek-v4-thinking", "--suite", "light"];
    let said = gates(dir.path(), 1, &gateway, &args);
    let [broken] = lines(&said, "breaks").try_into().unwrap();
    assert!(
        broken.starts_with("deny: adapter/deepseek-v4-thinking: breaks: reasoning-hidden"),
        "{said}"
    );
    // What follows from bytes that are missing needs no further samples.
    assert!(said.contains("results.closedLoop.status pass → fail"), "{said}");
}

#[test]
fn a_verdict_that_is_lost_through_an_adapter_is_sampled_again() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::before(&sim.url, drops_second_calls);
    let said = gates(dir.path(), 1, &gateway, &["--model", "openai-native"]);
    let [broken] = lines(&said, "breaks").try_into().unwrap();
    assert!(broken.starts_with("deny: adapter/openai-native: breaks: parallel-lost"), "{said}");
    assert!(said.contains("confirmed: sampled again, 0 of "), "{said}");
}

#[test]
fn a_call_that_is_dropped_is_broken_with_evidence_of_both_ways() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::before(&sim.url, drops_second_calls);
    let args = ["--model", "openai-native", "--confirm", "off", "--format", "json"];
    let said = gates(dir.path(), 1, &gateway, &args);
    let mut values = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let found = values.next().unwrap().unwrap();
    assert_eq!(found["outcome"], "failed");
    assert_eq!(
        (&found["models"], found["compared"].as_u64()),
        (&json!(["openai-native"]), Some(1))
    );
    let rulings = found["rulings"].as_array().unwrap();
    let [ruling] = rulings.as_slice() else { panic!("{said}") };
    assert_eq!((&ruling["code"], &ruling["effect"]), (&json!("parallel-lost"), &json!("breaks")));
    for side in ["old", "new"] {
        let digest = ruling["evidence"][side][0].as_str().unwrap();
        let shown = toolprobe(&["show", digest]).current_dir(dir.path()).output().unwrap();
        assert!(shown.status.success(), "{side}: {digest}");
    }
}

#[test]
fn arguments_that_are_mended_are_fixed() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::before(&sim.url, mends_numbers);
    let said =
        gates(dir.path(), 0, &gateway, &["--model", "stringified-numbers", "--suite", "light"]);
    let expected = "allow: adapter/stringified-numbers: fixes: verdict-new: \
                    results.closedLoop.status skipped → pass (info)";
    assert_eq!(lines(&said, "fixes"), [expected], "{said}");

    let gateway = Gateway::before(&sim.url, decodes_once);
    let said = gates(dir.path(), 0, &gateway, &["--model", "double-encoded", "--suite", "light"]);
    let expected = [
        "allow: adapter/double-encoded: fixes: calls-recovered: results.singleTool.status partial \
         → pass (major)",
        "allow: adapter/double-encoded: fixes: reply-defect-gone: \
         seen.defects.arguments-double-encoded shown → none (info)",
    ];
    assert_eq!(lines(&said, "fixes"), expected, "{said}");
    assert_eq!(lines(&said, "breaks"), [""; 0], "{said}");
}

#[test]
fn what_the_gateway_lists_is_asked_for_and_names_of_its_own_are_mapped() {
    fn lists_two(body: &mut Value) {
        if body.get("object").is_some_and(|kind| kind == "list") {
            body["data"] = json!([{"id": "house-model"}, {"id": "one-call"}, {"id": "gpt-9"}]);
        }
    }
    fn translates_the_name(body: &mut Value) {
        if body.get("model").is_some_and(|name| name == "house-model") {
            body["model"] = json!("openai-native");
        }
    }
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let manners = Manners { asks: translates_the_name, answers: lists_two };
    let gateway = Gateway::with(&sim.url, manners);
    let args = ["--map", "house-model=openai-native", "--suite", "light"];
    let said = gates(dir.path(), 0, &gateway, &args);
    assert!(said.starts_with("gate: no change; 2 models through "), "{said}");
    assert!(said.contains("note: no difference: house-model, one-call"), "{said}");
}

#[test]
fn a_gateway_that_does_not_lead_to_the_simulator_is_a_usage_error_with_what_to_do() {
    fn answers_by_itself(body: &mut Value) {
        for message in messages(body) {
            message["content"] = json!("Good morning! How can I help you today?");
        }
    }
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let args = ["--model", "openai-native"];
    let nowhere = Gateway::before("http://127.0.0.1:9", leaves_alone);
    let said = gates(dir.path(), 2, &nowhere, &args);
    assert!(said.contains("the gateway does not reach the simulator: POST http://"), "{said}");
    assert!(said.contains("came back with HTTP 502: no upstream"), "{said}");
    assert!(said.contains("start the simulator with `toolprobe sim --addr"), "{said}");

    let other = Gateway::before(&sim.url, answers_by_itself);
    let said = gates(dir.path(), 2, &other, &args);
    assert!(said.contains("came back with \"Good morning! How can I help"), "{said}");
    assert!(!dir.path().join("reports").exists());

    let said = gates(dir.path(), 2, &other, &["--model", "gpt-9"]);
    assert!(said.contains("no simulated model is called 'gpt-9'"), "{said}");
    let (code, said) = in_folder(dir.path(), &["gate", "--model", "openai-native"]);
    assert!(code == Some(2) && said.contains("--adapter <URL>"), "{said}");
    let (code, said) = in_folder(dir.path(), &["gate", "--suite", "light"]);
    assert!(code == Some(2) && said.contains("--adapter <URL>"), "{said}");
}

#[test]
fn a_dry_run_asks_nothing_and_tells_the_cost_of_both_ways() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = Gateway::before("http://127.0.0.1:9", leaves_alone);
    let said = gates(dir.path(), 0, &nowhere, &["--model", "openai-native", "--dry-run"]);
    assert!(said.contains("direct/openai-native"), "{said}");
    assert!(said.contains("adapter/openai-native"), "{said}");
}

#[test]
fn a_name_of_the_gateways_own_may_contain_commas() {
    fn translates_the_name(body: &mut Value) {
        if body.get("model").is_some_and(|name| name == "house,model") {
            body["model"] = json!("openai-native");
        }
    }
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let manners = Manners { asks: translates_the_name, answers: leaves_alone };
    let gateway = Gateway::with(&sim.url, manners);
    let args = ["--map", "house,model=openai-native,glm-zai=glm-zai", "--suite", "light"];
    let named = [&args[..], &["--model", "house,model,glm-zai"]].concat();
    let said = gates(dir.path(), 0, &gateway, &named);
    assert!(said.contains("note: no difference: house,model, glm-zai"), "{said}");
}

#[test]
fn one_model_that_is_not_reached_leaves_the_others_their_verdicts() {
    fn loses_one(body: &mut Value) {
        if body.get("model").is_some_and(|name| name == "one-call") {
            body["model"] = json!("nobody");
        }
    }
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::with(&sim.url, Manners { asks: loses_one, answers: leaves_alone });
    let args = ["--model", "one-call,openai-native", "--suite", "light"];
    let said = gates(dir.path(), 3, &gateway, &args);
    assert!(said.contains("note: no difference: openai-native"), "{said}");
    assert!(said.contains("note: the gateway does not reach the simulator"), "{said}");
    assert!(
        said.contains("for 'one-call' came back with the model is not served: HTTP 404"),
        "{said}"
    );
}

#[test]
fn a_dialect_without_a_switch_for_parallel_calls_loses_none() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let map = "ollama-native=openai-native";
    let args = ["gate", "--adapter", &sim.url, "--model", "ollama-native", "--map", map];
    let mut command = toolprobe(&args);
    command.args(["--dialect", "ollama", "--trials", "1", "--confirm", "off", "--suite", "full"]);
    let (_, out, err) = finished(command.current_dir(dir.path()).output().unwrap());
    assert!(out.contains("1 model through"), "{out}{err}");
    assert!(!out.contains("parallel-switch"), "{out}");
    assert!(!out.contains("tool-choice"), "{out}");
}

#[test]
fn what_is_broken_in_several_models_is_one_row_with_their_names() {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::before(&sim.url, drops_second_calls);
    let args = ["--model", "openai-native,glm-zai,one-call", "--confirm", "off"];
    let said = gates(dir.path(), 1, &gateway, &args);
    let [broken] = lines(&said, "breaks").try_into().unwrap();
    let expected = "deny: adapter/openai-native, glm-zai: breaks: parallel-lost";
    assert!(broken.starts_with(expected), "{broken}");
    assert!(said.contains("note: no difference: one-call"), "{said}");
    let said = gates(dir.path(), 1, &gateway, &[&args[..], &["--format", "json"]].concat());
    let mut values = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let found = values.next().unwrap().unwrap();
    assert_eq!(found["rulings"][0]["models"], json!(["openai-native", "glm-zai"]), "{said}");
    let codes: Vec<&str> = found["rulings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["parallel-lost"], "{said}");
}
