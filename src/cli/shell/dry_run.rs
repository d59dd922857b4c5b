//! `--dry-run`: what would be asked, and at what cost.

use serde_json::json;

use super::console::Console;
use super::error::CliError;
use super::exit::Exit;
use crate::campaign::{RunSettings, bound, foreseen};
use crate::cli::args::output::{OutputArgs, ReportFormat};
use crate::probe::{Estimate, Load};
use crate::report::grid;
use crate::target::Target;
use crate::transport::BudgetLimits;

const HEADER: [&str; 5] = ["target", "requests", "at most", "tokens, about", "at most"];

/// What probing these targets would cost. Nothing is asked.
pub(crate) struct DryRun<'a> {
    rows: Vec<(&'a str, Estimate)>,
    all: Estimate,
    /// What it can cost at most, within the budget.
    bound: Load,
}

impl<'a> DryRun<'a> {
    /// Foresees what these targets cost.
    pub(crate) fn of(
        targets: impl IntoIterator<Item = &'a Target>,
        settings: &RunSettings,
        limits: BudgetLimits,
    ) -> Self {
        let targets: Vec<&Target> = targets.into_iter().collect();
        let row = |it: &&'a Target| (it.name.as_str(), foreseen(it, settings));
        let rows: Vec<(&str, Estimate)> = targets.iter().map(row).collect();
        let all = rows.iter().fold(Estimate::default(), |sum, (_, each)| sum + *each);
        let bound: Load = targets.iter().map(|target| bound(target, settings)).sum();
        let least = |bound: u64, limit: Option<u64>| limit.map_or(bound, |it| it.min(bound));
        let bound = Load {
            requests: least(bound.requests, limits.requests),
            tokens: least(bound.tokens, limits.tokens),
        };
        Self { rows, all, bound }
    }

    /// Shows it.
    pub(crate) fn show(&self, output: &OutputArgs, console: &Console) -> Result<Exit, CliError> {
        let is_json = output.format() == ReportFormat::Json;
        output.write(console, &self.text(is_json)?)?;
        console.note(&self.note());
        Ok(Exit::Fine)
    }

    /// For people or for programs.
    pub(crate) fn text(&self, is_json: bool) -> Result<String, CliError> {
        let Self { rows, all, bound } = self;
        if is_json { json(rows, *all, *bound) } else { Ok(table(rows, *all)) }
    }

    /// What is said beside it.
    pub(crate) fn note(&self) -> String {
        let Load { requests, tokens } = self.bound;
        format!(
            "nothing was asked; with every retry that is allowed it is at most {requests} requests and \
             {tokens} tokens"
        )
    }
}

fn table(rows: &[(&str, Estimate)], all: Estimate) -> String {
    let several = (rows.len() > 1).then_some(("all", all));
    let row = |(name, Estimate { likely, most }): (&str, Estimate)| {
        let numbers = [likely.requests, most.requests, likely.tokens, most.tokens];
        std::iter::once(name.to_owned()).chain(numbers.map(|it| it.to_string())).collect()
    };
    grid(&HEADER, rows.iter().copied().chain(several).map(row))
}

fn json(rows: &[(&str, Estimate)], all: Estimate, bound: Load) -> Result<String, CliError> {
    let targets: Vec<_> = rows
        .iter()
        .map(|(name, it)| json!({"name": name, "likely": it.likely, "most": it.most}))
        .collect();
    let value = json!({"targets": targets, "all": all, "bound": bound});
    serde_json::to_string_pretty(&value).map_err(CliError::inconclusive)
}
