//! Do the committed transcripts replay, offline, and does a change show itself?

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolprobe::dialect::{
    ApiError, BadRequest, DeltaLength, Dialect, DialectId, Route, Stamp, StreamDecoder,
};
use toolprobe::ir::{Reply, Request, StopKind};
use toolprobe::probe::Suite;
use toolprobe::replay::{
    ReplayProblem, ReplayReport, Transcript, TranscriptBody, replay, replay_by,
};
use toolprobe::sim::Provenance;
use toolprobe::transport::{JsonDifference, cut_short, recut};
use toolprobe::wire::{Frame, Framing, read_all};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn transcripts() -> Vec<(PathBuf, Transcript)> {
    let entries = fs::read_dir(root().join("fixtures/transcripts")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), Transcript::read(&path).unwrap())).collect()
}

fn transcript(name: &str) -> Transcript {
    Transcript::read(&root().join(format!("fixtures/transcripts/{name}.json"))).unwrap()
}

#[test]
fn transcripts_of_the_simulator_say_that_they_are_simulated() {
    for (path, transcript) in transcripts() {
        let is_simulated = transcript.source.starts_with("the simulated model ");
        let says_so = transcript.provenance == Provenance::Simulated;
        assert_eq!(says_so, is_simulated, "{}: {}", path.display(), transcript.source);
    }
}

/// Replays on a runtime that cannot open a socket: reaching for the network would panic.
fn replayed(transcript: &Transcript, seeds: u64) -> ReplayReport {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(replay(transcript, &Suite::embedded().unwrap(), seeds)).unwrap()
}

fn streams(transcript: &Transcript) -> Vec<(Framing, Vec<Frame>)> {
    let takes = transcript.exchanges.iter();
    takes
        .filter_map(|take| match &take.reply.as_ref().ok()?.body {
            TranscriptBody::Frames(frames) => {
                let frames = frames.iter().map(|frame| frame.0.clone()).collect();
                Some((take.request.framing?, frames))
            }
            TranscriptBody::Json(_) | TranscriptBody::Text(_) => None,
        })
        .collect()
}

fn decode(dialect: DialectId, frames: &[Frame]) -> Result<(StopKind, Value), String> {
    let mut decoder = dialect.codec().stream_decoder();
    for frame in frames {
        decoder.push(frame);
    }
    let reply = decoder.finish().map_err(|error| error.to_string())?;
    Ok((reply.stop.kind, serde_json::to_value(reply.parts).unwrap()))
}

#[test]
fn every_committed_transcript_replays_without_a_socket() {
    for (path, transcript) in transcripts() {
        let replayed = replayed(&transcript, 4);
        assert_eq!(replayed.problems, [], "{}: see ci/record-transcripts", path.display());
        assert!(replayed.streams > 0, "{} has no streams", path.display());
        assert_eq!(replayed.recorded_with, None, "{}", path.display());
    }
}

#[test]
fn every_way_of_encoding_has_a_transcript_that_says_where_it_is_from() {
    let all = transcripts();
    let spoken: BTreeSet<&str> = all.iter().map(|(_, it)| it.dialect.as_str()).collect();
    assert_eq!(spoken, DialectId::ALL.iter().map(|id| id.as_str()).collect());
    for name in ["anthropic-thinking-signature", "deepseek-v4-thinking", "qwen3-coder-xml"] {
        assert!(all.iter().any(|(_, it)| it.subject.model == name), "{name}");
    }
    for (path, transcript) in &all {
        assert!(transcript.source.contains("https://"), "{}", path.display());
    }
}

#[test]
fn a_changed_byte_of_a_request_is_shown_where_it_is() {
    let mut transcript = transcript("openai-native");
    // A case that nothing else is asked after.
    let mut exchanges = transcript.exchanges.iter_mut();
    let case = exchanges
        .find(|it| {
            let asked = it.request.body.as_ref().map(Value::to_string).unwrap_or_default();
            it.request.framing.is_none() && asked.contains("probe_integer")
        })
        .unwrap();
    // What was recorded is what the encoder made then: changing it here is changing the encoder.
    let tool = case.request.body.as_mut().unwrap().pointer_mut("/tools/0/type").unwrap();
    *tool = json!("functiom");
    let problems = replayed(&transcript, 1).problems;
    let [ReplayProblem::RequestChanged { path, times: 1, differences, .. }] = problems.as_slice()
    else {
        panic!("{problems:?}");
    };
    assert_eq!(path, "/v1/chat/completions");
    let [difference] = differences.as_slice() else { panic!("{differences:?}") };
    assert_eq!(difference.path, "tools[0].type");
    assert_eq!(difference.old, Some(json!("functiom")));
    assert_eq!(difference.new, Some(json!("function")));
}

/// The dialect's own codec, but for one byte of what it writes.
struct OneByteOff;

impl Dialect for OneByteOff {
    fn id(&self) -> DialectId {
        DialectId::AnthropicMessages
    }

    fn encode_request(&self, request: &Request) -> Value {
        let written = self.id().codec().encode_request(request).to_string();
        serde_json::from_str(&written.replace("\"tool_use_id\":", "\"tool_use_ib\":")).unwrap()
    }

    fn decode_reply(&self, body: &Value) -> Result<Reply, ApiError> {
        self.id().codec().decode_reply(body)
    }

    fn decode_request(&self, body: &Value, route: &Route) -> Result<Request, BadRequest> {
        self.id().codec().decode_request(body, route)
    }

