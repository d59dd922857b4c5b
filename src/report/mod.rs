//! Reports: results, changes and metrics for people and programs.
//!
//! - `view`: what all formats show: targets, probes, cases, settings
//! - `table`, `markdown`, `html`: for people; `fleet`: the columns of a table of many targets
//! - `json`, `csv`, `junit`: for programs
//! - `metrics`: the seven numbers, as a table and as CSV
//! - `exchange`: one exchange, readably, and as a command that repeats it
//! - `plan`: what an adapter must do
//! - `changes`: what changed between two sets of profiles
//! - `plural`: numbers with their noun; `verdict_line`: a target in one line
//! - `grid`: plain rows for a terminal
//! - `escape`: makes text that a model wrote harmless
//! - `links`: where a page finds the evidence

mod audit;
mod changes;
mod csv;
mod escape;
mod exchange;
mod fleet;
mod grid;
mod html;
mod json;
mod junit;
mod links;
mod markdown;
mod metrics;
mod plan;
mod plural;
mod table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod verdict_line;
mod view;

pub(crate) use audit::{audit_markdown, audit_table};
pub(crate) use changes::{
    ChangeEntry, Changes, append_summary, change_line, change_text, changes_annotations,
    changes_code_quality, changes_markdown, changes_sarif, changes_text,
};
pub(crate) use escape::{for_terminal, is_deceptive};
pub(crate) use exchange::{curl, exchange_text};
pub(crate) use grid::grid;
pub(crate) use html::changes_html;
pub(crate) use links::EvidenceLinks;
pub(crate) use metrics::{metrics_csv, metrics_table};
pub(crate) use plan::plan_table;
pub(crate) use plural::plural;
pub(crate) use table::pairs;
pub(crate) use verdict_line::verdict_line;
pub use view::Report;

use std::{io, iter};

/// A report in pieces of text.
pub(crate) type Pieces<'a> = Box<dyn Iterator<Item = io::Result<String>> + 'a>;

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// For people, on a terminal
    Table,
    /// For programs: the profile, or the run with its profiles
    Json,
    /// For pull requests and wikis
    Markdown,
    /// For spreadsheets: a row per probe and case
    Csv,
    /// For CI servers: a test suite per target, which fails where the gate does
    Junit,
    /// One page that needs nothing else
    Html,
}

impl ReportFormat {
    /// All of them, in the order they are listed to people.
    pub const ALL: [Self; 6] =
        [Self::Table, Self::Json, Self::Markdown, Self::Csv, Self::Junit, Self::Html];

    /// The report in this format. Only the table uses `style`.
    pub fn render(self, report: &Report<'_>, style: TerminalStyle) -> io::Result<String> {
        self.pieces(report, style).collect()
    }

    /// The report in this format, piece by piece: formats that can be written target by target need not be in
    /// memory at once. Each piece ends with its line.
    pub(crate) fn pieces<'a>(self, report: &'a Report<'_>, style: TerminalStyle) -> Pieces<'a> {
        let whole = |text: io::Result<String>| -> Pieces<'a> { Box::new(iter::once(text)) };
        match self {
            Self::Table => whole(Ok(table::render(report, style))),
            Self::Json => whole(json::render(report)),
            Self::Markdown => Box::new(markdown::pieces(report).map(Ok)),
            Self::Csv => Box::new(csv::pieces(report)),
            Self::Junit => whole(junit::render(&report.targets(), report.gate)),
            Self::Html => whole(Ok(html::render(report))),
        }
    }
}

/// Changes alone as JUnit XML: a test suite for each target that changed.
pub fn changes_junit(changes: &Changes<'_>) -> io::Result<String> {
    junit::render(&[], Some(changes))
}

/// What a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Whether colour may be used.
    pub paint: Paint,
    /// How many columns there are.
    pub width: u16,
    /// How much is told of one target.
    pub detail: Detail,
}

/// How much is told of one target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Verdicts, plan, tier and settings: what fits on one screen.
    Brief,
    /// Everything.
    Full,
}

impl TerminalStyle {
    /// For a file or a pipe: no colour, and lines that fit any terminal.
    pub const PLAIN: Self = Self { paint: Paint::Plain, width: 80, detail: Detail::Full };
}

/// Whether colour may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// It may.
    Colored,
    /// It may not.
    Plain,
}
