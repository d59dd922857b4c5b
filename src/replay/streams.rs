//! Recorded streams, cut into other pieces and cut short.
//!
//! Each stream is checked by itself, so that a failure names the stream and the cut. Then the verdict
//! over all of them is checked, because the verdict must not change.

use std::sync::Arc;

use serde_json::{Value, json};

use super::rejudge::{RecordedSettings, RejudgeError, rejudge_by};
use super::transcript::Transcript;
use super::transcript_exchange::TranscriptBody;
use super::verify::{ReplayProblem, StreamPlace, StreamProblem};
use crate::conversation::CUT_SHORT;
use crate::dialect::{ApiError, Dialect};
use crate::ir::{Reply, StopKind};
use crate::probe::Probe;
use crate::profile::{CaseResult, CaseVerdict, Results};
use crate::transport::{
    Cassette, JsonDifference, Piecing, Playback, Recut, cut_short, differences, recut,
};
use crate::wire::{Frame, Framing};

/// The recorded streams, each with its place among the exchanges.
pub(super) fn recorded_streams(
    transcript: &Transcript,
) -> impl Iterator<Item = (usize, Framing, Vec<Frame>)> {
    transcript.exchanges.iter().enumerate().filter_map(|(place, exchange)| {
        let TranscriptBody::Frames(frames) = &exchange.reply.as_ref().ok()?.body else {
            return None;
        };
        let framing = exchange.request.framing.unwrap_or(Framing::Sse);
        Some((place, framing, frames.iter().map(|frame| frame.0.clone()).collect()))
    })
}

/// A transcript that was played as recorded.
pub(super) struct Played<'a> {
    pub(super) codec: &'static dyn Dialect,
    pub(super) cassette: &'a Cassette,
    pub(super) probes: &'a [&'a Probe],
    /// The results as recorded.
    pub(super) now: &'a Results,
}

/// The problems that some seed brings to light.
pub(super) async fn check(
    transcript: &Transcript,
    played: &Played<'_>,
    seeds: u64,
) -> Result<Vec<ReplayProblem>, RejudgeError> {
    let Played { codec, cassette, probes, now } = *played;
    let mut problems = Vec::new();
    for (place, framing, frames) in recorded_streams(transcript) {
        for seed in 0..seeds {
            problems.extend(recut_problem(place, framing, &frames, seed));
            problems.extend(short_problem(codec, place, framing, &frames, seed));
        }
    }
    let (settings, probes) = (transcript.settings(), streaming_probes(probes));
    for seed in 0..seeds {
        let play = |playback| results_of(codec, &settings, &probes, cassette.rewound(playback));
        let recut = play(Playback::Recut { seed }).await?;
        let found = differences(&streaming_json(now), &streaming_json(&recut));
        problems.extend(problem(seed, found).map(ReplayProblem::StreamRecut));
        let short = play(Playback::CutShort { seed }).await?;
        problems.extend(problem(seed, misread(now, &short)).map(ReplayProblem::StreamCutShort));
    }
    Ok(problems)
}

fn problem(seed: u64, differences: Vec<JsonDifference>) -> Option<StreamProblem> {
    (!differences.is_empty()).then_some(StreamProblem { seed, place: None, differences })
}

/// The probes that ask for streams, and those they are compared with.
fn streaming_probes<'a>(probes: &[&'a Probe]) -> Vec<&'a Probe> {
    let twins: Vec<&str> = probes.iter().flat_map(|probe| probe.twins()).collect();
    let is_needed = |probe: &&&Probe| {
        probe.climbs() || !probe.twins().is_empty() || twins.contains(&probe.id.as_str())
    };
    probes.iter().filter(is_needed).copied().collect()
}

async fn results_of(
    codec: &'static dyn Dialect,
    settings: &RecordedSettings,
    probes: &[&Probe],
    cassette: Cassette,
) -> Result<Results, RejudgeError> {
    Ok(rejudge_by(codec, settings, probes, Arc::new(cassette)).await?.results)
}