    fn encode_reply(&self, reply: &Reply, stamp: &Stamp) -> Value {
        self.id().codec().encode_reply(reply, stamp)
    }

    fn stream_decoder(&self) -> Box<dyn StreamDecoder> {
        self.id().codec().stream_decoder()
    }

    fn encode_stream(&self, reply: &Reply, stamp: &Stamp, pieces: DeltaLength) -> Vec<Frame> {
        self.id().codec().encode_stream(reply, stamp, pieces)
    }
}

#[test]
fn an_encoder_that_writes_one_byte_otherwise_is_told_by_the_place_it_writes_to() {
    let (transcript, suite) = (transcript("anthropic-native"), Suite::embedded().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let replayed = runtime.block_on(replay_by(&OneByteOff, &transcript, &suite, 1)).unwrap();
    assert!(!replayed.problems.is_empty());
    for problem in &replayed.problems {
        let ReplayProblem::RequestChanged { path, differences, .. } = problem else {
            panic!("{problem:?}");
        };
        assert_eq!(path, "/v1/messages");
        for JsonDifference { path, old, new } in differences {
            let (lost, made) = (path.ends_with(".tool_use_id"), path.ends_with(".tool_use_ib"));
            assert!(lost && new.is_none() || made && old.is_none(), "{path}: {old:?}, {new:?}");
        }
    }
}

#[test]
fn what_changes_alike_in_many_requests_is_told_once() {
    let mut transcript = transcript("anthropic-native");
    // Without its first call a suite asks nothing else.
    for take in transcript.exchanges.iter_mut().skip(1) {
        let body = take.request.body.as_mut().unwrap().as_object_mut().unwrap();
        body.insert("top_k".to_owned(), serde_json::json!(7));
    }
    let problems = replayed(&transcript, 1).problems;
    let [ReplayProblem::RequestChanged { times, differences, .. }] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert!(*times > 10, "{times}");
    let paths: Vec<&str> = differences.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["top_k"]);
}

#[test]
fn a_reply_that_is_read_otherwise_changes_the_verdict() {
    let mut transcript = transcript("qwen3-coder-xml");
    for take in &mut transcript.exchanges {
        let TranscriptBody::Json(body) = &mut take.reply.as_mut().unwrap().body else { continue };
        let content = body.pointer_mut("/choices/0/message/content").unwrap();
        let text = content.as_str().unwrap().replace("<function=probe_echo>", "<function=>");
        *content = json!(text);
    }
    let problems = replayed(&transcript, 1).problems;
    let codes: BTreeSet<&str> = problems.iter().map(ReplayProblem::code).collect();
    assert!(codes.contains("verdict-changed") || codes.contains("request-changed"), "{codes:?}");
}

#[test]
fn a_verdict_that_differs_from_the_recorded_one_is_told_with_both() {
    let mut transcript = transcript("deepseek-v4-thinking");
    transcript.verdicts["capabilities"]["requiresReasoningReplay"] = json!(false);
    let problems = replayed(&transcript, 1).problems;
    let [ReplayProblem::VerdictChanged { differences }] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    let [difference] = differences.as_slice() else { panic!("{differences:?}") };
    assert_eq!(difference.path, "capabilities.requiresReasoningReplay");
    assert_eq!((&difference.old, &difference.new), (&Some(json!(false)), &Some(json!(true))));
}

#[test]
fn a_recorded_request_that_nobody_makes_any_more_is_missed() {
    let mut transcript = transcript("ollama-native");
    let mut spare = transcript.exchanges.first().unwrap().clone();
    spare.request.body = Some(json!({"model": "ollama-native", "messages": []}));
    transcript.exchanges.push(spare);
    let problems = replayed(&transcript, 1).problems;
    assert!(
        matches!(problems.as_slice(), [ReplayProblem::RequestMissing { times: 1, .. }]),
        "{problems:?}"
    );
}

#[test]
fn a_stream_that_misses_its_end_is_known_as_that_at_every_cut() {
    for (path, transcript) in transcripts() {
        for (framing, frames) in streams(&transcript) {
            let whole = decode(transcript.dialect, &frames);
            for seed in 0..150 {
                let short = cut_short(framing, &frames, seed);
                let read = decode(transcript.dialect, &short.frames.unwrap());
                let truncated = matches!(read, Ok((StopKind::Truncated, _)));
                let place = short.piecing;
                assert!(truncated || read == whole, "{}, seed {seed}, {place:?}", path.display());
            }
        }
    }
}

#[test]
fn every_stream_fixture_reads_the_same_in_other_pieces() {
    let mut characters = 0;
    for dialect in DialectId::ALL {
        let folder = root().join("fixtures/dialect").join(dialect.as_str());
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let framing = match path.extension().and_then(|ending| ending.to_str()) {
                Some("sse") => Framing::Sse,
                Some("ndjson") => Framing::Ndjson,
                Some("array") => Framing::JsonArray,
                _ => continue,
            };
            let bytes = fs::read(&path).unwrap();
            characters += bytes.iter().filter(|byte| **byte >= 0xc0).count();
            let frames = read_all(framing, &bytes).unwrap();
            let expected = decode(dialect, &frames);
            for seed in 0..12 {
                let again = recut(framing, &frames, seed);
                let place = format!("{}, seed {seed}", path.display());
                assert_eq!(decode(dialect, &again.frames.unwrap()), expected, "{place}");
            }
        }
    }
    assert!(characters > 0, "no fixture has a character to cut through");
}
