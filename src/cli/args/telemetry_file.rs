//! Files of telemetry that the command line names.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::cli::shell::error::CliError;
use crate::telemetry::{TurnEvent, read_lines};

/// The turns of all files; `-` is standard input.
pub(crate) fn read_events(files: &[PathBuf]) -> Result<Vec<TurnEvent>, CliError> {
    let mut events = Vec::new();
    for path in files {
        let text = read(path)
            .map_err(|error| CliError::usage(format!("cannot read {}: {error}", path.display())))?;
        let remedy = "`toolprobe schema telemetry` says what a line may hold";
        let read = read_lines(&text)
            .map_err(|bad| CliError::usage(format!("{}: {bad}; {remedy}", path.display())))?;
        events.extend(read);
    }
    Ok(events)
}

fn read(path: &Path) -> std::io::Result<String> {
    if path.as_os_str() != "-" {
        return fs::read_to_string(path);
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}
