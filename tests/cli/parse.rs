//! `toolprobe parse`

use std::io::Write as _;
use std::process::Stdio;

use super::{finished, toolprobe};

fn parse(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = toolprobe(&[&["parse"], args].concat());
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // A program that refuses its arguments does not read its input.
    _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    finished(child.wait_with_output().unwrap())
}

const CALL: &str =
    "Looking.\n<tool_call>{\"name\": \"tide\", \"arguments\": {\"port\": \"Brest\"}}</tool_call>";

#[test]
fn a_call_is_printed_as_json_and_none_is_exit_one() {
    let (code, out, _) = parse(&[], CALL);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(out);
    assert_eq!(parse(&[], "no call here").0, Some(1));
}

#[test]
fn an_explanation_shows_places_and_repairs() {
    let text = "<tool_call>{'name': 'tide', 'arguments': {'port': 'Brest',}}</tool_call>";
    let (code, out, _) = parse(&["--explain"], text);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(out);
}

#[test]
fn each_line_gives_a_line() {
    let line = serde_json::json!({"id": 7, "text": CALL}).to_string();
    let none = serde_json::json!({"id": "b", "text": "prose"}).to_string();
    let (code, out, _) = parse(&["--jsonl"], &format!("{line}\n{none}\n"));
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(out);
}

#[test]
fn a_bad_line_and_an_unknown_format_are_pointed_out() {
    let (code, _, err) = parse(&["--jsonl"], "{\"id\": 1, \"text\": \"x\"}\n{oops\n");
    assert_eq!((code, err.contains("line 2 is not JSON")), (Some(2), true), "{err}");
    let (code, _, err) = parse(&["--as", "hermse"], "");
    assert_eq!(
        (code, err.trim_end().ends_with("did you mean 'hermes'?")),
        (Some(2), true),
        "{err}"
    );
    let (code, _, err) = parse(&["--as", "nothing-like-it-at-all"], "");
    assert_eq!(
        (code, err.contains("one of: ") && err.contains("hermes")),
        (Some(2), true),
        "{err}"
    );
}

#[test]
fn an_id_written_with_underscores_leads_to_the_one_with_hyphens() {
    for (old, id) in [("qwen3_coder", "qwen3-coder"), ("deepseek_v3", "deepseek-v3")] {
        let (code, _, err) = parse(&["--as", old], "");
        let hint = format!("did you mean '{id}'?");
        assert_eq!((code, err.contains(&hint)), (Some(2), true), "{err}");
    }
}
