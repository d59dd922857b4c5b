//! `toolprobe init`: write a configuration to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::Args;

use super::CliError;
use super::Exit;
use super::shell::console::Console;
use crate::target::STARTER;

/// Write a configuration to start from
///
/// Everything in it is explained and commented out: without a target,
/// `toolprobe run` probes the simulated models.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Where to
    #[arg(value_name = "FILE", default_value = "toolprobe.toml")]
    file: PathBuf,

    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &InitArgs, console: &Console) -> Result<Exit, CliError> {
    let mut options = OpenOptions::new();
    options.write(true);
    if args.force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let path = args.file.display();
    let mut file = options.open(&args.file).map_err(|error| {
        CliError::usage(match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("{path} is there already and was left as it is; --force writes over it")
            }
            _ => format!("cannot write {path}: {error}"),
        })
    })?;
    file.write_all(STARTER.as_bytes())?;
    console.note(&format!(
        "wrote {path}; name a target in it, then `toolprobe doctor` and `toolprobe run`"
    ));
    Ok(Exit::Fine)
}
