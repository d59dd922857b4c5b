//! `toolprobe assess`: stored evidence, judged again.

use std::path::PathBuf;

use clap::Args;

use super::args::output::PlainFormat;
use super::args::stored::find_run;
use super::replay::{offline, suite};
use super::shell::console::Console;
use super::shell::differences;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::replay::{Assessment, assess};
use crate::report::{for_terminal, plural};
use crate::store::ProfileFolder;

/// Judge the stored evidence of a run again, offline
///
/// For when the rules of judgement changed: nothing is asked again, and the
/// run's own files stay as they are. Exits 3 if requests are not in the
/// evidence, because what hangs on them has no verdict then.
#[derive(Debug, Args)]
pub(super) struct AssessArgs {
    /// The run's name or its folder [default: the latest run]
    #[arg(value_name = "RUN")]
    run: Option<String>,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    /// The folder of probe files that the run used, if not the built-in ones
    #[arg(long, value_name = "DIR")]
    probes: Option<PathBuf>,

    /// Write the new profiles to this folder
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,
}

/// Judges, and says what changed.
pub(super) fn run(args: &AssessArgs, console: &Console) -> Result<Exit, CliError> {
    let suite = suite(args.probes.as_deref())?;
    let run = find_run(args.run.as_deref(), &args.reports)?;
    let assessed = offline()?.block_on(assess(&run, &suite)).map_err(CliError::usage)?;
    if let Some(folder) = &args.into {
        let folder = ProfileFolder::new(folder);
        for it in &assessed {
            folder.write(&it.profile).map_err(CliError::usage)?;
        }
    }
    console.result(&match args.format {
        PlainFormat::Json => {
            serde_json::to_string_pretty(&assessed).map_err(CliError::inconclusive)?
        }
        PlainFormat::Table => assessed.iter().flat_map(lines).collect::<Vec<_>>().join("\n"),
    })?;
    Ok(print_outcome(&assessed, console))
}

fn lines(assessed: &Assessment) -> Vec<String> {
    let Assessment { target, unrecorded, changes, .. } = assessed;
    let target = for_terminal(target);
    let mut lines = match changes.len() {
        0 => vec![format!("✓ {target}: as before")],
        places => vec![format!("✗ {target}: {}", plural(places, "change"))],
    };
    if *unrecorded > 0 {
        lines.push(format!("  not in the evidence: {}", plural(*unrecorded, "request")));
    }
    lines.extend(differences::to_lines(changes).iter().map(|line| format!("    {line}")));
    lines
}

fn print_outcome(assessed: &[Assessment], console: &Console) -> Exit {
    let changed = assessed.iter().filter(|it| !it.changes.is_empty()).count();
    let profiles = plural(assessed.len(), "profile");
    console.note(&format!("{profiles} judged again, {changed} changed"));
    if assessed.iter().any(|it| it.unrecorded > 0) { Exit::Inconclusive } else { Exit::Fine }
}
