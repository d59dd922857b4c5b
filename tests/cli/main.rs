//! Does the program say and return what it promises? One module per command.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod metrics;
mod parse;
mod run;
mod sim;
mod status;

use std::process::{Command, Output};

/// The program with nothing of the caller's environment.
fn toolprobe(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolprobe"));
    command.args(args).env_clear();
    command
}

/// Exit code, standard output and standard error of a finished program.
fn finished(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}
