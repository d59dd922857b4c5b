//! The mistakes of a first try: each is told in one sentence, once, with the remedy.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use crate::{Sim, finished, toolprobe};

/// A server that gives every request the same answer, for as long as the test runs.
fn answering(head: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let Ok(mut stream) = stream else { return };
                let _ = stream.read(&mut vec![0; 65536]);
                let length = body.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
            });
        }
    });
    url
}

fn probe(url: &str, args: &[&str]) -> Command {
    let mut command = toolprobe(&["probe", url, "--no-keep", "--timeout", "20s"]);
    command.args(args);
    command
}

/// What is said, on both streams together, and how often `words` stand in it.
fn told(mut command: Command, code: i32, words: &str) -> String {
    let (exit, out, err) = finished(command.output().unwrap());
    let all = format!("{out}{err}");
    assert_eq!(exit, Some(code), "{all}");
    assert_eq!(all.matches(words).count(), 1, "{words:?} is to be said once:\n{all}");
    assert!(all.lines().count() <= 6, "too long:\n{all}");
    all
}

#[test]
fn a_wrong_model_is_answered_with_the_one_that_was_meant_in_every_dialect() {
    let sim = Sim::start();
    for dialect in ["auto", "openai-chat", "openai-responses"] {
        let args = ["--model", "opnai-native", "--dialect", dialect];
        told(probe(&sim.url, &args), 3, "did you mean 'openai-native'?");
    }
    for (dialect, wrong, meant) in [
        ("anthropic-messages", "antropic-native", "anthropic-native"),
        ("gemini", "gemini-natve", "gemini-native"),
        ("ollama", "olama-native", "ollama-native"),
    ] {
        let words = format!("did you mean '{meant}'?");
        told(probe(&sim.url, &["--model", wrong, "--dialect", dialect]), 3, &words);
    }
    let all = told(probe(&sim.url, &["--model", "zzzz"]), 3, "no model 'zzzz'");
    assert!(all.contains("it offers ") && all.contains(" more"), "{all}");
}

#[test]
fn a_closed_port_is_told_with_host_and_port() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    drop(listener);
    let all = told(
        probe(&format!("http://{place}/v1"), &["--model", "m"]),
        3,
        &format!("nothing listens at {place}"),
    );
    assert!(all.contains("start the server"), "{all}");
}

#[test]
fn a_login_page_is_told_by_its_title() {
    let page = "<!doctype html><html><head><title>Sign in to Corp</title></head></html>";
    let url = answering("200 OK\r\ncontent-type: text/html", page);
    for args in [&["--model", "m"][..], &["--model", "m", "--dialect", "openai-chat"]] {
        let all = told(probe(&format!("{url}/v1"), args), 3, "Sign in to Corp");
        assert!(all.contains("a web page") && all.contains("give the URL of the API"), "{all}");
    }
}

#[test]
fn the_other_scheme_is_offered_where_the_port_speaks_that() {
    let sim = Sim::start();
    let wrong = format!("{}/v1", sim.url.replace("http:", "https:"));
    let words = format!("did you mean {}/v1?", sim.url);
    told(probe(&wrong, &["--model", "openai-native"]), 3, &words);
    let refusal = "Client sent an HTTP request to an HTTPS server.\n";
    let url = answering("400 Bad Request", refusal);
    let words = format!("did you mean {}/v1?", url.replace("http:", "https:"));
    told(probe(&format!("{url}/v1"), &["--model", "m"]), 3, &words);
}

#[test]
fn a_missing_scheme_is_answered_with_the_corrected_url() {
    for (text, meant) in [
        ("127.0.0.1:8089/v1", "http://127.0.0.1:8089/v1"),
        ("localhost:8089", "http://localhost:8089"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        ("//api.example.com/v1", "https://api.example.com/v1"),
    ] {
        let words = format!("did you mean {meant}?");
        told(probe(text, &["--model", "m"]), 2, &words);
    }
    told(probe("http://::1:8089/v1", &["--model", "m"]), 2, "such as http://[::1]:8080/v1");
}

#[test]
fn a_key_that_is_missing_or_wrong_is_told_with_its_variable() {
    let body = r#"{"error":{"message":"Incorrect API key provided"}}"#;
    let url = format!("{}/v1", answering("401 Unauthorized", body));
    told(probe(&url, &["--model", "m"]), 3, "name the environment variable that holds it");
    let mut wrong = probe(&url, &["--model", "m", "--api-key-env", "MY_KEY"]);
    wrong.env("MY_KEY", "hush-hush-hush");
    told(wrong, 3, "refuses the key in MY_KEY");
}

#[test]
fn a_credential_in_a_header_is_refused_with_the_flag_that_takes_it() {
    let header = ["--model", "m", "--header", "Authorization: Bearer x"];
    let all = told(probe("http://127.0.0.1:9/v1", &header), 2, "--header-env");
    assert!(!all.contains("in a file"), "{all}");
    told(probe("http://127.0.0.1:9/v1", &["--header-env", "x-gate"]), 2, "name=VARIABLE");
    let unset = ["--model", "m", "--header-env", "x-gate=NOT_SET"];
    told(probe("http://127.0.0.1:9/v1", &unset), 2, "NOT_SET");
}

#[test]
fn headers_and_keys_from_the_environment_are_sent_and_never_shown() {
    let sim = Sim::start();
    let dir = tempfile::tempdir().unwrap();
    let mut command = toolprobe(&["probe", &sim.url, "--model", "openai-native", "-vv"]);
    command.args(["--suite", "light", "--trials", "1", "--dialect", "openai-chat"]);
    command.args(["--api-key-env", "MY_KEY", "--api-key-header", "X-My-Key"]);
    command.args(["--header-env", "x-gate=MY_GATE"]).current_dir(dir.path());
    command.env("MY_KEY", "hush-hush-hush").env("MY_GATE", "psst-psst-psst");
    let (code, out, err) = finished(command.output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("> x-my-key: [secret]") && err.contains("> x-gate: [secret]"), "{err}");
    assert!(!format!("{out}{err}").contains("hush") && !err.contains("psst"), "{err}");
}

#[test]
fn quiet_still_says_why_the_exit_code_is_not_0() {
    let sim = Sim::start();
    for (model, demand, code, words) in [
        ("one-call", "parallel", 1, "required and not there: parallel"),
        ("opnai-native", "parallel", 3, "did you mean 'openai-native'?"),
    ] {
        let args = ["-q", "--trials", "1", "--model", model, "--require", demand];
        let output = probe(&sim.url, &args).args(["--format", "json"]).output().unwrap();
        let (exit, _, err) = finished(output);
        assert_eq!(exit, Some(code), "{err}");
        assert_eq!(err.matches(words).count(), 1, "{err}");
    }
}
