//! JSON files that carry a version, and that another version may have written.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::StoreError;
use super::files::{self, Durability};

/// A kind of stored file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VersionedFile {
    /// What it is called in messages.
    pub(crate) what: &'static str,
    /// The field that holds the version.
    pub(crate) field: &'static str,
    /// The version this binary writes.
    pub(crate) version: u32,
}

impl VersionedFile {
    /// Reads a file. Fields that this binary does not know are passed over; a newer version is refused,
    /// because what the known fields mean may have changed.
    pub(crate) fn read<T: DeserializeOwned>(self, path: &Path) -> Result<T, StoreError> {
        let text = fs::read_to_string(path).map_err(StoreError::io("read", path))?;
        match leading_number(&text, self.field) {
            Some(version) => self.check_known(path, version)?,
            None => self.check_version(path, &text)?,
        }
        serde_json::from_str(&text).map_err(|error| {
            let advice = if error.is_data() { "restore it or run again" } else { remedy(&text) };
            self.malformed_error(path, &error, advice)
        })
    }

    /// Reads a file whose meaning matters in full; `None` where there is none.
    pub(crate) fn read_if_there<T: DeserializeOwned>(
        self,
        path: &Path,
    ) -> Result<Option<T>, StoreError> {
        files::read_text(path)?.map(|_| self.read(path)).transpose()
    }

    /// Waits until nobody else is between reading and writing a file, and keeps others out until the lock is dropped.
    pub(crate) fn lock(path: &Path) -> Result<fs::File, StoreError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        files::lock_file(&path.with_file_name(format!(".{name}.lock")))
    }

    /// Writes a file, unless what is there is newer or not ours.
    pub(crate) fn write(self, path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
        self.check_overwrite(path)?;
        let text = serde_json::to_string_pretty(value);
        let text = text.map_err(|error| StoreError::io("write", path)(io::Error::other(error)))?;
        files::write(path, format!("{text}\n").as_bytes(), Durability::Machine)
    }

    /// Refuses where what is there is newer or not ours.
    pub(super) fn check_overwrite(self, path: &Path) -> Result<(), StoreError> {
        files::read_text(path)?.map_or(Ok(()), |text| self.check_version(path, &text))
    }

    fn check_version(self, path: &Path, text: &str) -> Result<(), StoreError> {
        self.check_known(path, self.version_in(path, text)?)
    }

    fn check_known(self, path: &Path, found: u64) -> Result<(), StoreError> {
        if found <= u64::from(self.version) {
            return Ok(());
        }
        let (field, known) = (self.field, self.version);
        Err(StoreError::Newer { path: path.to_owned(), field, found, known })
    }

    /// The version that a text claims; a text without one is not our file.
    fn version_in(self, path: &Path, text: &str) -> Result<u64, StoreError> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| self.malformed_error(path, &error, remedy(text)))?;
        value.get(self.field).and_then(Value::as_u64).ok_or_else(|| StoreError::Malformed {
            path: path.to_owned(),
            line: 1,
            column: 1,
            what: self.what,
            problem: format!("it has no `{}`", self.field),
            remedy: "move it elsewhere if it is yours".to_owned(),
        })
    }

    fn malformed_error(self, path: &Path, error: &serde_json::Error, remedy: &str) -> StoreError {
        let text = error.to_string();
        // The message begins with the place already.
        let problem = text.split(" at line ").next().unwrap_or_default().to_owned();
        StoreError::Malformed {
            path: path.to_owned(),
            line: error.line().max(1),
            column: error.column().max(1),
            what: self.what,
            problem,
            remedy: remedy.to_owned(),
        }
    }
}

/// The number in the first field of a JSON text, where it has this name. Our own files begin with their
/// version, so that only those of others are read twice.
fn leading_number(text: &str, field: &str) -> Option<u64> {
    let first = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
    let value = first.strip_prefix(field)?.strip_prefix('"')?.trim_start().strip_prefix(':')?;
    let value = value.trim_start();
    let digits = value.get(..value.find([',', '}', '\n', ' '])?)?;
    digits.parse().ok()
}

/// What to do about a text that is not JSON: only one that began as ours can be worth restoring.
fn remedy(text: &str) -> &'static str {
    let text = text.trim_start();
    if text.is_empty() || text.starts_with('{') {
        "restore it or delete it"
    } else {
        "it never was one: name another file"
    }
}
