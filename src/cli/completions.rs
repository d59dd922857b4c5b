//! `toolprobe completions`: what a shell must know to complete our commands.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use super::CliError;
use super::Exit;
use super::shell::console::Console;

/// Print shell completions
///
/// For bash: toolprobe completions bash > ~/.local/share/bash-completion/completions/toolprobe
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(
    args: &CompletionsArgs,
    mut program: Command,
    console: &Console,
) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    generate(args.shell, &mut program, "toolprobe", &mut script);
    console.verbatim(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
