//! The server: it answers as the providers do, and fails as its models say.

mod answers;
mod arrivals;
mod connections;
mod originals;
mod shipped;

use std::fs;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};

use super::*;

const HEAD: &str = r#"about = "A model for a test."
provenance = "invented"
"#;
const PROFILE: &str = r#"
[profile]
toolCallFormat = "openai"
toolDelivery = "native"
schemaLevel = "strict-json-schema"
supportsParallelToolUse = true
requiresReasoningReplay = false
reasoningReplay = { mode = "absent" }
supportsStreamingToolUse = true
errorRepair = "reliable"
"#;

/// A fleet of models that differ from the usual by these lines.
fn fleet(models: &[(&str, &str)]) -> Fleet {
    let dir = tempfile::tempdir().unwrap();
    for (name, lines) in models {
        let text = format!("{HEAD}{lines}\n{PROFILE}");
        fs::write(dir.path().join(format!("{name}.toml")), text).unwrap();
    }
    Fleet::from_dir(dir.path()).unwrap()
}

const CHAT: &str = "dialect = \"openai-chat\"";
const MESSAGES: &str = "dialect = \"anthropic-messages\"";

/// A server without its socket.
struct Desk {
    fleet: Fleet,
    options: Options,
    memory: Memory,
}

impl Desk {
    fn new(models: &[(&str, &str)]) -> Self {
        let options = Options { clock: Clock::Fixed(1_700_000_000), ..Options::default() };
        Self { fleet: fleet(models), options, memory: Memory::default() }
    }

    fn ask(&self, method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> HttpAnswer {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let query: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
                (name, HeaderValue::from_str(value).unwrap())
            })
            .collect();
        let incoming = IncomingRequest {
            method: &method,
            path,
            query: &query,
            headers: &headers,
            body: (body.len() <= self.options.body_limit).then_some(body),
            served_at: "http://127.0.0.1:1",
        };
        respond(&self.fleet, &self.options, &self.memory, &incoming)
    }

    fn post(&self, url: &str, body: &Value) -> HttpAnswer {
        let version = [("anthropic-version", "2023-06-01")];
        self.ask("POST", url, &version, body.to_string().as_bytes())
    }
}

fn hello(model: &str) -> Value {
    json!({"model": model, "max_tokens": 100, "messages": [{"role": "user", "content": "hello"}]})
}

fn bytes(answer: &HttpAnswer) -> Vec<u8> {
    match &answer.payload {
        Payload::Whole(bytes) => bytes.clone(),
        Payload::Pieces(pieces) => pieces.concat(),
        Payload::Flood(_) | Payload::Silence => Vec::new(),
    }
}

fn body_of(answer: &HttpAnswer) -> Value {
    serde_json::from_slice(&bytes(answer)).unwrap()
}

fn header<'a>(answer: &'a HttpAnswer, name: &str) -> Option<&'a str> {
    answer.headers.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
}
