//! Evidence: the exchanges that results rest on, by their digest.
//!
//! Each target has one file, its journal; an index at its end says where each exchange begins.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::journal::{Contents, ENDING, JournalFile, file_name, read_at, read_exchanges};
use super::{StoreError, files};
use crate::ir::Digest;
use crate::transport::Exchange;

/// How many digits of a digest are looked up.
const LOOKED_UP: usize = 16;

/// The folder of evidence.
#[derive(Debug)]
pub struct Evidence {
    folder: PathBuf,
    places: OnceLock<EvidenceIndex>,
}

/// Where every exchange begins.
#[derive(Debug, Default)]
struct EvidenceIndex {
    files: Vec<String>,
    /// The beginning of a digest as a number, the file, and where in it; in order.
    sorted: Vec<(u64, usize, u64)>,
}

impl Evidence {
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self { folder, places: OnceLock::new() }
    }

    /// The journal of a target that is about to be asked.
    pub fn begin(&self, target: &str) -> JournalFile {
        JournalFile::begin(self.path_of(target), target)
    }

    /// The journal of a target that is asked only what it does not hold.
    pub fn resume(&self, target: &str) -> JournalFile {
        JournalFile::resume(self.path_of(target), target)
    }

    /// The exchange at an address. Altered ones are found out.
    pub fn get(&self, digest: &Digest) -> Result<Exchange, StoreError> {
        let (name, at) = self.place(digest)?.ok_or_else(|| self.missing(digest))?;
        let path = self.folder.join(name);
        let found = read_at(&path, at, Some(digest)).map_err(StoreError::io("read", &path))?;
        found.ok_or(StoreError::Altered { path })
    }

    /// All exchanges with a target, in the order they ended.
    pub fn of_target(&self, target: &str) -> Result<Vec<Exchange>, StoreError> {
        let path = self.path_of(target);
        let found = read_exchanges(&path).map_err(StoreError::io("read", &path))?;
        found.ok_or(StoreError::Altered { path })
    }

    /// The addresses that begin with these hexadecimal digits.
    pub fn starting_with(&self, digits: &str) -> Result<Vec<Digest>, StoreError> {
        let mut found = Vec::new();
        for name in self.names()? {
            let path = self.folder.join(&name);
            let contents = Contents::read(&path).map_err(StoreError::io("read", &path))?;
            let fits = contents.at.range(digits.to_owned()..).map(|(hex, _)| hex);
            let fits = fits.take_while(|hex| hex.starts_with(digits));
            found.extend(fits.filter_map(|hex| Digest::from_hex(hex)));
        }
        Ok(found)
    }

    /// Whether there is an exchange at an address.
    pub fn contains(&self, digest: &Digest) -> bool {
        self.file_name(digest).is_some()
    }

    /// The name of the file that holds the exchange at an address; `None` where there is none.
    pub fn file_name(&self, digest: &Digest) -> Option<String> {
        Some(self.place(digest).ok()??.0.to_owned())
    }

    fn place(&self, digest: &Digest) -> Result<Option<(&str, u64)>, StoreError> {
        let places = if let Some(places) = self.places.get() {
            places
        } else {
            let read = self.read_places()?;
            self.places.get_or_init(|| read)
        };
        let Some(key) = key_of(&digest.hex()) else { return Ok(None) };
        let found = places.sorted.partition_point(|(known, ..)| *known < key);
        let found = places.sorted.get(found).filter(|(known, ..)| *known == key);
        Ok(found.and_then(|(_, file, at)| Some((places.files.get(*file)?.as_str(), *at))))
    }

    fn read_places(&self) -> Result<EvidenceIndex, StoreError> {
        let mut places = EvidenceIndex::default();
        for name in self.names()? {
            let path = self.folder.join(&name);
            let contents = Contents::read(&path).map_err(StoreError::io("read", &path))?;
            let file = places.files.len();
            let found = contents.at.iter().filter_map(|(hex, at)| Some((key_of(hex)?, file, *at)));
            places.sorted.extend(found);
            places.files.push(name);
        }
        places.sorted.sort_unstable();
        Ok(places)
    }

    fn names(&self) -> Result<Vec<String>, StoreError> {
        let mut names = files::list(&self.folder)?;
        names.retain(|name| name.ends_with(ENDING));
        Ok(names)
    }

    fn path_of(&self, target: &str) -> PathBuf {
        self.folder.join(file_name(target))
    }

    fn missing(&self, digest: &Digest) -> StoreError {
        StoreError::NoEvidence { digest: digest.clone(), folder: self.folder.clone() }
    }
}

fn key_of(hex: &str) -> Option<u64> {
    u64::from_str_radix(hex.get(..LOOKED_UP)?, 16).ok()
}
