//! Do the README and `docs/` still say what is true?
//!
//! | file | holds |
//! |---|---|
//! | `pages` | the pages, and the code blocks in them |
//! | `session` | every `console` block is run, and prints what the page shows |
//! | `captures` | the output kept in `reports/sample` is what is printed today |
//! | `tables` | tables name everything that is in the registries and schemas |
//! | `links` | relative links and anchors lead somewhere |
//!
//! `ci/sample` runs these tests with `TOOLPROBE_SAMPLES=write`: captures and console blocks are then
//! written anew instead of compared.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a page that cannot be read is a failure"
)]

mod captures;
mod links;
mod pages;
mod session;
mod tables;

use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether samples are to be written instead of compared.
fn writing() -> bool {
    std::env::var("TOOLPROBE_SAMPLES").is_ok_and(|it| it == "write")
}

/// A command in an environment that is the same on every machine and every day.
fn reproducible(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    let binaries = Path::new(env!("CARGO_BIN_EXE_toolprobe")).parent().unwrap();
    command
        .env_clear()
        .env("PATH", format!("{}:{path}", binaries.display()))
        .env("SOURCE_DATE_EPOCH", "1763251200")
        .env("NO_COLOR", "1")
        .current_dir(folder);
    command
}

/// What toolprobe prints to standard output, whatever its exit code.
fn toolprobe(folder: &Path, arguments: &[&str]) -> String {
    let output = reproducible(env!("CARGO_BIN_EXE_toolprobe"), folder).args(arguments).output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}
