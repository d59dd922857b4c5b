//! Verifying a transcript: does it still show what it showed when it was recorded?
//!
//! First it is played as recorded: every request must be a recorded one, and the verdicts must be the
//! recorded ones. Then `streams` checks its streams in other pieces and cut short.

use std::sync::Arc;

use serde::Serialize;

use super::rejudge::{RejudgeError, Rejudgement, rejudge_by, verdicts};
use super::streams::{self, Played};
use super::transcript::Transcript;
use crate::dialect::Dialect;
use crate::probe::{Probe, Suite};
use crate::regress::{
    REQUEST_CHANGED, REQUEST_MISSING, ReplayRule, STREAM_CUT_SHORT, STREAM_RECUT, VERDICT_CHANGED,
};
use crate::transport::{
    Cassette, JsonDifference, Method, Nearest, Playback, SentRequest, differences,
};

/// The result of replaying one transcript.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayReport {
    /// How many recorded exchanges there are.
    pub exchanges: usize,
    /// How many of them are streams.
    pub streams: usize,
    /// The version of the suite that it was recorded with, where this is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_with: Option<String>,
    /// What is not as it was.
    pub problems: Vec<ReplayProblem>,
}

/// One thing that is not as it was. The codes are stable.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ReplayProblem {
    /// A request that was not recorded: an encoder, a tool or a probe changed.
    RequestChanged {
        /// `GET` or `POST`.
        method: Method,
        /// Path and query.
        path: String,
        /// The path of the recorded request, where it is another.
        #[serde(skip_serializing_if = "Option::is_none")]
        recorded_path: Option<String>,
        /// How many requests changed in this way.
        times: usize,
        /// Where the body differs from the nearest one that was recorded.
        differences: Vec<JsonDifference>,
    },
    /// A recorded request that is not made any more.
    RequestMissing {
        /// `GET` or `POST`.
        method: Method,
        /// Path and query.
        path: String,
        /// How many.
        times: usize,
    },
    /// The same replies are judged otherwise: a decoder, a parser or a judge changed.
    VerdictChanged {
        /// Where the verdicts differ.
        differences: Vec<JsonDifference>,
    },
    /// A stream gives something else when it arrives in other pieces.
    StreamRecut(StreamProblem),
    /// A stream that was cut short was taken for something that it is not.
    StreamCutShort(StreamProblem),
}

/// A stream that is read otherwise than it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamProblem {
    /// The seed that chose the cuts.
    pub seed: u64,
    /// Which stream and where; `None` where only the verdict over all streams shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<StreamPlace>,
    /// What was read, or found, against what was recorded.
    pub differences: Vec<JsonDifference>,
}

/// A place in a recorded stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamPlace {
    /// Which of the exchanges, from 0.
    pub exchange: usize,
    /// The bytes after which it was cut.
    pub cuts: Vec<usize>,
    /// How many bytes the stream has.
    pub length: usize,
}

impl ReplayProblem {
    /// Its row in the table of what replays find.
    pub fn rule(&self) -> &'static ReplayRule {
        match self {
            Self::RequestChanged { .. } => &REQUEST_CHANGED,
            Self::RequestMissing { .. } => &REQUEST_MISSING,
            Self::VerdictChanged { .. } => &VERDICT_CHANGED,
            Self::StreamRecut(_) => &STREAM_RECUT,
            Self::StreamCutShort(_) => &STREAM_CUT_SHORT,
        }
    }

    /// The code, as policies name it.
    pub fn code(&self) -> &'static str {
        self.rule().code
    }
}

/// Replays a transcript: once as recorded, and under so many seeds in other pieces and cut short.
pub async fn replay(
    transcript: &Transcript,
    suite: &Suite,
    seeds: u64,
) -> Result<ReplayReport, RejudgeError> {
    replay_by(transcript.dialect.codec(), transcript, suite, seeds).await
}

