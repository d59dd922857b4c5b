//! Errors of the store: why a file cannot be read or written, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use super::RunId;
use crate::ir::Digest;

/// Why a stored file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is not what its place says.
    #[error("{}:{line}:{column}: not a {what}: {problem}; {remedy}", path.display())]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What it should be.
        what: &'static str,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// A file was written by a newer toolprobe: it is neither read nor overwritten.
    #[error(
        "{} was written by a newer toolprobe ({field} {found}, this one writes {known}); it was \
         left as it is: update toolprobe",
        path.display()
    )]
    Newer {
        /// Which file.
        path: PathBuf,
        /// The field that says so.
        field: &'static str,
        /// Its version.
        found: u64,
        /// Ours.
        known: u32,
    },
    /// Two profiles in one folder are of the same target.
    #[error(
        "{} is of target '{target}', as {first} is; delete the one that does not belong there",
        path.display()
    )]
    SameTarget {
        /// The second of the two files.
        path: PathBuf,
        /// Whose profiles they are.
        target: String,
        /// The name of the first file.
        first: String,
    },
    /// A name that no folder of runs has.
    #[error("no run '{run}' in {}; `toolprobe run` makes one", reports.display())]
    NoSuchRun {
        /// The name that was asked for.
        run: String,
        /// Where runs are kept.
        reports: PathBuf,
    },
    /// Another program writes the run.
    #[error(
        "run {run} is still under way in {}; wait for it, or stop it",
        pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    Busy {
        /// The one that somebody else writes.
        run: RunId,
        /// The process, where that is known.
        pid: Option<u32>,
    },
    /// The folder of a run was deleted or replaced while it was written.
    #[error(
        "the folder {} vanished while the run was under way; what was asked is lost: run again",
        folder.display()
    )]
    Vanished {
        /// Where the run was kept.
        folder: PathBuf,
    },
    /// Evidence that a profile names is not there.
    #[error("no evidence {digest} in {}; it may have been cleaned up: run again", folder.display())]
    NoEvidence {
        /// Its address.
        digest: Digest,
        /// Where it should be.
        folder: PathBuf,
    },
    /// Evidence that is not what its name says.
    #[error(
        "{} does not hold what its name says; it was changed, cut short, or written by a newer \
         toolprobe: update toolprobe, or delete it and run again",
        path.display()
    )]
    Altered {
        /// Which file.
        path: PathBuf,
    },
}

impl StoreError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
