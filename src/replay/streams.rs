//! Do recorded streams stand other cuts, and a missing end?
//!
//! Each stream by itself, so that a failure names the stream and the cut; then the verdict over all
//! of them, because it is the verdict that must not change.

use std::sync::Arc;

use serde_json::{Value, json};

use super::rejudge::{Recorded, RejudgeError, rejudge_by};
use super::transcript::{SaidBody, Transcript};
use super::verify::{Problem, StreamPlace, StreamProblem};
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
pub(super) fn of(transcript: &Transcript) -> impl Iterator<Item = (usize, Framing, Vec<Frame>)> {
    transcript.exchanges.iter().enumerate().filter_map(|(place, take)| {
        let SaidBody::Frames(frames) = &take.reply.as_ref().ok()?.body else { return None };
        let framing = take.request.framing.unwrap_or(Framing::Sse);
        Some((place, framing, frames.iter().map(|frame| frame.0.clone()).collect()))
    })
}

/// A transcript that was played as recorded.
pub(super) struct Played<'a> {
    /// What it was read by.
    pub(super) codec: &'static dyn Dialect,
    /// What was said.
    pub(super) cassette: &'a Cassette,
    /// What was asked.
    pub(super) probes: &'a [&'a Probe],
    /// What that showed.
    pub(super) now: &'a Results,
}

/// What is not as it was under some seed.
pub(super) async fn check(
    transcript: &Transcript,
    played: &Played<'_>,
    seeds: u64,
) -> Result<Vec<Problem>, RejudgeError> {
    let Played { codec, cassette, probes, now } = *played;
    let mut problems = Vec::new();
    for (place, framing, frames) in of(transcript) {
        for seed in 0..seeds {
            problems.extend(recut_problem(place, framing, &frames, seed));
            problems.extend(short_problem(codec, place, framing, &frames, seed));
        }
    }
    let (recorded, probes) = (transcript.recorded(), streamed(probes));
    for seed in 0..seeds {
        let play = |playback| verdict(codec, &recorded, &probes, cassette.rewound(playback));
        let recut = play(Playback::Recut { seed }).await?;
        let found = differences(&streaming(now), &streaming(&recut));
        problems.extend(problem(seed, found).map(Problem::StreamRecut));
        let short = play(Playback::CutShort { seed }).await?;
        problems.extend(problem(seed, misread(now, &short)).map(Problem::StreamCutShort));
    }
    Ok(problems)
}

fn problem(seed: u64, differences: Vec<JsonDifference>) -> Option<StreamProblem> {
    (!differences.is_empty()).then_some(StreamProblem { seed, place: None, differences })
}

/// The probes that ask for streams, and those they are compared with.
fn streamed<'a>(probes: &[&'a Probe]) -> Vec<&'a Probe> {
    let twins: Vec<&String> = probes.iter().flat_map(|probe| probe.twins()).collect();
    let is_needed =
        |probe: &&&Probe| probe.climbs() || !probe.twins().is_empty() || twins.contains(&&probe.id);
    probes.iter().filter(is_needed).copied().collect()
}

async fn verdict(
    codec: &'static dyn Dialect,
    recorded: &Recorded,
    probes: &[&Probe],
    cassette: Cassette,
) -> Result<Results, RejudgeError> {
    Ok(rejudge_by(codec, recorded, probes, Arc::new(cassette)).await?.results)
}

fn streaming(results: &Results) -> Value {
    let Some(streaming) = &results.streaming else { return Value::Null };
    let twins = streaming.twins.iter();
    let twins = twins.map(|(id, twin)| (id.clone(), case(twin))).collect::<serde_json::Map<_, _>>();
    json!({"status": streaming.outcome.status, "defects": streaming.defects, "twins": twins})
}

fn case(twin: &CaseResult) -> Value {
    json!({"verdict": twin.verdict, "passes": twin.passes, "reason": twin.reason})
}

/// Where the verdict on streams that end too early is neither the one on the whole streams nor that
/// they ended too early. One of which no piece is left tells nothing, and may be said to.
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
            let (path, new) = (format!("twins.{id}"), after.map(case));
            found.push(JsonDifference { path, old: Some(case(before)), new });
        }
    }
    found
}

fn recut_problem(
    exchange: usize,
    framing: Framing,
    frames: &[Frame],
    seed: u64,
) -> Option<Problem> {
    let Recut { piecing, frames: read } = recut(framing, frames, seed);
    let read = match read {
        Ok(read) => shown(&read),
        Err(error) => Value::from(error.to_string()),
    };
    let differences = differences(&shown(frames), &read);
    let place = Some(place(exchange, piecing));
    let problem = StreamProblem { seed, place, differences };
    (!problem.differences.is_empty()).then_some(Problem::StreamRecut(problem))
}

/// A stream without its end must be known as that, or tell the same reply as the whole one: what is
/// missing may be no more than its last words.
fn short_problem(
    codec: &dyn Dialect,
    exchange: usize,
    framing: Framing,
    frames: &[Frame],
    seed: u64,
) -> Option<Problem> {
    let Recut { piecing, frames: read } = cut_short(framing, frames, seed);
    let whole = decoded(codec, frames);
    let short = read.ok().map(|read| decoded(codec, &read));
    let is_known = match (&whole, &short) {
        (_, Some(Ok(reply))) if reply.stop.kind == StopKind::Truncated => true,
        (Ok(whole), Some(Ok(short))) => whole.parts == short.parts,
        (Err(_), Some(Err(_))) => true,
        _ => false,
    };
    let (old, new) = (Some(told(&whole)), short.as_ref().map(told));
    let differences = vec![JsonDifference { path: "reply".to_owned(), old, new }];
    let place = Some(place(exchange, piecing));
    (!is_known).then_some(Problem::StreamCutShort(StreamProblem { seed, place, differences }))
}

fn decoded(codec: &dyn Dialect, frames: &[Frame]) -> Result<Reply, ApiError> {
    let mut decoder = codec.stream_decoder();
    for frame in frames {
        decoder.push(frame);
    }
    decoder.finish()
}

fn told(reply: &Result<Reply, ApiError>) -> Value {
    match reply {
        Ok(reply) => json!({"stop": reply.stop, "parts": reply.parts}),
        Err(error) => json!({"error": error.to_string()}),
    }
}

fn place(exchange: usize, Piecing { cuts, length }: Piecing) -> StreamPlace {
    StreamPlace { exchange, cuts, length }
}

fn shown(frames: &[Frame]) -> Value {
    let frame = |frame: &Frame| match frame {
        Frame::Event { event, data } => json!({"event": event, "data": data}),
        Frame::Comment(text) => json!({"comment": text}),
    };
    frames.iter().map(frame).collect()
}
