//! `toolprobe metrics`: the seven metrics of an adapter's telemetry.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::CliError;
use super::Exit;
use super::shell::console::Console;
use crate::report::{metrics_csv, metrics_table};
use crate::telemetry::{Counts, Metrics, TurnEvent, read_lines};

/// The name of all targets together.
const ALL: &str = "all";

/// The seven metrics of telemetry that an adapter wrote
///
/// Each line is one turn as a JSON object; `toolprobe schema telemetry` says which
/// fields it may have. The numbers are those of a profile's `metrics`.
#[derive(Debug, Args)]
pub(super) struct MetricsArgs {
    /// Files of JSON lines; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = Form::Table)]
    format: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people, on a terminal
    Table,
    /// One object: all turns together, and each target
    Json,
    /// One line per target
    Csv,
}

pub(super) fn run(args: &MetricsArgs, console: &Console) -> Result<Exit, CliError> {
    let mut events = Vec::new();
    for path in &args.files {
        let text = read(path)
            .map_err(|error| CliError::usage(format!("cannot read {}: {error}", path.display())))?;
        let remedy = "`toolprobe schema telemetry` says what a line may hold";
        let read = read_lines(&text)
            .map_err(|bad| CliError::usage(format!("{}: {bad}; {remedy}", path.display())))?;
        events.extend(read);
    }
    console.result(&render(args.format, &by_target(&events))?)?;
    Ok(Exit::Fine)
}

fn read(path: &Path) -> std::io::Result<String> {
    if path.as_os_str() != "-" {
        return fs::read_to_string(path);
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}

/// All turns together, then each target by name. Turns without a target are only in the first.
fn by_target(events: &[TurnEvent]) -> Vec<(String, Metrics)> {
    let mut targets: BTreeMap<&str, Vec<&TurnEvent>> = BTreeMap::new();
    for event in events {
        if let Some(target) = &event.target {
            targets.entry(target).or_default().push(event);
        }
    }
    let all = (ALL.to_owned(), Counts::of(events).metrics());
    let each = targets
        .into_iter()
        .map(|(target, events)| (target.to_owned(), Counts::of(events).metrics()));
    std::iter::once(all).chain(each).collect()
}

fn render(form: Form, subjects: &[(String, Metrics)]) -> Result<String, CliError> {
    match form {
        Form::Table => Ok(metrics_table(subjects)),
        Form::Json => {
            let targets: serde_json::Map<String, serde_json::Value> = subjects
                .iter()
                .skip(1)
                .map(|(name, metrics)| (name.clone(), serde_json::json!(metrics)))
                .collect();
            let all = subjects.first().map(|(_, metrics)| metrics);
            let json = serde_json::json!({ALL: all, "targets": targets});
            serde_json::to_string_pretty(&json).map_err(CliError::inconclusive)
        }
        Form::Csv => Ok(metrics_csv(subjects)?),
    }
}
