//! `toolprobe doctor`

use std::fs;
use std::net::TcpListener;

use crate::{Sim, finished, toolprobe};

/// What the doctor says of a configuration, with these variables set.
fn doctor(config: &str, env: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("toolprobe.toml"), config).unwrap();
    let mut command = toolprobe(&["doctor"]);
    command.current_dir(dir.path()).envs(env.iter().copied());
    finished(command.output().unwrap())
}

fn target(name: &str, url: &str, more: &str) -> String {
    format!("[[targets]]\nname = \"{name}\"\nbase_url = \"{url}\"\n{more}\n")
}

#[test]
fn without_a_target_nothing_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let run = toolprobe(&["doctor"]).current_dir(dir.path()).output().unwrap();
    let (code, out, _) = finished(run);
    assert_eq!(code, Some(0));
    assert!(out.contains("simulated models") && out.contains("toolprobe init"), "{out}");
}

#[test]
fn a_healthy_target_passes_every_check_and_its_key_is_not_shown() {
    let sim = Sim::start();
    let more = "model = \"openai-native\"\ndialect = \"auto\"\napi_key_env = \"MY_KEY\"";
    let config = target("mine", &sim.url, more);
    let (code, out, err) = doctor(&config, &[("MY_KEY", "hush-hush-hush")]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for line in [
        "mine\n",
        "  ✓ key       MY_KEY is set\n",
        "  ✓ endpoint  127.0.0.1 answers\n",
        "  ✓ dialect   openai-chat, found out\n",
        "  ✓ model     openai-native is on offer\n",
    ] {
        assert!(out.contains(line), "{line:?} is not in:\n{out}");
    }
    assert!(!out.contains("hush"));
}

#[test]
fn what_is_wrong_in_the_configuration_is_told_and_exits_2() {
    let sim = Sim::start();
    let keyless =
        target("keyless", &sim.url, "model = \"openai-native\"\napi_key_env = \"NOT_SET\"");
    let lost = target("lost", &sim.url, "model = \"openai-native\"\nchat_template = \"no.jinja\"");
    let (code, out, _) = doctor(&format!("{keyless}{lost}"), &[]);
    assert_eq!(code, Some(2));
    assert!(out.contains("  ✗ key       no key for 'custom': set NOT_SET"), "{out}");
    assert!(out.contains("  ✗ template  cannot read the chat template no.jinja"), "{out}");
}

#[test]
fn a_model_that_is_not_on_offer_is_doubtful_with_a_guess() {
    let sim = Sim::start();
    let more = "model = \"openai-nativ\"\ndialect = \"openai-chat\"";
    let (code, out, _) = doctor(&target("typo", &sim.url, more), &[]);
    assert_eq!(code, Some(0));
    assert!(out.contains("did you mean 'openai-native'?"), "{out}");
}

#[test]
fn an_endpoint_that_does_not_answer_exits_3() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let (code, out, _) = doctor(&target("gone", &url, "model = \"m\""), &[]);
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("  ? endpoint  127.0.0.1: "), "{out}");
}

#[test]
fn a_configuration_that_cannot_be_read_is_an_error_with_its_place() {
    let (code, out, err) = doctor("[defaults]\nsuite = \"huge\"\n", &[]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("error: toolprobe.toml:2:"), "{err}");
}
