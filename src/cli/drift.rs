//! `toolprobe drift`: what declines over nights, and what is flaky.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::CliError;
use super::Exit;
use super::args::depot::DepotArgs;
use super::args::output::PlainFormat;
use super::shell::console::Console;
use crate::regress::{Drift, find_drifts, flaky_probes, why_undecided};
use crate::report::for_terminal;
use crate::store::{Rows, RunHistory};

/// Show what declines slowly over many runs, and what is too flaky to judge
///
/// Read off the history that `toolprobe run` keeps in its folder of reports. A
/// decline is a finding, not an error: the exit code is 0. Where the history is
/// too short to tell, that is said instead.
#[derive(Debug, Args)]
pub(super) struct DriftArgs {
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    #[command(flatten)]
    depot: DepotArgs,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,
}

pub(super) fn run(args: &DriftArgs, console: &Console) -> Result<Exit, CliError> {
    if let Some(depot) = args.depot.open()? {
        depot.fetch_history(&args.reports)?;
    }
    let Rows { rows, cut } = RunHistory::of(&args.reports).results().map_err(CliError::usage)?;
    if let Some(cut) = cut {
        console.note(&format!("the last line of the history is cut short: {}", for_terminal(&cut)));
    }
    let (found, unsteady, open) = (find_drifts(&rows), flaky_probes(&rows), why_undecided(&rows));
    let text = match args.format {
        PlainFormat::Json => {
            let unsteady: Vec<serde_json::Value> = unsteady
                .iter()
                .map(|(target, probe)| serde_json::json!({"target": target, "probe": probe}))
                .collect();
            let open = open.map(|it| it.to_string());
            let json = serde_json::json!({"drifts": found, "flaky": unsteady, "undecided": open});
            serde_json::to_string_pretty(&json).map_err(CliError::inconclusive)?
        }
        PlainFormat::Table => {
            let mut text: String = found.iter().map(|drift| line(drift) + "\n").collect();
            for (target, probe) in &unsteady {
                let _ = writeln!(text, "flaky: {}, {probe}", for_terminal(target));
            }
            match open {
                Some(open) => text + &open.to_string(),
                None if text.is_empty() => "nothing drifts, and nothing is flaky".to_owned(),
                None => text,
            }
        }
    };
    console.result(&text)?;
    Ok(Exit::Fine)
}

/// A decline in one line.
pub(super) fn line(drift: &Drift) -> String {
    format!(
        "drift: {}, {}: {} of {} trials passed before {}, {} of {} since",
        for_terminal(&drift.target),
        drift.probe,
        drift.before.passes,
        drift.before.trials,
        drift.since.format("%Y-%m-%d"),
        drift.after.passes,
        drift.after.trials,
    )
}
