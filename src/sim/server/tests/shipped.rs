//! Shipped models: every one takes what our own client sends.

use super::*;
use crate::dialect::call_url;
use crate::ir::{Message, Request, ToolSpec};
use crate::sim::quirks::HttpQuirk;
use crate::sim::{ModelFile, NativeTools};

fn desk() -> Desk {
    let fleet = Fleet::embedded().unwrap();
    Desk { fleet, options: Options::default(), memory: Memory::default() }
}

fn request(model: &ModelFile, stream: bool) -> Request {
    let tool = ToolSpec {
        name: "look_up".to_owned(),
        description: "Looks a word up.".to_owned(),
        input_schema: json!({"type": "object", "properties": {"word": {"type": "string"}},
                             "required": ["word"]}),
        strict: None,
    };
    Request {
        model: model.name.clone(),
        messages: vec![Message::user("Call the tool `look_up` once, with:\n- word = \"fjord\"\n")],
        tools: if model.tools == NativeTools::Rejected { Vec::new() } else { vec![tool] },
        stream,
        max_tokens: Some(4096),
        ..Request::default()
    }
}

#[test]
fn every_shipped_model_answers_a_first_request() {
    let desk = desk();
    let base = url::Url::parse("http://sim/").unwrap();
    for model in desk.fleet.iter() {
        for stream in [false, true] {
            let body = model.dialect.codec().encode_request(&request(model, stream));
            let url = call_url(model.dialect, &base, &model.name, stream).unwrap();
            let path = url.as_str().trim_start_matches("http://sim");
            let mut answer = desk.post(path, &body);
            let fails_first = |quirk: &HttpQuirk| {
                matches!(quirk, HttpQuirk::RateLimited { .. } | HttpQuirk::Flapping { .. })
            };
            if model.http_quirks.iter().any(fails_first) {
                assert_ne!(answer.status, 200, "{}", model.name);
                answer = desk.post(path, &body);
            }
            let text = String::from_utf8_lossy(&bytes(&answer)).into_owned();
            let only_streams = |quirk: &HttpQuirk| matches!(quirk, HttpQuirk::OnlyStreams { .. });
            let is_refused = !stream && model.http_quirks.iter().any(only_streams);
            let expected = if is_refused { 400 } else { 200 };
            assert_eq!(answer.status, expected, "{}: {text}", model.name);
        }
    }
}
