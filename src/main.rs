//! The `toolprobe` binary: everything it does is decided in [`toolprobe::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    toolprobe::cli::main()
}
