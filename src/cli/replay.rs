//! `toolprobe replay`: fixed transcripts through encoders, parsers and judges, offline.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::args::output::PlainFormat;
use super::args::policy::{InForce, PolicyArgs};
use super::args::transcripts::transcript_files;
use super::shell::console::Console;
use super::shell::differences;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::probe::Suite;
use crate::regress::{Level, PolicyInput, ReplayRule, expired_exceptions, rule_on};
use crate::replay::{ReplayProblem, ReplayReport, StreamProblem, Transcript, replay};
use crate::report::{for_terminal, plural};

/// Where transcripts are without being named.
const FOLDER: &str = "fixtures/transcripts";

/// How many of a stream's cuts are shown.
const CUTS: usize = 8;

/// Replay recorded transcripts: no key, no network, no cost
///
/// The suite runs against each transcript with the transport swapped. A
/// request that is not the recorded one is shown as a diff of its body:
/// that is how a changed encoder shows itself. Streams are played again in
/// other pieces and cut short. Exits 1 if anything is not as it was, unless
/// the policy allows its code for that target.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// Transcript files, or folders of them [default: fixtures/transcripts]
    #[arg(value_name = "FIXTURE")]
    fixtures: Vec<PathBuf>,

    /// In how many ways each stream is cut anew
    #[arg(long, value_name = "N", default_value_t = 4)]
    seeds: u64,

    /// A folder of probe files to use instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    probes: Option<PathBuf>,

    #[command(flatten)]
    policy: PolicyArgs,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,
}

/// What came of one file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    file: String,
    target: String,
    exchanges: usize,
    streams: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_with: Option<String>,
    problems: Vec<Ruled>,
}

/// A problem with what the policy makes of it.
#[derive(Serialize)]
struct Ruled {
    level: Level,
    because: String,
    #[serde(flatten)]
    problem: ReplayProblem,
}

/// Replays, and says what changed.
pub(super) fn run(args: &ReplayArgs, console: &Console) -> Result<Exit, CliError> {
    let suite = suite(args.probes.as_deref())?;
    let in_force = args.policy.load()?;
    let mut transcripts = Vec::new();
    for file in files(&args.fixtures)? {
        let transcript = Transcript::read(&file).map_err(CliError::usage)?;
        transcripts.push((file.display().to_string(), transcript));
    }
    let mut outcomes = Vec::new();
    let runtime = offline()?;
    for (file, transcript) in transcripts {
        let replayed = runtime.block_on(replay(&transcript, &suite, args.seeds));
        let replayed = replayed.map_err(|e| CliError::usage(format!("{file}: {e}")))?;
        outcomes.push(Outcome::of(file, &transcript, replayed, &in_force));
    }
    console.result(&render(args.format, &outcomes)?)?;
    for note in expired_exceptions(&in_force.policy, in_force.today) {
        console.note(&for_terminal(&note));
    }
    Ok(print_outcome(&outcomes, &suite, console))
}

impl Outcome {
    fn of(
        file: String,
        transcript: &Transcript,
        replayed: ReplayReport,
        in_force: &InForce,
    ) -> Self {
        let ReplayReport { exchanges, streams, recorded_with, problems } = replayed;
        let target = transcript.name();
        let ruled = |problem: ReplayProblem| {
            let rule = problem.rule();
            let (code, class, severity) = (rule.into(), ReplayRule::CLASS, rule.severity);
            let about = PolicyInput { code, class, severity, target: &target, effect: None };
            let InForce { policy, built_in, today, .. } = in_force;
            let (level, because) = rule_on(about, policy, built_in, *today);
            Ruled { level, because, problem }
        };
        let problems = problems.into_iter().map(ruled).collect();
        Self { file, target, exchanges, streams, recorded_with, problems }
    }

    /// The gravest level of its problems.
    fn level(&self) -> Option<Level> {
        self.problems.iter().map(|it| it.level).max()
    }
}

/// The probes of a folder, or the built-in ones.
pub(super) fn suite(folder: Option<&Path>) -> Result<Suite, CliError> {
    folder.map_or_else(Suite::embedded, Suite::load).map_err(CliError::usage)
}

/// A runtime that has no sockets to give: whatever reached for the network would fail.
pub(super) fn offline() -> Result<tokio::runtime::Runtime, CliError> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_time().build()?)
}

