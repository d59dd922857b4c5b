//! The floor: a loop over `reqwest` that sends, reassembles, validates and writes, and does nothing else.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::{AT_ONCE, ROUNDS};

/// Sends all bodies with as little as it takes to know the calls in the answers.
pub(crate) fn run(base: &str, bodies: &Path, key: &str) {
    let texts: Vec<String> =
        BufReader::new(fs::File::open(bodies).unwrap()).lines().map(Result::unwrap).collect();
    let url = format!("{base}/v1/chat/completions");
    let mut kept = fs::File::create(bodies.with_extension("kept")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        rustls::crypto::ring::default_provider().install_default().unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut schemas = HashMap::new();
        let all = (0..ROUNDS).flat_map(|_| &texts);
        let mut answers = stream::iter(all)
            .map(|text| exchange(&client, &url, key, text))
            .buffer_unordered(AT_ONCE);
        while let Some((request, answer)) = answers.next().await {
            let reply = reassemble(&answer);
            validate(&request, &reply, &mut schemas);
            let mut line = json!({"request": request, "answer": answer}).to_string();
            line.push('\n');
            kept.write_all(line.as_bytes()).unwrap();
        }
    });
}

async fn exchange(client: &reqwest::Client, url: &str, key: &str, text: &str) -> (Value, String) {
    let request = serde_json::from_str(text).unwrap();
    let call = client.post(url).header("content-type", "application/json").bearer_auth(key);
    let mut pieces = call.body(text.to_owned()).send().await.unwrap().bytes_stream();
    let mut answer = Vec::new();
    while let Some(piece) = pieces.next().await {
        answer.extend_from_slice(&piece.unwrap());
    }
    (request, String::from_utf8(answer).unwrap())
}

/// Name and arguments of every call in a reply, plain or streamed.
fn reassemble(answer: &str) -> Vec<(String, String)> {
    let mut calls: Vec<(String, String)> = Vec::new();
    let mut take = |message: &Value| {
        for (place, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let index =
                call["index"].as_u64().map_or(place, |index| usize::try_from(index).unwrap());
            calls.resize(calls.len().max(index + 1), Default::default());
            let known = &mut calls[index];
            known.0 += call["function"]["name"].as_str().unwrap_or_default();
            known.1 += call["function"]["arguments"].as_str().unwrap_or_default();
        }
    };
    if answer.starts_with("data:") {
        for data in answer.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let Ok(chunk) = serde_json::from_str::<Value>(data) else { continue };
            take(&chunk["choices"][0]["delta"]);
        }
    } else {
        let reply: Value = serde_json::from_str(answer).unwrap_or(Value::Null);
        take(&reply["choices"][0]["message"]);
    }
    calls
}

/// Holds every call against the schema of its tool; each schema is compiled once.
fn validate(
    request: &Value,
    calls: &[(String, String)],
    schemas: &mut HashMap<String, jsonschema::Validator>,
) {
    for (name, arguments) in calls {
        let mut tools = request["tools"].as_array().into_iter().flatten();
        let Some(tool) = tools.find(|tool| tool["function"]["name"] == *name) else { continue };
        let schema = &tool["function"]["parameters"];
        let validator = schemas
            .entry(schema.to_string())
            .or_insert_with(|| jsonschema::validator_for(schema).unwrap());
        let arguments = serde_json::from_str(arguments).unwrap_or(Value::Null);
        std::hint::black_box(validator.is_valid(&arguments));
    }
}
