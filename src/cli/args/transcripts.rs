//! Transcript files: those of a folder, in the order of their names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::shell::error::CliError;
use crate::replay::Transcript;

/// The transcript files of a folder.
pub(crate) fn transcript_files(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let failed = |error| CliError::usage(format!("cannot list {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    if files.is_empty() {
        let folder = folder.display();
        return Err(CliError::usage(format!(
            "no transcripts (*.json) in {folder}; `toolprobe record` makes them"
        )));
    }
    files.sort();
    Ok(files)
}

/// The transcripts of a folder, or the one in a file.
pub(crate) fn read_transcripts(path: &Path) -> Result<Vec<Transcript>, CliError> {
    let files = if path.is_dir() { transcript_files(path)? } else { vec![path.to_owned()] };
    files.iter().map(|file| Transcript::read(file).map_err(CliError::usage)).collect()
}
