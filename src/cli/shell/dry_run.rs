//! `--dry-run`: what would be asked, and at what cost.

use serde_json::json;

use super::console::Console;
use super::error::CliError;
use super::exit::Exit;
use crate::campaign::{RunSettings, foreseen};
use crate::cli::args::output::{OutputArgs, ReportFormat};
use crate::probe::Estimate;
use crate::report::grid;
use crate::target::Target;

const HEADER: [&str; 5] = ["target", "requests", "at most", "tokens, about", "at most"];

/// What is said beside it.
pub(crate) const NOTHING_ASKED: &str = "nothing was asked; requests that are retried come on top";

/// Shows what probing these targets would cost. Nothing is asked.
pub(crate) fn show<'a>(
    targets: impl IntoIterator<Item = &'a Target>,
    settings: &RunSettings,
    output: &OutputArgs,
    console: &Console,
) -> Result<Exit, CliError> {
    let is_json = output.format() == ReportFormat::Json;
    output.write(console, &text(targets, settings, is_json)?)?;
    console.note(NOTHING_ASKED);
    Ok(Exit::Fine)
}

/// What probing these targets would cost, for people or for programs.
pub(crate) fn text<'a>(
    targets: impl IntoIterator<Item = &'a Target>,
    settings: &RunSettings,
    is_json: bool,
) -> Result<String, CliError> {
    let rows: Vec<(&str, Estimate)> = targets
        .into_iter()
        .map(|target| (target.name.as_str(), foreseen(target, settings)))
        .collect();
    let all = rows.iter().fold(Estimate::default(), |sum, (_, each)| sum + *each);
    if is_json { json(&rows, all) } else { Ok(table(&rows, all)) }
}

fn table(rows: &[(&str, Estimate)], all: Estimate) -> String {
    let several = (rows.len() > 1).then_some(("all", all));
    let row = |(name, Estimate { likely, most }): (&str, Estimate)| {
        let numbers = [likely.requests, most.requests, likely.tokens, most.tokens];
        std::iter::once(name.to_owned()).chain(numbers.map(|it| it.to_string())).collect()
    };
    grid(&HEADER, rows.iter().copied().chain(several).map(row))
}

fn json(rows: &[(&str, Estimate)], all: Estimate) -> Result<String, CliError> {
    let targets: Vec<_> = rows
        .iter()
        .map(|(name, it)| json!({"name": name, "likely": it.likely, "most": it.most}))
        .collect();
    let value = json!({"targets": targets, "all": all});
    serde_json::to_string_pretty(&value).map_err(CliError::inconclusive)
}
