//! `toolprobe metrics`: the seven metrics of an adapter's telemetry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CliError;
use super::Exit;
use super::args::telemetry_file::read_events;
use super::shell::console::Console;
use crate::report::{metrics_csv, metrics_table};
use crate::telemetry::{Counts, Metrics, TurnEvent};

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
    #[arg(long, value_enum, default_value_t = MetricsFormat::Table, value_name = "NAME")]
    format: MetricsFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MetricsFormat {
    /// For people, on a terminal
    Table,
    /// One object: all turns together, and each target
    Json,
    /// One line per target
    Csv,
}

pub(super) fn run(args: &MetricsArgs, console: &Console) -> Result<Exit, CliError> {
    let events = read_events(&args.files)?;
    console.result(&render(args.format, &by_target(&events))?)?;
    Ok(Exit::Fine)
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

fn render(form: MetricsFormat, subjects: &[(String, Metrics)]) -> Result<String, CliError> {
    match form {
        MetricsFormat::Table => Ok(metrics_table(subjects)),
        MetricsFormat::Json => {
            let targets: serde_json::Map<String, serde_json::Value> = subjects
                .iter()
                .skip(1)
                .map(|(name, metrics)| (name.clone(), serde_json::json!(metrics)))
                .collect();
            let all = subjects.first().map(|(_, metrics)| metrics);
            let json = serde_json::json!({ALL: all, "targets": targets});
            serde_json::to_string_pretty(&json).map_err(CliError::inconclusive)
        }
        MetricsFormat::Csv => Ok(metrics_csv(subjects)?),
    }
}
