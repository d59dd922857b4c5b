//! `--dry-run`: what would be asked, and at what cost?

use serde_json::json;

use super::console::Console;
use super::error::CliError;
use super::exit::Exit;
use super::output::{Format, OutputArgs};
use crate::probe::Estimate;
use crate::report::grid;
use crate::runner::{Plan, Target, foreseen};

const HEADER: [&str; 5] = ["target", "requests", "at most", "tokens, about", "at most"];

/// Shows what probing these targets would cost. Nothing is asked.
pub(super) fn show<'a>(
    targets: impl IntoIterator<Item = &'a Target>,
    plan: &Plan,
    output: &OutputArgs,
    console: &Console,
) -> Result<Exit, CliError> {
    let rows: Vec<(&str, Estimate)> =
        targets.into_iter().map(|target| (target.name.as_str(), foreseen(target, plan))).collect();
    let all = rows.iter().fold(Estimate::default(), |sum, (_, each)| sum + *each);
    let text = match output.format() {
        Format::Json => json(&rows, all)?,
        _ => table(&rows, all),
    };
    output.write(console, &text)?;
    console.note("nothing was asked; requests that are retried come on top");
    Ok(Exit::Fine)
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
