//! Contents of a journal file: read by its index, or line by line without one.
//!
//! A journal that was closed ends with an index and a last line that says where the index begins. One
//! that was broken off has none, and its last line may be torn: a line without its end does not count.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::line::Line;
use crate::ir::Digest;
use crate::transport::{Exchange, RequestKey, Spent};

/// How much of the end of a file is read to find its last line.
const TAIL: u64 = 64;

/// Where the exchanges of a file begin, and what was spent.
#[derive(Debug, Default)]
pub(in crate::store) struct Contents {
    /// Where each exchange begins, by the digits of its digest.
    pub(in crate::store) at: BTreeMap<String, u64>,
    pub(super) spent: Spent,
    /// The length of the file without a torn line.
    pub(super) end: u64,
}

/// The answers that a resumed run need not ask for: where they begin, in the order they came.
pub(super) type Answers = HashMap<RequestKey, VecDeque<u64>>;

impl Contents {
    /// Reads the index; without one, all lines; without a file, nothing.
    pub(in crate::store) fn read(path: &Path) -> io::Result<Self> {
        let Some(mut file) = open(path)? else { return Ok(Self::default()) };
        if let Some(indexed) = read_index(&mut file)? {
            return Ok(indexed);
        }
        let mut found = Self::default();
        let end = for_each_line(&mut file, |at, line| found.add(at, line))?;
        found.end = end;
        Ok(found)
    }

    fn add(&mut self, at: u64, line: Option<Line<'_>>) {
        // A line that cannot be read was altered; the others still count.
        let Some(line) = line else { return };
        match line {
            Line::Reserved(most) => self.spent = self.spent.plus(most),
            Line::Settled { reserved, used } => {
                self.spent = self.spent.without(reserved.tokens()).plus(used);
            }
            Line::Exchange(stored) => {
                self.at.entry(stored.digest.hex()).or_insert(at);
            }
            Line::Begin { .. }
            | Line::Recalled(_)
            | Line::Index { .. }
            | Line::IndexAt(_)
            | Line::Unknown => {}
        }
    }
}

/// The answers in a file.
pub(super) fn read_answers(path: &Path) -> io::Result<Answers> {
    let mut answers = Answers::new();
    let Some(mut file) = open(path)? else { return Ok(answers) };
    for_each_line(&mut file, |at, line| {
        if let Some(Line::Exchange(stored)) = line
            && stored.is_answered()
            && let Some(key) = stored.key()
        {
            answers.entry(key).or_default().push_back(at);
        }
    })?;
    Ok(answers)
}

/// All exchanges of a file, in the order they ended; `None` where one of them was altered.
pub(in crate::store) fn read_exchanges(path: &Path) -> io::Result<Option<Vec<Exchange>>> {
    let mut exchanges = Vec::new();
    let Some(mut file) = open(path)? else { return Ok(Some(Vec::new())) };
    for_each_line(&mut file, |_, line| match line {
        Some(Line::Exchange(stored)) => exchanges.push(stored.read()),
        Some(_) => {}
        None => exchanges.push(None),
    })?;
    Ok(exchanges.into_iter().collect())
}

/// The exchange that begins here; `None` where there is another one, or an altered one.
pub(in crate::store) fn read_at(
    path: &Path,
    at: u64,
    digest: Option<&Digest>,
) -> io::Result<Option<Exchange>> {
    let mut file = BufReader::new(File::open(path)?);
    file.seek(SeekFrom::Start(at))?;
    let mut line = Vec::new();
    file.read_until(b'\n', &mut line)?;
    Ok(match serde_json::from_slice(&line) {
        Ok(Line::Exchange(stored)) if digest.is_none_or(|it| *it == stored.digest) => stored.read(),
        _ => None,
    })
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The index at the end of a file that was closed.
fn read_index(file: &mut File) -> io::Result<Option<Contents>> {
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    let Some(last) = tail.strip_suffix(b"\n") else { return Ok(None) };
    let last = last.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(Line::IndexAt(at)) = serde_json::from_slice(last) else { return Ok(None) };
    file.seek(SeekFrom::Start(at))?;
    let mut line = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut line)?;
    Ok(match serde_json::from_slice(&line) {
        Ok(Line::Index { at, spent }) => Some(Contents { at, spent, end }),
        _ => None,
    })
}

/// Passes every whole line, or that it cannot be read, and where it begins. Gives where the last of
/// them ends.
fn for_each_line(file: &mut File, mut each: impl FnMut(u64, Option<Line<'_>>)) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(file);
    let (mut at, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(at);
        }
        each(at, serde_json::from_slice(&line).ok());
        at += u64::try_from(length).unwrap_or(u64::MAX);
    }
}
