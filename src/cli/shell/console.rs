//! The console: standard output for results, standard error for people.
//!
//! Machine output goes to standard output, everything else to standard error.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use comfy_table::Table;

use super::error::CliError;
use crate::report::{Paint, TerminalStyle};

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Loudness {
    Quiet,
    Normal,
    Verbose,
    Exchanges,
}

/// The two output streams and what may be written to them.
#[derive(Debug)]
pub(crate) struct Console {
    color: Color,
    loudness: Loudness,
}

impl Console {
    pub(crate) fn new(color: Color, quiet: bool, verbose: u8) -> Self {
        let loudness = match (quiet, verbose) {
            (true, _) => Loudness::Quiet,
            (false, 0) => Loudness::Normal,
            (false, 1) => Loudness::Verbose,
            (false, _) => Loudness::Exchanges,
        };
        Self { color, loudness }
    }

    /// Writes a result to standard output.
    #[expect(clippy::unused_self, reason = "the console owns the output streams")]
    pub(crate) fn result(&self, text: &str) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    }

    /// Tells a person what is going on, unless they asked for quiet.
    pub(crate) fn note(&self, text: &str) {
        self.say(Loudness::Normal, text);
    }

    /// Tells what only `-v` asks for.
    pub(crate) fn detail(&self, text: &str) {
        self.say(Loudness::Verbose, text);
    }

    /// Says what went wrong, always.
    pub(crate) fn error(&self, error: &CliError) {
        self.say(Loudness::Quiet, &format!("error: {}", error.chain()));
    }

    /// Whether nothing but results and errors is wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.loudness == Loudness::Quiet
    }

    /// Whether every step is to be told.
    pub(crate) fn is_verbose(&self) -> bool {
        self.loudness >= Loudness::Verbose
    }

    /// Whether standard output may carry colour.
    fn colored(&self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && io::stdout().is_terminal()
            }
        }
    }

    /// What standard output can show.
    pub(crate) fn style(&self) -> TerminalStyle {
        let paint = if self.colored() { Paint::Colored } else { Paint::Plain };
        // Nothing is known of what is no terminal.
        let width = Table::new().width().unwrap_or(TerminalStyle::PLAIN.width);
        TerminalStyle { paint, width }
    }

    /// A closed standard error is not worth failing for.
    fn say(&self, at_least: Loudness, text: &str) {
        if self.loudness >= at_least {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }
}
