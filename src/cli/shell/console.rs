//! The console: standard output for results, standard error for people.
//!
//! Machine output goes to standard output, everything else to standard error.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use comfy_table::Table;

use super::error::CliError;
use super::output::for_output;
use crate::report::{Detail, Paint, TerminalStyle};
use crate::secret::scrub;

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
#[derive(Debug, Clone)]
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
    pub(crate) fn result(&self, text: &str) -> Result<(), CliError> {
        self.verbatim(&safe(text, self.paint()))
    }

    /// Writes to standard output what nobody but us wrote. A reader that went away has read enough: the
    /// command goes on, so that its exit code does not depend on who reads.
    #[expect(clippy::unused_self, reason = "the console owns the output streams")]
    pub(crate) fn verbatim(&self, text: &str) -> Result<(), CliError> {
        match write_result(text) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }

    /// Tells a person what is going on, unless they asked for quiet.
    pub(crate) fn note(&self, text: &str) {
        self.say(Loudness::Normal, text);
    }

    /// Tells what only `-v` asks for.
    pub(crate) fn detail(&self, text: &str) {
        self.say(Loudness::Verbose, text);
    }

    /// Says why the exit code is what it is, always.
    pub(crate) fn problem(&self, text: &str) {
        self.say(Loudness::Quiet, text);
    }

    /// Says what went wrong, always.
    pub(crate) fn error(&self, error: &CliError) {
        self.say(Loudness::Quiet, &format!("error: {}", error.chain()));
    }

    /// Writes a command of our own to the CI service. Nobody else's text is in it unescaped.
    #[expect(clippy::unused_self, reason = "the console owns the output streams")]
    pub(crate) fn workflow_command(&self, command: &str) {
        let _ = writeln!(io::stderr().lock(), "{}", scrub(command));
    }

    /// Whether somebody reads the questions and can answer them.
    #[expect(clippy::unused_self, reason = "the console owns the streams")]
    pub(crate) fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Shows a question, always, and gives the line that is typed; `None` at the end of the input.
    #[expect(clippy::unused_self, reason = "the console owns the streams")]
    pub(crate) fn ask(&self, question: &str) -> io::Result<Option<String>> {
        let mut err = io::stderr().lock();
        write!(err, "{}", safe(question, Paint::Plain))?;
        err.flush()?;
        let mut line = String::new();
        Ok((io::stdin().read_line(&mut line)? > 0).then_some(line))
    }

    /// Whether nothing but results and errors is wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.loudness == Loudness::Quiet
    }

    /// Whether every step is to be told.
    pub(crate) fn is_verbose(&self) -> bool {
        self.loudness >= Loudness::Verbose
    }

    /// Whether every exchange is to be shown.
    pub(crate) fn shows_exchanges(&self) -> bool {
        self.loudness == Loudness::Exchanges
    }

    /// Whether standard output may carry colour.
    fn has_color(&self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && io::stdout().is_terminal()
            }
        }
    }

    fn paint(&self) -> Paint {
        if self.has_color() { Paint::Colored } else { Paint::Plain }
    }

    /// What standard output can show.
    pub(crate) fn style(&self) -> TerminalStyle {
        let paint = self.paint();
        // Without a terminal its width is unknown.
        let width = Table::new().width().filter(|width| *width > 0);
        let width = width.unwrap_or(TerminalStyle::PLAIN.width);
        // What a person looks at fits on a screen; a file or a pipe gets everything.
        let is_brief = io::stdout().is_terminal() && !self.is_verbose();
        let detail = if is_brief { Detail::Brief } else { Detail::Full };
        TerminalStyle { paint, width, detail }
    }

    fn say(&self, at_least: Loudness, text: &str) {
        if self.loudness >= at_least {
            print_error(text);
        }
    }
}

fn write_result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes to standard error. One that is closed is not worth failing for.
pub(crate) fn print_error(text: &str) {
    let text = safe(text.trim_end_matches('\n'), Paint::Plain);
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Everything that is shown passes here: no secret, no control character and no command of a CI
/// system gets out.
fn safe(text: &str, paint: Paint) -> String {
    for_output(&scrub(text), paint).into_owned()
}
