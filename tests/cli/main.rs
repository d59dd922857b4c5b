//! Does the program say and return what it promises? One module per command.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

mod accept;
mod adapter;
mod assess;
mod audit;
mod budget;
mod ci;
mod claims;
mod completions;
mod confirm;
mod disarm;
mod doctor;
mod drift;
mod files;
mod gate;
mod init;
mod kit;
mod limits;
mod list;
mod merge;
mod metrics;
mod mistakes;
mod parse;
mod place;
mod plan;
mod probe;
mod prune;
mod recordings;
mod replay;
mod report;
mod rollout;
mod run;
mod schema;
mod secrets;
mod show;
mod sim;
mod status;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

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

/// The simulated models behind a server that ends with the test.
struct Sim {
    child: Child,
    url: String,
}

impl Sim {
    fn start() -> Self {
        Self::with(&[])
    }

    /// The models of a folder.
    fn of_folder(models: &Path) -> Self {
        Self::with(&["--models", models.to_str().expect("UTF-8")])
    }

    fn with(args: &[&str]) -> Self {
        let mut command = toolprobe(&[&["sim", "--addr", "127.0.0.1:0"], args].concat());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut url = String::new();
        let out = child.stdout.as_mut().expect("it is piped");
        BufReader::new(out).read_line(&mut url).expect("the first line");
        Self { child, url: url.trim_end().to_owned() }
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        // One that has ended by itself needs no ending.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of the only run that is kept here.
fn only_run(reports: &Path) -> PathBuf {
    let entries = std::fs::read_dir(reports).expect("a folder of runs");
    let mut paths = entries.map(|entry| entry.expect("an entry").path());
    paths.find(|path| path.is_dir()).expect("a run")
}
