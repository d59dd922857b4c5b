//! Fixtures: every reply and request decodes to what its expectation says, however it is delivered.
//!
//! The format is described in `fixtures/dialect/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::laws::{bare, clear_raw, frames_to_reply, stamp};
use crate::dialect::{ApiError, DeltaLength, Dialect, Route};
use crate::ir::{
    Defect, Message, Part, ReasoningState, Reply, Request, Role, Stop, StopKind, ToolCall, Usage,
};
use crate::wire::{Frame, FrameReader, Framing};

/// The content of a `name.expect.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    provenance: Provenance,
    source: String,
    #[serde(default)]
    reply: Option<Seen>,
    /// Defects that the stream has and the plain reply has not.
    #[serde(default)]
    stream_defects: BTreeSet<Defect>,
    #[serde(default)]
    error: Option<SeenError>,
    /// Compared when given.
    #[serde(default)]
    usage: Option<Usage>,
    /// Compared when given.
    #[serde(default)]
    state: Option<Vec<ReasoningState>>,
}

/// The content of a `name.request.expect.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestExpectation {
    provenance: Provenance,
    source: String,
    /// The path and query that the request was sent to.
    path: String,
    request: SeenRequest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Provenance {
    Recorded,
    Documented,
    Simulated,
    Invented,
}

impl Provenance {
    /// A recording names its program and version, and is recognised by its file's name.
    fn check(self, source: &str, name: &str) {
        let is_recorded = self == Self::Recorded;
        assert_eq!(is_recorded, name.starts_with("recorded-"), "{name}: {self:?}");
        let is_versioned = source.contains(|c: char| c.is_ascii_digit());
        assert!(!source.is_empty() && (!is_recorded || is_versioned), "{name}: source {source:?}");
    }
}

