//! In which form, and where to, does a result go?

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::console::Console;
use super::error::CliError;

/// The forms a result can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people, on a terminal
    Table,
    /// For programs: the result and nothing else
    Json,
}

/// The flags that say how a result is shown.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArgs {
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Write the result to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArgs {
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// Writes a result where it was asked for. A file appears whole or not at all.
    pub(super) fn write(&self, console: &Console, text: &str) -> Result<(), CliError> {
        let Some(path) = &self.output else { return console.result(text) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let failed = |error: std::io::Error| {
            CliError::usage(format!("cannot write {}: {error}", path.display()))
        };
        let mut file = match folder {
            Some(folder) => tempfile::NamedTempFile::new_in(folder),
            None => tempfile::NamedTempFile::new_in("."),
        }
        .map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        if !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}