/// The selected files, in order.
fn files(fixtures: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    if fixtures.is_empty() && !Path::new(FOLDER).is_dir() {
        return Err(CliError::usage(format!(
            "no {FOLDER} here; name a transcript, or make one with `toolprobe record URL --model \
             M --output {FOLDER}/NAME.json`"
        )));
    }
    let named = if fixtures.is_empty() { vec![PathBuf::from(FOLDER)] } else { fixtures.to_vec() };
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            files.extend(transcript_files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn render(format: PlainFormat, outcomes: &[Outcome]) -> Result<String, CliError> {
    match format {
        PlainFormat::Json => serde_json::to_string_pretty(outcomes).map_err(CliError::inconclusive),
        PlainFormat::Table => Ok(outcomes.iter().flat_map(lines).collect::<Vec<_>>().join("\n")),
    }
}

fn lines(outcome: &Outcome) -> Vec<String> {
    let Outcome { file, exchanges, streams, problems, .. } = outcome;
    let file = for_terminal(file);
    let mark = match outcome.level() {
        None => {
            return vec![format!(
                "✓ {file}: {}, {streams} of them streamed",
                plural(*exchanges, "exchange")
            )];
        }
        Some(Level::Allow | Level::Warn) => '!',
        Some(Level::Inconclusive | Level::Deny) => '✗',
    };
    let mut lines = vec![format!("{mark} {file}")];
    for Ruled { level, because, problem } in problems {
        let (headline, places) = describe(problem);
        lines.push(format!("  {level}: {}: {}", problem.code(), for_terminal(&headline)));
        lines.extend(places.iter().map(|line| format!("    {line}")));
        lines.push(format!("    decided by: {}", for_terminal(because)));
    }
    lines
}

fn describe(problem: &ReplayProblem) -> (String, Vec<String>) {
    match problem {
        ReplayProblem::RequestChanged { method, path, recorded_path, times, differences } => {
            let was = recorded_path.as_ref().map(|was| format!(", recorded as {was}"));
            let (was, places) = (was.unwrap_or_default(), differences::to_lines(differences));
            (format!("{}{was}", count_request(&format!("{method} {path}"), *times)), places)
        }
        ReplayProblem::RequestMissing { method, path, times } => {
            let request = count_request(&format!("{method} {path}"), *times);
            (format!("recorded and not asked for any more: {request}"), Vec::new())
        }
        ReplayProblem::VerdictChanged { differences } => {
            ("the same replies, judged otherwise".to_owned(), differences::to_lines(differences))
        }
        ReplayProblem::StreamRecut(stream) | ReplayProblem::StreamCutShort(stream) => {
            (describe_stream(stream), differences::to_lines(&stream.differences))
        }
    }
}

fn count_request(request: &str, times: usize) -> String {
    if times > 1 { format!("{request} ({times} requests alike)") } else { request.to_owned() }
}

fn describe_stream(stream: &StreamProblem) -> String {
    let Some(place) = &stream.place else {
        return format!("seed {}, in the verdict over all streams", stream.seed);
    };
    let cuts: Vec<String> = place.cuts.iter().take(CUTS).map(ToString::to_string).collect();
    let more = if place.cuts.len() > CUTS { ", …" } else { "" };
    let (seed, exchange, length) = (stream.seed, place.exchange, place.length);
    format!("seed {seed}, exchange {exchange}, cut at {}{more} of {length} bytes", cuts.join(", "))
}

fn print_outcome(outcomes: &[Outcome], suite: &Suite, console: &Console) -> Exit {
    let bad = outcomes.iter().filter(|it| !it.problems.is_empty()).count();
    console.note(&match bad {
        0 => format!("{} replayed, no change", plural(outcomes.len(), "transcript")),
        bad => format!("not as before: {bad} of {}", plural(outcomes.len(), "transcript")),
    });
    if let Some(version) = outcomes.iter().find_map(|it| it.recorded_with.as_ref())
        && bad > 0
    {
        console.note(&format!(
            "recorded with {version}, replayed with {}: if the suite was meant to change, record \
             again",
            suite.version()
        ));
    }
    match outcomes.iter().filter_map(Outcome::level).max() {
        Some(Level::Deny) => Exit::Failed,
        Some(Level::Inconclusive) => Exit::Inconclusive,
        Some(Level::Warn | Level::Allow) | None => Exit::Fine,
    }
}
