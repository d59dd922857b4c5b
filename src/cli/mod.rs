//! What did the user ask for, and what is the exit code?
//!
//! One file per command; only this folder prints or turns errors into exit codes.

mod exit;

pub use exit::Exit;

use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
