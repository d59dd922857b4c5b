//! `toolprobe explain`: what a code means, and what to do.

use clap::Args;

use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::regress::{CodeKind, Explanation, ReplayRule, explain, explanations};
use crate::report::for_terminal;
use crate::suggest::did_you_mean;

/// Say what a code means, and what to do about it
///
/// Codes are those of changes between profiles, of what replays find, of
/// deviations from a protocol, and of calls in text that are none.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The code, such as call-format-lost; without one, all are listed
    code: Option<String>,
}

pub(super) fn run(args: &ExplainArgs, console: &Console) -> Result<Exit, CliError> {
    let Some(code) = &args.code else {
        let line = |known: &Explanation| format!("{:32} {}", known.code, known.meaning);
        let lines: Vec<String> = explanations().iter().map(line).collect();
        console.result(&lines.join("\n"))?;
        return Ok(Exit::Fine);
    };
    let found = explain(code);
    if found.is_empty() {
        return Err(unknown(code));
    }
    let texts: Vec<String> = found.iter().map(text).collect();
    console.result(&texts.join("\n\n"))?;
    Ok(Exit::Fine)
}

fn text(known: &Explanation) -> String {
    let kind = match known.kind {
        CodeKind::Change(class, severity) => format!("a change: {severity} {class}"),
        CodeKind::Defect => "a deviation from the protocol".to_owned(),
        CodeKind::Replay(severity) => {
            format!("found by a replay: {severity} {}", ReplayRule::CLASS)
        }
        CodeKind::Problem => "a problem with a call in text".to_owned(),
    };
    let Explanation { code, meaning, remedy, .. } = known;
    format!("{code} ({kind})\n\n  what it means: {meaning}\n  what to do:    {remedy}")
}

fn unknown(code: &str) -> CliError {
    let known = explanations();
    let hint = did_you_mean(code, known.iter().map(|known| known.code.as_str()));
    let hint = if hint.is_empty() { "; `toolprobe explain` lists all" } else { &hint };
    CliError::usage(format!("unknown code '{}'{hint}", for_terminal(code)))
}
