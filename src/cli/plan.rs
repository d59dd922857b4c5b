//! `toolprobe plan`: what an adapter must do about what was found.

use std::path::PathBuf;

use clap::Args;

use super::args::output::{PlainFormat, write_to};
use super::args::stored::{NamedProfiles, profiles_named};
use super::shell::console::Console;
use super::shell::error::CliError;
use super::shell::exit::Exit;
use crate::adapt::exports::Export;
use crate::adapt::plan::Plan;
use crate::profile::Profile;
use crate::report::plan_table;

/// Say what an adapter must do about a model
///
/// NAME is a profile, a folder of profiles, a run, or a target whose profile is
/// in --profiles. Each correction names the results that call for it and
/// disappears with them; a well-behaved model needs none.
#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// The profile, run or target
    #[arg(value_name = "PROFILE|RUN|TARGET")]
    name: String,

    /// Where profiles of targets are
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    profiles: PathBuf,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,

    /// Print the settings that this program reads instead
    #[arg(long = "for", value_enum, value_name = "PROGRAM", conflicts_with = "format")]
    program: Option<Export>,

    /// The form of the result
    #[arg(long, value_enum, default_value_t = PlainFormat::Table, value_name = "NAME")]
    format: PlainFormat,

    /// Write the result to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &PlanArgs, console: &Console) -> Result<Exit, CliError> {
    let found = profiles_named(&args.name, &args.profiles, &args.reports)?;
    if matches!(&found, NamedProfiles::Many(profiles) if profiles.is_empty()) {
        return Err(CliError::usage(format!("there is no profile in '{}'", args.name)));
    }
    if let Some(program) = args.program {
        let text = match &found {
            NamedProfiles::One(profile) => program.render(profile),
            NamedProfiles::Many(profiles) => {
                profiles.iter().map(|it| program.render(it)).collect::<Vec<_>>().join("\n")
            }
        };
        return write(args, &text, console);
    }
    let text = match (args.format, found) {
        (PlainFormat::Json, NamedProfiles::One(profile)) => to_json(&Plan::of(&profile))?,
        (PlainFormat::Json, NamedProfiles::Many(profiles)) => {
            to_json(&profiles.iter().map(Plan::of).collect::<Vec<_>>())?
        }
        (PlainFormat::Table, NamedProfiles::One(profile)) => table(&profile, console),
        (PlainFormat::Table, NamedProfiles::Many(profiles)) => {
            profiles.iter().map(|it| table(it, console)).collect::<Vec<_>>().join("\n")
        }
    };
    write(args, &text, console)
}

fn write(args: &PlanArgs, text: &str, console: &Console) -> Result<Exit, CliError> {
    match &args.output {
        Some(path) => write_to(path, text)?,
        None => console.result(text)?,
    }
    Ok(Exit::Fine)
}

fn table(profile: &Profile, console: &Console) -> String {
    plan_table(&profile.subject, &Plan::of(profile).corrections, console.style())
}

fn to_json(value: &(impl serde::Serialize + ?Sized)) -> Result<String, CliError> {
    serde_json::to_string_pretty(value).map_err(CliError::inconclusive)
}
