//! Markdown: verdicts for a pull request.
//!
//! Whatever an endpoint may have written stands in a code span; see [`for_markdown`].

use std::fmt::Write as _;
use std::iter;

use super::changes::changes_markdown;
use super::escape::for_markdown;
use super::fleet::{COLUMNS, Cell};
use super::metrics::metric_rows;
use super::view::{ProbeView, STATUSES, TargetView, interval, passes_of_trials, settings, symbol};
use super::{Report, plural};
use crate::profile::Status;
use crate::store::{Completion, Manifest};

/// The head, each target, and the legend.
pub(super) fn pieces(report: &Report<'_>) -> impl Iterator<Item = String> {
    let targets = report.targets();
    let head = match report.run {
        Some(run) => {
            let gate = report.gate.map(|changes| changes_markdown(changes) + "\n");
            format!("{}\n{}{}\n", run_heading(run), gate.unwrap_or_default(), fleet(&targets))
        }
        None => String::new(),
    };
    let findings_only = report.run.is_some();
    let each = targets.into_iter().map(move |target| details(&target, findings_only));
    let pieces = iter::once(head).chain(each).chain(iter::once_with(legend));
    pieces.filter(|piece| !piece.is_empty())
}

fn run_heading(run: &Manifest) -> String {
    let end = match &run.completion {
        Completion::Complete => "complete".to_owned(),
        Completion::Running => "not finished".to_owned(),
        Completion::Incomplete { because } => format!("incomplete: {}", for_markdown(because)),
    };
    format!(
        "# Tool calling, run {}\n\n{}, suite {}, seed {}, {}, {}, {end}.\n",
        run.run,
        plural(run.targets.len(), "target"),
        for_markdown(&run.suite),
        run.seed,
        plural(run.trials, "trial"),
        plural(run.totals.requests, "request")
    )
}

fn fleet(targets: &[TargetView<'_>]) -> String {
    let mut text = head(&COLUMNS.map(|column| column.head), "target");
    for target in targets {
        let shown = |it: Cell| format!("{} {}", symbol(it.status), it.word).trim_end().to_owned();
        let cells = COLUMNS.iter().map(|column| match target.profile {
            Some(profile) => (column.cell)(profile).map(shown).unwrap_or_default(),
            None => symbol(Status::Inconclusive).to_owned(),
        });
        let name = for_markdown(&target.name);
        let cells: Vec<String> = std::iter::once(name).chain(cells).collect();
        row(&mut text, &cells);
    }
    text
}

/// A target's probes; in a run only those that did not pass, for the table above has the others.
fn details(target: &TargetView<'_>, findings_only: bool) -> String {
    let is_shown = |section: &ProbeView<'_>| {
        !findings_only || !matches!(section.outcome.status, Status::Pass | Status::Skipped)
    };
    let sections: Vec<_> = target.sections().into_iter().filter(is_shown).collect();
    let Some(profile) = target.profile else {
        let why = for_markdown(target.problem.unwrap_or("it was not asked"));
        return format!("## {}\n\nNo profile: {why}\n\n", for_markdown(&target.name));
    };
    if sections.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", for_markdown(&target.name));
    text.push_str(&probes(&sections));
    if !findings_only {
        text.push_str(&pairs("Settings for an adapter", "setting", &settings(profile)));
        let metrics = profile.metrics.as_ref().map(metric_rows);
        text.extend(metrics.map(|rows| pairs("Over all turns", "metric", &rows)));
    }
    text.push('\n');
    text
}

fn pairs(title: &str, name: &str, rows: &[(&str, String)]) -> String {
    let mut text = format!("\n### {title}\n\n{}", head(&["value"], name));
    for (name, value) in rows {
        row(&mut text, &[format!("`{name}`"), for_markdown(value)]);
    }
    text
}

fn probes(sections: &[ProbeView<'_>]) -> String {
    let mut text = head(&["verdict", "passed", "95 % interval", "why", "control"], "probe");
    for section in sections {
        let outcome = section.outcome;
        row(
            &mut text,
            &[
                for_markdown(&outcome.probe),
                format!("{} {}", symbol(outcome.status), outcome.status.as_str()),
                passes_of_trials(outcome.passes, outcome.trials),
                interval(outcome),
                for_markdown(&section.why()),
                for_markdown(outcome.control.as_deref().unwrap_or_default()),
            ],
        );
    }
    text
}

fn head(names: &[&str], first: &str) -> String {
    let mut text = String::new();
    let names: Vec<String> = std::iter::once(&first).chain(names).map(|&it| it.into()).collect();
    row(&mut text, &names);
    row(&mut text, &names.iter().map(|_| "---".to_owned()).collect::<Vec<_>>());
    text
}

fn row(text: &mut String, cells: &[String]) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn legend() -> String {
    let words = STATUSES.map(|status| format!("{} {}", symbol(status), status.as_str()));
    format!("{}\n", words.join(", "))
}
