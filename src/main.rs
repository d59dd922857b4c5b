//! The `toolprobe` binary: everything it does is decided in [`toolprobe::cli`].

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    toolprobe::cli::main()
}
