//! `toolprobe probe`

use serde_json::Value;

use crate::{Sim, finished, toolprobe};

/// The profile that probing a simulated model prints, and what was said beside it.
fn probed(model: &str, args: &[&str]) -> (Value, String) {
    let sim = Sim::start();
    let mut command = toolprobe(&["probe", &sim.url, "--model", model, "--format", "json"]);
    let (code, out, err) = finished(command.args(args).output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    (serde_json::from_str(&out).unwrap(), err)
}

#[test]
fn what_the_server_tells_of_itself_stands_in_the_profile() {
    let (profile, _) = probed("ollama-native", &["--suite", "light", "--trials", "1"]);
    let build = profile["server"]["build"].as_str().unwrap();
    assert!(build.starts_with("toolprobe-sim-"), "{build}");
    assert_eq!(profile["server"]["quantization"], "F16");
}

#[test]
fn finding_out_the_dialect_is_paid_for_like_everything_else() {
    let tokens = |dialect: &str| {
        let args = ["--suite", "light", "--trials", "1", "--dialect", dialect];
        let (_, err) = probed("openai-native", &args);
        let spent = err.lines().find(|line| line.contains(" tokens in, ")).unwrap().to_owned();
        let words: Vec<&str> = spent.split([' ', ',']).filter(|word| !word.is_empty()).collect();
        words[2].parse::<u64>().unwrap()
    };
    assert!(tokens("auto") > tokens("openai-chat"));
}

#[test]
fn every_tool_choice_is_asked_for_with_thinking_on_and_off_where_it_can_be_switched() {
    let full = ["--suite", "full", "--trials", "1", "--dialect", "openai-chat"];
    let switch = [
        "--thinking-on",
        r#"{"thinking": {"type": "enabled"}}"#,
        "--thinking-off",
        r#"{"thinking": {"type": "disabled"}}"#,
    ];
    let choices = |args: &[&str]| {
        let (profile, _) = probed("deepseek-v4-thinking", args);
        profile["results"]["extended"]["tool-choice"]["cases"].clone()
    };
    assert_eq!(choices(&full).as_object().unwrap().len(), 4);
    let cases = choices(&[&full[..], &switch].concat());
    assert_eq!(cases.as_object().unwrap().len(), 12);
    assert_eq!(cases["required, thinking on"]["verdict"], "rejected");
    assert_eq!(cases["required, thinking off"]["verdict"], "accepted-valid");
}
