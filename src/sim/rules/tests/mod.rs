//! Refusals: each violation gets its status, its text and its envelope, and each text names its source.

#![expect(
    clippy::needless_pass_by_value,
    reason = "builders of request bodies read better when they take what `json!` gives"
)]

mod anthropic;
mod chat;
mod gemini;
mod responses;
mod service;

use serde_json::{Value, json};

use super::complaint::{Complaint, Source};
use super::*;

/// A request and the complaint it must get.
pub(super) struct Case {
    pub(super) rules: RulesId,
    pub(super) thinking: bool,
    pub(super) body: Value,
    pub(super) status: u16,
    /// The text, exactly.
    pub(super) message: &'static str,
}

/// A case without thinking that must get a 400.
pub(super) fn bad(rules: RulesId, body: Value, message: &'static str) -> Case {
    Case { rules, thinking: false, body, status: 400, message }
}

/// A case with thinking that must get a 400.
pub(super) fn bad_thinking(rules: RulesId, body: Value, message: &'static str) -> Case {
    Case { thinking: true, ..bad(rules, body, message) }
}

pub(super) fn facts(thinking: bool) -> RequestFacts<'static> {
    let tools = NativeTools::Used;
    RequestFacts { model: "m", thinking, can_think: thinking, tools, betas: "" }
}

/// Where each envelope keeps its text.
pub(super) fn message_of(body: &Value) -> &str {
    ["/error/message", "/error", "/message"]
        .iter()
        .find_map(|place| body.pointer(place)?.as_str())
        .unwrap_or_default()
}

pub(super) fn verify(cases: Vec<Case>) {
    for Case { rules, thinking, body, status, message } in cases {
        let violation = check(rules, &body, facts(thinking))
            .expect_err(&format!("{rules:?} must refuse {body} with: {message}"));
        assert!(is_well_formed(violation.source), "{rules:?} {message}: {:?}", violation.source);
        let refusal = refuse(rules, &violation, "req_1");
        assert_eq!(message_of(&refusal.body), message, "{rules:?} {body}");
        assert_eq!(refusal.status, status, "{rules:?} {message}");
    }
}

/// Whether a source can be followed: an issue, an address, or a program with a version.
fn is_well_formed(source: Source) -> bool {
    match source {
        Source::Seen(issue) => issue.split_once('#').is_some_and(|(repository, number)| {
            repository.split('/').filter(|part| !part.is_empty()).count() == 2
                && number.parse::<u32>().is_ok()
        }),
        Source::Page(address) => address.starts_with("https://"),
        Source::Tried(program) => program
            .split(' ')
            .next_back()
            .is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit())),
        Source::Invented => true,
    }
}

/// The sources in the code, read as text, because not every refusal has a request above.
#[test]
fn every_refusal_cites_a_source_that_can_be_followed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sim/rules");
    let mut cited = 0;
    for file in ["anthropic", "chat", "."].map(|inner| folder.join(inner)).iter().flat_map(|dir| {
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    }) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (word, source) in [
            ("Seen(\"", Source::Seen as fn(&'static str) -> Source),
            ("Page(\"", Source::Page),
            ("Tried(\"", Source::Tried),
        ] {
            for rest in text.split(word).skip(1) {
                let (name, _) = rest.split_once('"').unwrap();
                let name: &'static str = name.to_owned().leak();
                assert!(is_well_formed(source(name)), "{}: {name}", file.display());
                cited += 1;
            }
        }
    }
    assert!(cited > 90, "only {cited} refusals cite a source");
}

pub(super) fn accepted(rules: RulesId, thinking: bool, body: &Value) {
    assert_eq!(check(rules, body, facts(thinking)), Ok(()), "{rules:?} {body}");
}

#[test]
fn each_envelope_is_the_providers_own() {
    let violation = Complaint::bad(Source::Invented, "no").param("p").code("c").about(&[]);
    let shapes = [
        (
            RulesId::Anthropic,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"},
                   "request_id": "req_1"}),
        ),
        (
            RulesId::OpenAiChat,
            json!({"error": {"message": "no", "type": "invalid_request_error", "param": "p",
                   "code": "c"}}),
        ),
        (RulesId::Kimi, json!({"error": {"message": "no", "type": "invalid_request_error"}})),
        (
            RulesId::Minimax,
            json!({"type": "error", "error": {"type": "bad_request_error",
                   "message": "invalid params, no (2013)", "http_code": "400"},
                   "request_id": "req_1"}),
        ),
        (
            RulesId::Mistral,
            json!({"object": "error", "message": "no", "type": "invalid_request_error",
                   "param": "p", "code": "c", "raw_status_code": 400}),
        ),
        (RulesId::Xai, json!({"code": "Client specified an invalid argument", "error": "no"})),
        (RulesId::Openrouter, json!({"error": {"message": "no", "code": 400}})),
        (
            RulesId::Vllm,
            json!({"error": {"message": "no", "type": "BadRequestError", "param": "p",
                   "code": 400}}),
        ),
        (
            RulesId::Sglang,
            json!({"object": "error", "message": "no", "type": "BadRequestError", "param": "p",
                   "code": 400}),
        ),
        (
            RulesId::LlamaCpp,
            json!({"error": {"code": 400, "message": "no", "type": "invalid_request_error"}}),
        ),
        (
            RulesId::Gemini3,
            json!({"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}),
        ),
        (RulesId::Ollama, json!({"error": "no"})),
    ];
    for (rules, body) in shapes {
        assert_eq!(refuse(rules, &violation, "req_1").body, body, "{rules:?}");
    }
}

#[test]
fn deepseek_sends_its_refusals_as_octets_with_a_trace_id() {
    let violation = Complaint::bad(Source::Invented, "no").about(&[]);
    let refusal = refuse(RulesId::DeepseekV4, &violation, "abc");
    assert_eq!(refusal.content_type, "application/octet-stream");
    assert_eq!(refusal.headers, [("x-ds-trace-id", "abc".to_owned())]);
    assert_eq!(refusal.body["error"]["code"], "invalid_request_error");
    assert_eq!(refusal.body["error"]["param"], Value::Null);
}
