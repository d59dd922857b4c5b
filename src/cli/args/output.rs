//! The flags that say in which form a result is written, and where to.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::shell::console::Console;
use crate::cli::shell::error::CliError;
pub(crate) use crate::report::ReportFormat;
use crate::report::{Report, TerminalStyle};
use crate::store::{write_pieces, write_text};

/// The forms of a result that is not a report on targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// For people, on a terminal
    Table,
    /// For programs: the result and nothing else
    Json,
}

/// The flags that say how a result is shown.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// The form of the result
    #[arg(long, value_enum, default_value_t = ReportFormat::Table, value_name = "NAME")]
    format: ReportFormat,

    /// Write the result to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArgs {
    pub(crate) fn format(&self) -> ReportFormat {
        self.format
    }

    /// The file that the result goes to, if it goes to one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Writes a report in the form, and to the place, that was asked for.
    pub(crate) fn show(&self, console: &Console, report: &Report<'_>) -> Result<(), CliError> {
        let style = if self.output.is_some() { TerminalStyle::PLAIN } else { console.style() };
        let mut pieces = self.format().pieces(report, style);
        match &self.output {
            Some(path) => write_pieces(path, pieces).map_err(CliError::usage),
            None => pieces.try_for_each(|piece| console.result(&piece?)),
        }
    }

    /// Writes a result where it was asked for. A file appears whole or not at all.
    pub(crate) fn write(&self, console: &Console, text: &str) -> Result<(), CliError> {
        match &self.output {
            Some(path) => write_to(path, text),
            None => console.result(text),
        }
    }
}

/// Writes a file, which appears whole or not at all.
pub(crate) fn write_to(path: &Path, text: &str) -> Result<(), CliError> {
    let written = match text.strip_suffix('\n') {
        Some(_) => write_text(path, text),
        None => write_text(path, &format!("{text}\n")),
    };
    written.map_err(CliError::usage)
}
