//! How is what was found shown to people and programs?
//!
//! - [`view`](self): what all formats show: targets, probes, cases, settings
//! - [`fleet`](self): the columns of a table of many targets
//! - [`table`](self), [`markdown`](self), [`html`](self): for people
//! - [`grid`]: plain rows
//! - [`json`](self), [`csv`](self), [`junit`](self): for programs
//! - [`metrics`](self): the seven numbers, as a table and as CSV
//! - [`changes`](self): what changed between two sets of profiles
//! - [`escape`](self): what a model wrote is hostile until it is escaped
//! - [`links`](self): where a page finds the evidence

mod changes;
mod csv;
mod escape;
mod fleet;
mod grid;
mod html;
mod json;
mod junit;
mod links;
mod markdown;
mod metrics;
mod table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod view;

pub use changes::{Changes, Entry, change_line, changes_markdown, changes_text};
pub use escape::for_terminal;
pub use grid::grid;
pub use links::EvidenceLinks;
pub use metrics::{metrics_csv, metrics_table};
pub use table::pairs;
pub use view::Report;

use std::io;

/// The forms a result can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people, on a terminal
    Table,
    /// For programs: the profile, or the run with its profiles
    Json,
    /// For pull requests and wikis
    Markdown,
    /// For spreadsheets: a row per probe and case
    Csv,
    /// For CI servers: a test suite per target
    Junit,
    /// One page that needs nothing else
    Html,
}

impl Format {
    /// All of them, in the order they are listed to people.
    pub const ALL: [Self; 6] =
        [Self::Table, Self::Json, Self::Markdown, Self::Csv, Self::Junit, Self::Html];

    /// The report in this form. `style` matters to the terminal alone.
    pub fn render(self, report: &Report<'_>, style: Style) -> io::Result<String> {
        match self {
            Self::Table => Ok(table::render(report, style)),
            Self::Json => json::render(report),
            Self::Markdown => Ok(markdown::render(report)),
            Self::Csv => csv::render(report),
            Self::Junit => Ok(junit::render(report)),
            Self::Html => Ok(html::render(report)),
        }
    }
}

/// What a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether colour may be used.
    pub paint: Paint,
    /// How many columns there are.
    pub width: u16,
}

impl Style {
    /// For what is no terminal: no colour, and lines that fit any.
    pub const PLAIN: Self = Self { paint: Paint::Plain, width: 80 };
}

/// Whether colour may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// It may.
    Colored,
    /// It may not.
    Plain,
}
