//! The journal of a target: one file that its exchanges are added to as they happen.
//!
//! ```text
//! {"begin":{"journalVersion":1,"target":"acme"}}
//! {"reserved":{"requests":1,"promptTokens":1500,"completionTokens":8192}}   before every attempt
//! {"exchange":{"digest":…,"answered":true,"times":…,"record":{…}}}
//! {"settled":{"reserved":{…},"used":{"requests":0,"promptTokens":91,"completionTokens":17}}}
//! {"recalled":49}                         a resumed run took the answer that begins there
//! {"index":{"at":{"0783…":49},"spent":…}} when the target is done with
//! {"indexAt":5120}
//! ```
//!
//! Nothing that was written is ever changed. Each line is one write, so that the end of a process loses
//! at most what was under way.
//!
//! - `line`: the lines; `contents`: what a file holds

mod contents;
mod line;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) use contents::{Contents, read_at, read_exchanges};
pub(crate) use line::JOURNAL_VERSION;

use contents::{Answers, read_answers};
use line::{Line, exchange_line};

use super::StoreError;
use crate::ir::Digest;
use crate::transport::{
    Exchange, Journal, RequestKey, SentRequest, Spent, Standing, TokenCount, TransportError,
};

/// The journal of one target.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    target: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// While something is being added.
    open: Option<OpenFile>,
    answers: Recall,
    /// Why something could not be written.
    problem: Option<StoreError>,
}

/// The answers that an earlier process kept.
#[derive(Debug, Default)]
enum Recall {
    /// There are none, or none any more.
    #[default]
    Nothing,
    /// There may be some in the file.
    Unread,
    Read(Answers),
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    contents: Contents,
}

impl JournalFile {
    /// A journal that begins. Its file is made with the first line.
    pub(super) fn begin(path: PathBuf, target: &str) -> Self {
        Self { path, target: target.to_owned(), state: Mutex::default() }
    }

    /// A journal that goes on, and gives back what it holds.
    pub(super) fn resume(path: PathBuf, target: &str) -> Self {
        let state = State { answers: Recall::Unread, ..State::default() };
        Self { path, target: target.to_owned(), state: Mutex::new(state) }
    }

    /// What was spent so far.
    pub fn spent(&self) -> Result<Spent, StoreError> {
        if let Some(open) = &self.state().open {
            return Ok(open.contents.spent);
        }
        let contents = Contents::read(&self.path).map_err(StoreError::io("read", &self.path))?;
        Ok(contents.spent)
    }

    /// Writes the index and closes the file. Tells what could not be written since it was opened.
    pub fn close(&self) -> Result<(), StoreError> {
        let mut state = self.state();
        if let Some(problem) = state.problem.take() {
            return Err(problem);
        }
        let Some(open) = state.open.take() else { return Ok(()) };
        open.close(&self.path).map_err(StoreError::io("write", &self.path))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the open file. The first failure is kept until the file is closed.
    fn write(
        &self,
        action: impl FnOnce(&mut OpenFile) -> io::Result<()>,
    ) -> Result<(), TransportError> {
        let mut state = self.state();
        let written = match &mut state.open {
            Some(open) => action(open),
            closed => OpenFile::open(&self.path, &self.target)
                .and_then(|open| action(closed.insert(open))),
        };
        written.map_err(|error| {
            let detail = format!("the journal {} cannot be written: {error}", self.path.display());
            state.problem.get_or_insert(StoreError::io("write", &self.path)(error));
            TransportError::Other { detail }
        })
    }

    fn recall_next(&self, request: &SentRequest) -> io::Result<Option<Exchange>> {
        let at = {
            let mut state = self.state();
            if let Recall::Unread = state.answers {
                state.answers = Recall::Read(read_answers(&self.path)?);
            }
            let Recall::Read(answers) = &mut state.answers else { return Ok(None) };
            let key = RequestKey::of(request);
            let Some(known) = answers.get_mut(&key) else { return Ok(None) };
            let at = known.pop_front();
            if known.is_empty() {
                answers.remove(&key);
            }
            at
        };
        let Some(at) = at else { return Ok(None) };
        let known = read_at(&self.path, at, None)?;
        if known.is_some() {
            // What cannot be written is told when the file is closed.
            let _ = self.write(|open| open.append(&Line::Recalled(at).to_bytes()?));
        }
        Ok(known)
    }
}

impl Journal for JournalFile {
    fn reserve(&self, most: TokenCount) -> Result<(), TransportError> {
        self.write(|open| {
            let reserved = Spent { requests: 1, ..Spent::from(most) };
            open.contents.spent = open.contents.spent.plus(reserved);
            open.append(&Line::Reserved(reserved).to_bytes()?)
        })
    }