/// The same with another implementation of the transcript's dialect, such as that of an adapter.
pub async fn replay_by(
    codec: &'static dyn Dialect,
    transcript: &Transcript,
    suite: &Suite,
    seeds: u64,
) -> Result<ReplayReport, RejudgeError> {
    let suite = &suite.clone().with_tools(&transcript.tools, transcript.seed);
    let probes: Vec<&Probe> = suite.select(transcript.suite).collect();
    let cassette = Arc::new(Cassette::new(transcript.exchanges(), Playback::AsRecorded));
    let settings = transcript.settings();
    let tape: Arc<Cassette> = Arc::clone(&cassette);
    let now = rejudge_by(codec, &settings, &probes, tape).await?;
    let mut problems = changed_requests(&now);
    if problems.is_empty() {
        problems.extend(missing_requests(&cassette));
        problems.extend(changed_verdicts(transcript, &now));
    }
    // Streams of changed requests are not played at all: there is nothing to compare with.
    if problems.is_empty() {
        let played = Played { codec, cassette: &cassette, probes: &probes, now: &now.results };
        problems = streams::check(transcript, &played, seeds).await?;
    }
    let recorded_with = &transcript.probe_version;
    Ok(ReplayReport {
        exchanges: transcript.exchanges.len(),
        streams: streams::recorded_streams(transcript).count(),
        recorded_with: (recorded_with != suite.version()).then(|| recorded_with.clone()),
        problems,
    })
}

/// Requests that were not recorded. Those that changed in the same way are one problem.
fn changed_requests(now: &Rejudgement) -> Vec<ReplayProblem> {
    let mut problems: Vec<ReplayProblem> = Vec::new();
    for (request, nearest) in now.unrecorded() {
        let fresh = changed_request(request, nearest);
        let alike = problems.iter_mut().find_map(|known| match (known, &fresh) {
            (
                ReplayProblem::RequestChanged { differences: old, path: at, times, .. },
                ReplayProblem::RequestChanged { differences, path, .. },
            ) if old == differences && at == path => Some(times),
            _ => None,
        });
        match alike {
            Some(times) => *times += 1,
            None => problems.push(fresh),
        }
    }
    problems
}

fn changed_request(request: &SentRequest, nearest: Option<&Nearest>) -> ReplayProblem {
    let path = request.path();
    let recorded_path = nearest.map(|it| it.path.clone()).filter(|recorded| *recorded != path);
    let differences = nearest.map(|it| it.differences.clone()).unwrap_or_default();
    ReplayProblem::RequestChanged {
        method: request.method,
        path,
        recorded_path,
        times: 1,
        differences,
    }
}

fn missing_requests(cassette: &Cassette) -> Vec<ReplayProblem> {
    let mut problems: Vec<ReplayProblem> = Vec::new();
    for request in cassette.unplayed() {
        let path = request.path();
        let known = problems.iter_mut().find_map(|problem| match problem {
            ReplayProblem::RequestMissing { path: at, times, .. } if *at == path => Some(times),
            _ => None,
        });
        match known {
            Some(times) => *times += 1,
            None => {
                problems.push(ReplayProblem::RequestMissing {
                    method: request.method,
                    path,
                    times: 1,
                });
            }
        }
    }
    problems
}

fn changed_verdicts(transcript: &Transcript, now: &Rejudgement) -> Option<ReplayProblem> {
    let differences = differences(&transcript.verdicts, &verdicts(&now.results));
    (!differences.is_empty()).then_some(ReplayProblem::VerdictChanged { differences })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_written_with_the_code_of_its_row() {
        let stream = StreamProblem { seed: 1, place: None, differences: Vec::new() };
        let (method, path) = (Method::Post, "/v1/messages".to_owned());
        for problem in [
            ReplayProblem::RequestChanged {
                method,
                path: path.clone(),
                recorded_path: None,
                times: 1,
                differences: Vec::new(),
            },
            ReplayProblem::RequestMissing { method, path, times: 1 },
            ReplayProblem::VerdictChanged { differences: Vec::new() },
            ReplayProblem::StreamRecut(stream.clone()),
            ReplayProblem::StreamCutShort(stream),
        ] {
            assert_eq!(serde_json::to_value(&problem).unwrap()["code"], problem.code());
        }
    }
}
