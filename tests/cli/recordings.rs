//! `toolprobe gate --adapter --transcripts`: recordings behind a gateway of a few lines

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::adapter::{Gateway, Manners, leaves_alone};
use crate::place::root;
use crate::{Sim, finished, toolprobe};

const TRANSCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/transcripts");

/// Runs the gate with recordings behind a gateway, which must come to this exit code.
fn gates(code: i32, manners: Manners, args: &[&str]) -> String {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::with(&["--transcripts", TRANSCRIPTS]));
    let gateway = Gateway::with(&sim.url, manners);
    let mut command = toolprobe(&["gate", "--adapter", &gateway.url, "--transcripts", TRANSCRIPTS]);
    let (found, out, err) = finished(command.args(args).current_dir(dir.path()).output().unwrap());
    assert_eq!(found, Some(code), "{out}{err}");
    out + &err
}

fn messages(body: &mut Value) -> impl Iterator<Item = &mut Value> {
    body.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten()
}

/// Writes every request anew: other ids, text in parts, keys in another order.
fn writes_its_own(body: &mut Value) {
    for message in messages(body) {
        for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
            call["id"] = json!(format!("own-{}", call["id"].as_str().unwrap()));
        }
        if let Some(id) = message.get("tool_call_id").and_then(Value::as_str) {
            message["tool_call_id"] = json!(format!("own-{id}"));
        }
        if message["role"] == "user" && message["content"].is_string() {
            let text = message["content"].take();
            message["content"] = json!([{"type": "text", "text": text}]);
        }
    }
    if body["max_tokens"].is_u64() {
        body["max_tokens"] = json!(32_000);
    }
}

fn drops_reasoning(body: &mut Value) {
    for message in messages(body) {
        message.as_object_mut().unwrap().remove("reasoning_content");
    }
}

fn renames_calls(body: &mut Value) {
    for choice in body["choices"].as_array_mut().into_iter().flatten() {
        for call in choice["message"]["tool_calls"].as_array_mut().into_iter().flatten() {
            call["function"]["name"] = json!("house_tool");
        }
    }
}

#[test]
fn an_adapter_that_only_writes_its_own_bytes_changes_nothing() {
    let manners = Manners { asks: writes_its_own, answers: leaves_alone };
    let args = ["--model", "openai-native,deepseek-v4-thinking", "--dialect", "openai-chat"];
    let said = gates(0, manners, &args);
    assert!(said.starts_with("gate: no change; 2 models through "), "{said}");
}

#[test]
fn every_recording_answers_through_a_pass_through_in_its_own_dialect() {
    let manners = Manners { asks: leaves_alone, answers: leaves_alone };
    let files = fs::read_dir(TRANSCRIPTS).unwrap().map(|file| file.unwrap().path());
    let names: Vec<String> =
        files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let said = gates(0, manners, &["--suite", "light", "--model", &names.join(",")]);
    assert!(said.starts_with("gate: no change; 8 models through "), "{said}");
}

#[test]
fn what_an_adapter_leaves_out_is_told_with_the_nearest_recording() {
    let manners = Manners { asks: drops_reasoning, answers: leaves_alone };
    let args = ["--model", "deepseek-v4-thinking", "--dialect", "openai-chat"];
    let said = gates(1, manners, &args);
    let denied: Vec<&str> = said.lines().filter(|line| line.starts_with("deny: ")).collect();
    let expected = "deny: adapter/deepseek-v4-thinking: breaks: request-unrecorded: \
                    requests.conversation.reasoning recorded → not recorded (major)";
    assert_eq!(denied, [expected], "{said}");
    assert!(said.contains("conversation[1]: recorded {'reasoning'"), "{said}");
}

#[test]
fn replies_that_an_adapter_changes_lead_to_another_conversation() {
    let manners = Manners { asks: leaves_alone, answers: renames_calls };
    let args = ["--model", "openai-native", "--dialect", "openai-chat", "--format", "json"];
    let said = gates(1, manners, &args);
    let mut values = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let found = values.next().unwrap().unwrap();
    let codes: Vec<&Value> =
        found["rulings"].as_array().unwrap().iter().map(|row| &row["code"]).collect();
    assert_eq!(codes, ["conversation-diverged"], "{said}");
}

#[test]
fn a_request_that_was_never_recorded_is_refused_with_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = Sim::with(&["--transcripts", TRANSCRIPTS]);
    let args = ["probe", &gateway.url, "--model", "openai-native", "--seed", "9", "--no-keep"];
    let mut command = toolprobe(&args);
    command.args(["--suite", "light", "--trials", "1", "--dialect", "openai-chat"]);
    let (code, out, err) = finished(command.current_dir(dir.path()).output().unwrap());
    assert_eq!(code, Some(3), "{out}{err}");
    assert!((out + &err).contains("the upstream has no recording of the request"));
}

#[test]
fn recordings_that_were_not_made_alike_are_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    let copy = |name: &str, change: fn(&mut Value)| {
        let text = fs::read_to_string(root().join("fixtures/transcripts").join(name)).unwrap();
        let mut value = serde_json::from_str(&text).unwrap();
        change(&mut value);
        fs::write(dir.path().join(name), value.to_string()).unwrap();
    };
    copy("openai-native.json", |_| {});
    copy("qwen3-coder-xml.json", |transcript| transcript["seed"] = json!(7));
    let refuses = |args: &[&str], words: &str| {
        let mut command = toolprobe(&["gate", "--adapter", "http://127.0.0.1:9"]);
        command.args(args);
        let (code, out, err) = finished(command.current_dir(dir.path()).output().unwrap());
        assert!(code == Some(2) && err.contains(words), "{out}{err}");
    };
    let folder = dir.path().to_str().unwrap();
    refuses(&["--transcripts", folder], "were recorded with different suites, seeds");
    refuses(&["--transcripts", TRANSCRIPTS, "--seed", "4"], "were made with --seed 1");
    fs::create_dir(dir.path().join("empty")).unwrap();
    let empty = dir.path().join("empty");
    refuses(&["--transcripts", Path::new(&empty).to_str().unwrap()], "no transcripts (*.json) in");
}
