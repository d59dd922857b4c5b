//! `toolprobe diff`: what changed between two sets of profiles.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::output::write_to;
use super::args::stored::{EvidenceFiles, profiles_of};
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::ir::Digest;
use crate::regress::{Change, ChangeClass, Diff, diff};
use crate::report::{
    ChangeEntry, Changes, Paint, Report, ReportFormat, TerminalStyle, change_line,
    changes_code_quality, changes_html, changes_junit, changes_markdown, changes_sarif,
    changes_text, plural,
};

/// Compare two profiles, two runs, or a run and the snapshots
///
/// OLD and NEW are files, folders of profiles, or names or folders of runs.
/// Order of keys, times, words, ids and addresses of evidence are no change.
/// Exits 1 when something got worse, 3 when a verdict became inconclusive.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// What was
    old: String,

    /// What is
    new: String,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    #[command(flatten)]
    output: ChangesArgs,
}

/// The forms that changes can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ChangesFormat {
    /// For people, on a terminal or in a log
    Table,
    /// For programs: the changes and nothing else
    Json,
    /// For pull requests, within the size of a comment
    Markdown,
    /// For CI servers: it fails where the gate denies
    Junit,
    /// One page that needs nothing else
    Html,
    /// For code hosts, as findings of a scanner
    Sarif,
    /// For GitLab's merge requests
    CodeQuality,
}

/// The flags that say how changes are shown.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct ChangesArgs {
    /// The form of the result
    #[arg(long, value_enum, default_value_t = ChangesFormat::Table, value_name = "NAME")]
    format: ChangesFormat,

    /// Write the result to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ChangesArgs {
    /// Writes changes in the form that was asked for. `value` is what a program reads, `report` what
    /// else is known of the run that they are changes of.
    pub(super) fn show(
        &self,
        console: &Console,
        changes: &Changes<'_>,
        value: &impl serde::Serialize,
        report: Option<Report<'_>>,
    ) -> Result<(), CliError> {
        let of_run = |format: ReportFormat| {
            report.map(|report| format.render(&report.with_gate(changes), TerminalStyle::PLAIN))
        };
        let text = match self.format {
            ChangesFormat::Table => changes_text(changes, self.paint(console)),
            ChangesFormat::Markdown => changes_markdown(changes),
            ChangesFormat::Json => pretty(value)?,
            ChangesFormat::Sarif => pretty(&changes_sarif(changes))?,
            ChangesFormat::CodeQuality => pretty(&changes_code_quality(changes))?,
            ChangesFormat::Junit => {
                of_run(ReportFormat::Junit).unwrap_or_else(|| changes_junit(changes))?
            }
            ChangesFormat::Html => {
                of_run(ReportFormat::Html).unwrap_or_else(|| Ok(changes_html(changes)))?
            }
        };
        self.write(console, &text)
    }

    /// A file has no colour.
    fn paint(&self, console: &Console) -> Paint {
        if self.output.is_some() { Paint::Plain } else { console.style().paint }
    }

    /// Whether the result goes to a file.
    pub(super) fn is_to_file(&self) -> bool {
        self.output.is_some()
    }

    /// Whether a program reads it.
    pub(super) fn is_json(&self) -> bool {
        self.format == ChangesFormat::Json
    }

    /// Writes a text to where it was asked for.
    pub(super) fn write(&self, console: &Console, text: &str) -> Result<(), CliError> {
        match &self.output {
            Some(path) => write_to(path, text),
            None => console.result(text),
        }
    }
}

fn pretty(value: &impl serde::Serialize) -> Result<String, CliError> {
    serde_json::to_string_pretty(value).map_err(CliError::inconclusive)
}

/// Compares, and says what changed.
pub(super) fn run(args: &DiffArgs, console: &Console) -> Result<Exit, CliError> {
    let (old, new) =
        (profiles_of(&args.old, &args.reports)?, profiles_of(&args.new, &args.reports)?);
    let found = diff(&old, &new);
    let kept = EvidenceFiles::below(&args.reports);
    let evidence = |digest: &Digest| kept.address(digest);
    let changes = Changes::unjudged(heading(&found), &found.changes, &evidence);
    args.output.show(console, &changes, &found, None)?;
    Ok(exit(&found))
}

fn exit(found: &Diff) -> Exit {
    let open = |code: &str| code.ends_with("-inconclusive");
    if found.has_regression() {
        Exit::Failed
    } else if found.changes.iter().any(|change| open(change.code.as_str())) {
        Exit::Inconclusive
    } else {
        Exit::Fine
    }
}

fn heading(found: &Diff) -> String {
    let classes = [
        ChangeClass::Regression,
        ChangeClass::Missing,
        ChangeClass::Drift,
        ChangeClass::New,
        ChangeClass::Improvement,
    ];
    let count = |class: ChangeClass| {
        let count = found.changes.iter().filter(|change| change.class == class).count();
        (count > 0).then(|| format!("{count} {class}"))
    };
    let counts: Vec<String> = classes.into_iter().filter_map(count).collect();
    let counts = if counts.is_empty() { "no change".to_owned() } else { counts.join(", ") };
    format!("diff: {counts}; {} compared", targets(found.compared))
}

/// So many targets, in words.
pub(super) fn targets(count: usize) -> String {
    plural(count, "target")
}

/// A change in one line.
pub(super) fn summary(change: &Change) -> String {
    change_line(&ChangeEntry { change, ruling: None })
}
