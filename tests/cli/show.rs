//! `toolprobe show`

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{Sim, finished, toolprobe};

fn show(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = toolprobe(&["show"]).args(args).current_dir(folder).output().unwrap();
    finished(output)
}

/// Probes a model with a key, and gives the addresses that a result rests on.
fn probed(folder: &Path, url: &str, probe: &str) -> Vec<String> {
    let mut command = toolprobe(&["probe", url, "--model", "openai-native", "--format", "json"]);
    command.args(["--trials", "1", "--dialect", "openai-chat", "--api-key-env", "MY_KEY"]);
    command.env("MY_KEY", "hush-hush-hush").current_dir(folder);
    let (code, out, err) = finished(command.output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    let profile: Value = serde_json::from_str(&out).unwrap();
    let evidence = profile["results"][probe]["evidence"].as_array().unwrap();
    evidence.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_exchange_is_found_by_the_first_digits_of_its_address() {
    let (sim, dir) = (Sim::start(), tempfile::tempdir().unwrap());
    let address = probed(dir.path(), &sim.url, "singleTool").remove(0);
    let short = &address["sha256:".len()..][..12];
    for form in [address.as_str(), short, &format!("reports/x/evidence/{short}.json")] {
        let (code, out, err) = show(dir.path(), &[form]);
        assert_eq!(code, Some(0), "{err}");
        let first = format!("> POST {}/v1/chat/completions\n", sim.url);
        assert!(out.starts_with(&first), "{out}");
        assert!(out.contains("> authorization: Bearer [secret]\n"), "{out}");
        assert!(out.contains("    \"model\": \"openai-native\"") && out.contains("\n< 200 after "));
        assert!(!out.contains("hush"));
    }
}

#[test]
fn frames_of_a_stream_are_shown_with_their_times() {
    let (sim, dir) = (Sim::start(), tempfile::tempdir().unwrap());
    let shown: Vec<String> = probed(dir.path(), &sim.url, "streaming")
        .iter()
        .map(|address| show(dir.path(), &[address]).1)
        .collect();
    assert!(shown.iter().any(|out| out.contains(" ms  [DONE]")), "{shown:#?}");
}

#[test]
fn the_command_repeats_the_exchange() {
    let (sim, dir) = (Sim::start(), tempfile::tempdir().unwrap());
    let address = probed(dir.path(), &sim.url, "singleTool").remove(0);
    let (code, out, err) = show(dir.path(), &[&address, "--curl", "--api-key-env", "MY_KEY"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("-H 'authorization: Bearer '\"$MY_KEY\""), "{out}");
    let run = Command::new("sh").arg("-c").arg(&out).env("MY_KEY", "x").output();
    // Where there is no curl the shell says so with 127.
    let run = run.unwrap();
    if run.status.code() != Some(127) {
        let reply: Value = serde_json::from_slice(&run.stdout).expect("a reply");
        assert!(reply["choices"].is_array(), "{reply}");
    }
}

#[test]
fn an_address_that_leads_nowhere_is_exit_2() {
    let dir = tempfile::tempdir().unwrap();
    let (code, _, err) = show(dir.path(), &["0123456789ab"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("no exchange 0123456789ab in the runs that are kept"), "{err}");
    let (code, _, err) = show(dir.path(), &["latest"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("'latest' is not the address of an exchange"), "{err}");
}
