//! `toolprobe audit`, with a gateway of a few lines between the program and its simulator

use serde_json::{Value, json};

use crate::adapter::{Gateway, Manners, leaves_alone};
use crate::{Sim, finished, toolprobe};

/// Audits a gateway, which must come to this exit code.
fn audits(code: i32, asks: fn(&mut Value), args: &[&str]) -> String {
    let (dir, sim) = (tempfile::tempdir().unwrap(), Sim::start());
    let gateway = Gateway::with(&sim.url, Manners { asks, answers: leaves_alone });
    let mut command = toolprobe(&["audit", &gateway.url]);
    let (found, out, err) = finished(command.args(args).current_dir(dir.path()).output().unwrap());
    assert_eq!(found, Some(code), "{out}{err}");
    out + &err
}

fn drops_strict(body: &mut Value) {
    for tool in body["tools"].as_array_mut().into_iter().flatten() {
        // Tools of other types have no function.
        if let Some(function) = tool.get_mut("function").and_then(Value::as_object_mut) {
            function.remove("strict");
        }
    }
}

fn adds_a_user(body: &mut Value) {
    if body.get("messages").is_some() {
        body["user"] = json!("house");
    }
}

#[test]
fn a_gateway_that_passes_everything_on_has_no_row_in_any_dialect() {
    let natives = "openai-native,anthropic-native,responses-native,gemini-native,ollama-native";
    let said = audits(0, leaves_alone, &["--model", natives, "--format", "json", "--all"]);
    let mut values = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let found = values.next().unwrap().unwrap();
    let models = found["models"].as_array().unwrap();
    assert_eq!(models.len(), 5);
    for model in models {
        assert_eq!((&model["rows"], &model["kept"]), (&json!([]), &model["fields"]), "{model}");
        assert_eq!(model["dialect"], model["upstream"]);
    }
}

#[test]
fn a_field_that_is_dropped_in_silence_is_denied_with_both_bodies() {
    let args = ["--model", "openai-native", "--dialect", "openai-chat"];
    let said = audits(1, drops_strict, &args);
    let expected =
        "    deny: dropped: tools[].function.strict: arguments are no longer held to the schema";
    assert!(said.lines().any(|line| line == expected), "{said}");
    let said = audits(1, drops_strict, &[&args[..], &["--format", "json"]].concat());
    let mut values = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let found = values.next().unwrap().unwrap();
    let [row] = found["models"][0]["rows"].as_array().unwrap().as_slice() else { panic!("{said}") };
    assert_eq!(row["sent"]["tools"][0]["function"]["strict"], true);
    assert_eq!(row["arrived"]["tools"][0]["function"].get("strict"), None);
    let schema = toolprobe(&["schema", "audit"]).output().unwrap().stdout;
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    assert!(jsonschema::is_valid(&schema, &found), "{found}");
}

#[test]
fn a_field_that_nobody_sent_is_told_and_allowed() {
    let args = ["--model", "openai-native", "--dialect", "openai-chat", "--format", "markdown"];
    let said = audits(1, adds_a_user, &args);
    assert!(said.contains("| `user` | added | allow |"), "{said}");
    assert!(said.contains("| `user` | changed | deny |"), "{said}");
}

#[test]
fn a_gateway_without_the_simulator_behind_it_is_a_usage_error_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let gateway =
        Gateway::with("http://127.0.0.1:9", Manners { asks: leaves_alone, answers: leaves_alone });
    let args = ["audit", &gateway.url, "--model", "m", "--dialect", "openai-chat"];
    let (code, out, err) = finished(toolprobe(&args).current_dir(dir.path()).output().unwrap());
    assert!(code == Some(2) && err.contains("start `toolprobe sim`"), "{out}{err}");
}
