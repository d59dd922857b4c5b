//! CSV files that rows are added to, run by run.
//!
//! A row that a crash cut short is not read, and is removed before the next rows are added.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::files::{self, Durability};
use super::{HISTORY_VERSION, RunId, StoreError};
use crate::secret::scrub;

/// The column that holds the version of a row.
const VERSION: &str = "historyVersion";

/// The rows of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rows<T> {
    /// The complete ones, oldest first.
    pub rows: Vec<T>,
    /// The last line, where a crash cut it short.
    pub cut: Option<String>,
}

/// Adds rows in one write. Returns the incomplete line that was removed first, if there was one.
pub(super) fn append<T: Serialize>(path: &Path, rows: &[T]) -> Result<Option<String>, StoreError> {
    let text = csv_text(rows).map_err(StoreError::io("write", path))?;
    let text = scrub(&text);
    let Some((head, lines)) = text.split_once('\n') else { return Ok(None) };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(StoreError::io("create the folder", folder))?;
    let (known, cut) = read_whole_lines(path)?;
    check_version(path, &known)?;
    match known.lines().next() {
        Some(line) if line != head => return Err(other_columns(path, head)),
        _ => {}
    }
    let failed = || StoreError::io("write", path);
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed())?;
    if cut.is_some() {
        let whole = u64::try_from(known.len()).unwrap_or(u64::MAX);
        file.set_len(whole).map_err(failed())?;
    }
    let added = if known.is_empty() { text.as_ref() } else { lines };
    file.write_all(added.as_bytes()).map_err(failed())?;
    file.sync_data().map_err(failed())?;
    Ok(cut)
}

/// Writes a file again without the rows of one run, if it has any.
pub(super) fn remove_run(path: &Path, run: &RunId) -> Result<(), StoreError> {
    let (text, _) = read_whole_lines(path)?;
    if !text.contains(run.as_str()) {
        return Ok(());
    }
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = reader.headers().map_err(|error| malformed_row(path, &error))?;
    let Some(at) = at.iter().position(|name| name == "run") else { return Ok(()) };
    let mut kept = reader.headers().map(|it| vec![it.clone()]).unwrap_or_default();
    let mut found = false;
    for record in reader.into_records() {
        let record = record.map_err(|error| malformed_row(path, &error))?;
        let is_of_run = record.get(at) == Some(run.as_str());
        found |= is_of_run;
        kept.extend((!is_of_run).then_some(record));
    }
    if !found {
        return Ok(());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = kept.iter().try_for_each(|record| writer.write_record(record));
    written.map_err(|error| malformed_row(path, &error))?;
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()));
    files::write(path, &bytes.map_err(StoreError::io("write", path))?, Durability::Machine)
}

fn csv_text<T: Serialize>(rows: &[T]) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// All complete rows of a file; none where there is no file.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Rows<T>, StoreError> {
    let (text, cut) = read_whole_lines(path)?;
    check_version(path, &text)?;
    let rows = csv::Reader::from_reader(text.as_bytes())
        .into_deserialize()
        .collect::<Result<Vec<T>, csv::Error>>()
        .map_err(|error| malformed_row(path, &error))?;
    Ok(Rows { rows, cut })
}

/// The text up to its last line end, and the incomplete line after it.
fn read_whole_lines(path: &Path) -> Result<(String, Option<String>), StoreError> {
    let mut text = files::read_text(path)?.unwrap_or_default();
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    let cut = text.split_off(end);
    Ok((text, (!cut.is_empty()).then_some(cut)))
}

/// Refuses rows of a newer version: what their columns mean may have changed.
fn check_version(path: &Path, text: &str) -> Result<(), StoreError> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let at = reader.headers().ok().and_then(|names| names.iter().position(|it| it == VERSION));
    let Some(at) = at else { return Ok(()) };
    let versions = reader.records().flatten().filter_map(|row| row.get(at)?.parse::<u64>().ok());
    let Some(found) = versions.max().filter(|found| *found > u64::from(HISTORY_VERSION)) else {
        return Ok(());
    };
    let (path, field, known) = (path.to_owned(), VERSION, HISTORY_VERSION);
    Err(StoreError::Newer { path, field, found, known })
}

fn other_columns(path: &Path, head: &str) -> StoreError {
    StoreError::Malformed {
        path: path.to_owned(),
        line: 1,
        column: 1,
        what: "history",
        problem: format!("its columns are not those that this toolprobe adds to ({head})"),
        remedy: "update toolprobe, or move the file elsewhere to begin a new one".to_owned(),
    }
}

fn malformed_row(path: &Path, error: &csv::Error) -> StoreError {
    let line = error.position().map_or(1, csv::Position::line);
    let problem = match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
        _ => error.to_string(),
    };
    StoreError::Malformed {
        path: path.to_owned(),
        line: usize::try_from(line).unwrap_or(usize::MAX),
        column: 1,
        what: "history",
        problem,
        remedy: "correct the line, update toolprobe if a newer one wrote it, or move the file \
                 elsewhere to begin a new one"
            .to_owned(),
    }
}