fn streaming_json(results: &Results) -> Value {
    let Some(streaming) = &results.streaming else { return Value::Null };
    let twins = streaming.twins.iter();
    let twins =
        twins.map(|(id, twin)| (id.clone(), twin_json(twin))).collect::<serde_json::Map<_, _>>();
    json!({"status": streaming.outcome.status, "defects": streaming.defects, "twins": twins})
}

fn twin_json(twin: &CaseResult) -> Value {
    json!({"verdict": twin.verdict, "passes": twin.passes, "reason": twin.reason})
}

/// The twins whose verdict on shortened streams is neither that on the whole streams nor that they
/// were cut short. A stream of which nothing is left may be inconclusive.
fn misread(whole: &Results, short: &Results) -> Vec<JsonDifference> {
    let twins = |results: &Results| {
        results.streaming.as_ref().map(|it| it.twins.clone()).unwrap_or_default()
    };
    let (whole, short) = (twins(whole), twins(short));
    let mut found = Vec::new();
    for (id, before) in &whole {
        let after = short.get(id);
        let is_fine = after.is_some_and(|after| {
            after.verdict == before.verdict
                || after.verdict == CaseVerdict::Inconclusive
                || after.reason.contains(CUT_SHORT)
        });
        if !is_fine {
            let (path, new) = (format!("twins.{id}"), after.map(twin_json));
            found.push(JsonDifference { path, old: Some(twin_json(before)), new });
        }
    }
    found
}

fn recut_problem(
    exchange: usize,
    framing: Framing,
    frames: &[Frame],
    seed: u64,
) -> Option<ReplayProblem> {
    let Recut { piecing, frames: read } = recut(framing, frames, seed);
    let read = match read {
        Ok(read) => frames_json(&read),
        Err(error) => Value::from(error.to_string()),
    };
    let differences = differences(&frames_json(frames), &read);
    let place = Some(place(exchange, piecing));
    let problem = StreamProblem { seed, place, differences };
    (!problem.differences.is_empty()).then_some(ReplayProblem::StreamRecut(problem))
}

/// A stream without its end must be read as truncated, or give the same reply as the whole one: what
/// is missing may be no more than the terminator.
fn short_problem(
    codec: &dyn Dialect,
    exchange: usize,
    framing: Framing,
    frames: &[Frame],
    seed: u64,
) -> Option<ReplayProblem> {
    let Recut { piecing, frames: read } = cut_short(framing, frames, seed);
    let whole = decode(codec, frames);
    let short = read.ok().map(|read| decode(codec, &read));
    let is_known = match (&whole, &short) {
        (_, Some(Ok(reply))) if reply.stop.kind == StopKind::Truncated => true,
        (Ok(whole), Some(Ok(short))) => whole.parts == short.parts,
        (Err(_), Some(Err(_))) => true,
        _ => false,
    };
    let (old, new) = (Some(reply_json(&whole)), short.as_ref().map(reply_json));
    let differences = vec![JsonDifference { path: "reply".to_owned(), old, new }];
    let place = Some(place(exchange, piecing));
    (!is_known).then_some(ReplayProblem::StreamCutShort(StreamProblem { seed, place, differences }))
}

fn decode(codec: &dyn Dialect, frames: &[Frame]) -> Result<Reply, ApiError> {
    let mut decoder = codec.stream_decoder();
    for frame in frames {
        decoder.push(frame);
    }
    decoder.finish()
}

fn reply_json(reply: &Result<Reply, ApiError>) -> Value {
    match reply {
        Ok(reply) => json!({"stop": reply.stop, "parts": reply.parts}),
        Err(error) => json!({"error": error.to_string()}),
    }
}

fn place(exchange: usize, Piecing { cuts, length }: Piecing) -> StreamPlace {
    StreamPlace { exchange, cuts, length }
}

fn frames_json(frames: &[Frame]) -> Value {
    let frame = |frame: &Frame| match frame {
        Frame::Event { event, data } => json!({"event": event, "data": data}),
        Frame::Comment(text) => json!({"comment": text}),
    };
    frames.iter().map(frame).collect()
}