    fn settle(&self, most: TokenCount, used: TokenCount) {
        // What cannot be written is told when the file is closed.
        let _ = self.write(|open| {
            let (reserved, used) = (Spent::from(most), Spent::from(used));
            open.contents.spent = open.contents.spent.without(most).plus(used);
            open.append(&Line::Settled { reserved, used }.to_bytes()?)
        });
    }

    fn keep(&self, exchange: &mut Exchange, standing: Standing) {
        let line = exchange_line(exchange, standing);
        let kept = self.write(|open| {
            let (digest, line) = line?;
            let at = open.contents.end;
            open.append(&line)?;
            open.contents.at.entry(digest.hex()).or_insert(at);
            exchange.kept = Some(digest);
            Ok(())
        });
        // What cannot be written stays in memory, and is told when the file is closed.
        let _ = kept;
    }

    fn holds_answers(&self) -> bool {
        match &self.state().answers {
            Recall::Nothing => false,
            Recall::Unread => true,
            Recall::Read(answers) => !answers.is_empty(),
        }
    }

    fn recall(&self, request: &SentRequest) -> Option<Exchange> {
        // What cannot be read is asked again.
        self.recall_next(request).ok().flatten()
    }
}

impl OpenFile {
    /// Opens a file to add to it. A torn line at its end is cut off.
    fn open(path: &Path, target: &str) -> io::Result<Self> {
        make_folder(path)?;
        let contents = Contents::read(path)?;
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(contents.end)?;
        let mut open = Self { file, contents };
        if open.contents.end == 0 {
            let (journal_version, target) = (JOURNAL_VERSION, target.into());
            open.append(&Line::Begin { journal_version, target }.to_bytes()?)?;
        }
        Ok(open)
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.write_all(line)?;
        self.contents.end += u64::try_from(line.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    fn close(mut self, path: &Path) -> io::Result<()> {
        let at = std::mem::take(&mut self.contents.at);
        let index_at = self.contents.end;
        self.append(&Line::Index { at, spent: self.contents.spent }.to_bytes()?)?;
        self.append(&Line::IndexAt(index_at).to_bytes()?)?;
        self.file.sync_data()?;
        // A file that was deleted can still be written to.
        fs::metadata(path).map(|_| ())
    }
}

/// Makes the folder of evidence in the folder of a run, but not the latter: one that vanished must
/// not come back with holes.
fn make_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The name of a target's journal: readable, and different for different names.
pub(super) fn file_name(target: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let readable: String =
        target.chars().take(READABLE).map(|c| plain(c.to_ascii_lowercase())).collect();
    let readable = readable.trim_start_matches('.');
    let is_exact = readable == target && !readable.is_empty();
    if is_exact {
        return format!("{readable}{ENDING}");
    }
    let hash: String = Digest::of(target).hex().chars().take(HASH_DIGITS).collect();
    format!("{readable}~{hash}{ENDING}")
}

/// The most characters of a target's name that its file's name begins with.
const READABLE: usize = 60;

/// What tells names apart that read the same.
const HASH_DIGITS: usize = 8;

/// How the names of journals end.
pub(super) const ENDING: &str = ".jsonl";

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
