//! Secrets and hostile texts, on whichever command they come in.

use crate::{finished, toolprobe};

const KEY: &str = "pasted-key-0123456789abcdef";

fn ran(args: &[&str]) -> (Option<i32>, String) {
    let (code, out, err) = finished(toolprobe(args).output().unwrap());
    (code, format!("{out}{err}"))
}

#[test]
fn a_key_where_a_name_belongs_is_refused_and_not_shown() {
    for flag in [vec!["--api-key-env", KEY], vec!["--header", KEY]] {
        let mut args = vec!["probe", "http://127.0.0.1:9/v1", "--model", "m", "--no-keep"];
        args.extend(flag);
        let (code, shown) = ran(&args);
        assert_eq!(code, Some(2), "{shown}");
        assert!(!shown.contains("pasted-key"), "{shown}");
    }
}

#[test]
fn no_credential_is_sent_over_plain_http_to_another_machine() {
    let header = format!("x-any: {KEY}");
    let args = ["probe", "http://192.0.2.1:9/v1", "--model", "m", "--no-keep", "--header", &header];
    let (code, shown) = ran(&args);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("192.0.2.1") && shown.contains("--insecure-http"), "{shown}");
    let mut command = toolprobe(&args);
    let (code, _, shown) =
        finished(command.env("http_proxy", "http://127.0.0.1:9").output().unwrap());
    assert_eq!(code, Some(2), "{shown}");
}

#[test]
fn no_control_character_of_a_file_or_a_flag_reaches_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x");
    let hostile = "\u{1b}[2J\u{9b}\n::error::x\n##[group]";
    std::fs::write(&file, format!("[a{hostile}]\n{hostile} = 1\n")).unwrap();
    let path = file.to_str().unwrap();
    for args in [
        vec!["run", "--config", path],
        vec!["metrics", path],
        vec!["report", path],
        vec!["diff", path, path],
        vec!["gate", "--policy", path],
        vec!["explain", hostile],
        vec!["probe", hostile, "--model", hostile, "--no-keep"],
        vec!["list", hostile],
    ] {
        let (code, shown) = ran(&args);
        assert_ne!(code, Some(0), "{args:?}");
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
        assert!(!shown.contains("::error::") && !shown.contains("##["), "{shown:?}");
    }
}