/// What a reply comes down to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    #[serde(default)]
    calls: Vec<SeenCall>,
    #[serde(default)]
    broken: Vec<SeenBroken>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    reasoning: String,
    stop: Stop,
    #[serde(default)]
    defects: BTreeSet<Defect>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenCall {
    id: String,
    name: String,
    input: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenBroken {
    name: String,
    arguments: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenError {
    message: String,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    code: Option<String>,
}

/// What a request comes down to.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenRequest {
    model: String,
    stream: bool,
    tools: Vec<String>,
    messages: Vec<SeenMessage>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenMessage {
    role: Role,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    state: Vec<ReasoningState>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<SeenCall>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<SeenResult>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeenResult {
    id: String,
    name: String,
    content: Value,
}

impl SeenRequest {
    fn of(request: &Request) -> Self {
        Self {
            model: request.model.clone(),
            stream: request.stream,
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            messages: request.messages.iter().map(SeenMessage::of).collect(),
        }
    }
}

impl SeenMessage {
    fn of(message: &Message) -> Self {
        let mut seen = Self {
            role: message.role,
            text: String::new(),
            state: Vec::new(),
            calls: Vec::new(),
            results: Vec::new(),
        };
        for part in &message.parts {
            match part {
                Part::Text(text) => seen.text.push_str(text),
                Part::Reasoning(state) => seen.state.push(state.clone()),
                Part::Call(call) => seen.calls.push(SeenCall::of(call)),
                Part::Result(result) => seen.results.push(SeenResult {
                    id: result.tool_call_id.to_string(),
                    name: result.name.clone(),
                    content: result.content.clone(),
                }),
                Part::BrokenCall(call) => panic!("a request with a broken call: {call:?}"),
            }
        }
        seen
    }
}

impl SeenCall {
    fn of(call: &ToolCall) -> Self {
        Self { id: call.id.to_string(), name: call.name.clone(), input: call.input.clone() }
    }
}

impl Seen {
    fn of(reply: &Reply) -> Self {
        let broken = reply.parts.iter().filter_map(|part| match part {
            Part::BrokenCall(call) => {
                Some(SeenBroken { name: call.name.clone(), arguments: call.arguments.clone() })
            }
            _ => None,
        });
        Self {
            calls: reply.calls().map(SeenCall::of).collect(),
            broken: broken.collect(),
            text: reply.text(),
            reasoning: reply.reasoning_text(),
            stop: reply.stop.clone(),
            defects: reply.defects.iter().collect(),
        }
    }

    /// What must survive when the reply is written again by our own encoder.
    fn said(&self) -> (&[SeenCall], &str, &str) {
        (&self.calls, &self.text, &self.reasoning)
    }

    fn is_whole(&self) -> bool {
        self.broken.is_empty() && !matches!(self.stop.kind, StopKind::Truncated | StopKind::Missing)
    }
}

/// Decodes every fixture of the dialect, whole and in pieces, and encodes it again.
pub(in crate::dialect) fn assert_fixtures(dialect: &dyn Dialect) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/dialect");
    let mut seen = 0;
    let mut twins: BTreeMap<PathBuf, Vec<Part>> = BTreeMap::new();
    for path in files(&folder.join(dialect.id().as_str())) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".expect.json") {
            continue;
        }
        seen += 1;
        if name.ends_with(".request.json") {
            check_request(dialect, &path, &name);
            continue;
        }
        let expected = expectation(&path, &name);
        let decoded = decode(dialect, &path);
        check(&name, &decoded, &expected.of(&path));
        if let Ok(reply) = &decoded {
            encode_again(dialect, &name, reply);
            let parts = bare(reply.clone()).parts;
            let twin = twins.entry(path.with_extension("")).or_insert_with(|| parts.clone());
            assert_eq!(&parts, twin, "{name} and its twin, whole and streamed");
        }
    }
    assert!(seen > 0, "no fixtures in {}", folder.display());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

impl Expectation {
    /// What is expected of this file of the two that a fixture may have.
    fn of(mut self, fixture: &Path) -> Self {
        let is_stream = fixture.extension().is_some_and(|extension| extension != "json");
        if let Some(reply) = self.reply.as_mut().filter(|_| is_stream) {
            reply.defects.append(&mut self.stream_defects);
        }
        self
    }
}

fn read_expectation<T: DeserializeOwned>(fixture: &Path) -> T {
    let path = fixture.with_extension("expect.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn expectation(fixture: &Path, name: &str) -> Expectation {
    let expected: Expectation = read_expectation(fixture);
    expected.provenance.check(&expected.source, name);
    assert!(
        expected.reply.is_some() != expected.error.is_some(),
        "{name}: exactly one of reply and error",
    );
    expected
}

/// Decodes a request, and what was understood of it again after it was encoded.
fn check_request(dialect: &dyn Dialect, path: &Path, name: &str) {
    let expected: RequestExpectation = read_expectation(path);
    expected.provenance.check(&expected.source, name);
    let (call, _) = expected.path.split_once('?').unwrap_or((&expected.path, ""));
    let (id, route) = Route::parse(call).unwrap_or_else(|| panic!("{name}: path {call}"));
    assert_eq!(id, dialect.id(), "{name}: path {call}");
    let decode = |body: &Value| {
        let mut request =
            dialect.decode_request(body, &route).unwrap_or_else(|e| panic!("{name}: {e}"));
        request.messages.iter_mut().for_each(|message| clear_raw(&mut message.parts));
        request
    };
    let request = decode(&serde_json::from_slice(&fs::read(path).unwrap()).unwrap());
    assert_eq!(SeenRequest::of(&request), expected.request, "{name}");
    assert_eq!(decode(&dialect.encode_request(&request)), request, "{name}, encoded again");
}

fn decode(dialect: &dyn Dialect, path: &Path) -> Result<Reply, ApiError> {
    let bytes = fs::read(path).unwrap();
    let framing = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => {
            return dialect.decode_reply(&serde_json::from_slice(&bytes).unwrap());
        }
        Some("sse") => Framing::Sse,
        Some("ndjson") => Framing::Ndjson,
        Some("array") => Framing::JsonArray,
        _ => panic!("{}: not a fixture", path.display()),
    };
    frames_to_reply(dialect, &frames(&bytes, framing))
}

fn check(name: &str, decoded: &Result<Reply, ApiError>, expected: &Expectation) {
    match decoded {
        Ok(reply) => {
            assert_eq!(Some(&Seen::of(reply)), expected.reply.as_ref(), "{name}");
            if let Some(usage) = expected.usage {
                assert_eq!(reply.usage, usage, "{name}");
            }
            if let Some(state) = &expected.state {
                assert_eq!(&reasoning(reply), state, "{name}");
            }
        }
        Err(error) => {
            let (message, kind, code) =
                (error.message.clone(), error.kind.clone(), error.code.clone());
            let error = SeenError { message, kind, code };
            assert_eq!(Some(&error), expected.error.as_ref(), "{name}");
        }
    }
}

fn reasoning(reply: &Reply) -> Vec<ReasoningState> {
    let states = reply.parts.iter().filter_map(|part| match part {
        Part::Reasoning(state) => Some(state.clone()),
        _ => None,
    });
    states.collect()
}

/// What was understood of a fixture can be said again in the same dialect, plain and streamed.
fn encode_again(dialect: &dyn Dialect, name: &str, reply: &Reply) {
    let seen = Seen::of(reply);
    if !seen.is_whole() {
        return;
    }
    let plain = dialect.decode_reply(&dialect.encode_reply(reply, &stamp())).unwrap();
    assert_eq!(Seen::of(&plain).said(), seen.said(), "{name}, encoded again");
    let frames = dialect.encode_stream(reply, &stamp(), DeltaLength(NonZeroUsize::new(3).unwrap()));
    let streamed = frames_to_reply(dialect, &frames).unwrap();
    assert_eq!(Seen::of(&streamed).said(), seen.said(), "{name}, streamed again");
}

/// The frames of a stream, which are the same however the bytes arrive.
fn frames(bytes: &[u8], framing: Framing) -> Vec<Frame> {
    let whole = frames_of(&[bytes], framing);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(frames_of(&single, framing), whole, "fed byte by byte");
    for cut in 1..bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(frames_of(&[head, tail], framing), whole, "cut at {cut}");
    }
    whole
}

fn frames_of(chunks: &[&[u8]], framing: Framing) -> Vec<Frame> {
    let mut reader = FrameReader::new(framing);
    let mut frames = Vec::new();
    for chunk in chunks {
        reader.push(chunk, &mut frames).unwrap();
    }
    reader.finish(&mut frames).unwrap();
    frames
}
