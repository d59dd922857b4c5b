//! Evidence: the records that results rest on, by their digest.
//!
//! One file per record, named by the digest that the record's own type computes. A record is
//! written once: the same address means the same content.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::files::{self, Durability};
use crate::ir::Digest;

/// From this size on records are compressed.
const COMPRESSED_FROM: usize = 16 * 1024;

/// What a record may grow to when it is read: far beyond what transport lets into one.
const READ_LIMIT: u64 = 512 * 1024 * 1024;

/// The folder of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    folder: PathBuf,
}

impl Evidence {
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps a record under its address.
    pub fn put(&self, digest: &Digest, record: &impl Serialize) -> Result<(), StoreError> {
        if self.contains(digest) {
            return Ok(());
        }
        let (plain, packed) = self.paths(digest);
        let failed = |error: serde_json::Error| StoreError::io("write", &plain)(error.into());
        let bytes = serde_json::to_vec(record).map_err(failed)?;
        if bytes.len() < COMPRESSED_FROM {
            return files::write(&plain, &bytes, Durability::Process);
        }
        let bytes = compress(&bytes).map_err(StoreError::io("write", &packed))?;
        files::write(&packed, &bytes, Durability::Process)
    }

    /// The record at an address. `address` computes it anew, so that altered files are found out.
    pub fn get<T: DeserializeOwned>(
        &self,
        digest: &Digest,
        address: impl FnOnce(&T) -> Digest,
    ) -> Result<T, StoreError> {
        let (path, bytes) = self.bytes(digest)?;
        let altered = || StoreError::Altered { path: path.clone() };
        let record = serde_json::from_slice(&bytes).map_err(|_| altered())?;
        if address(&record) == *digest { Ok(record) } else { Err(altered()) }
    }

    /// The addresses of all records, in order; none where there is no folder.
    pub fn digests(&self) -> Result<Vec<Digest>, StoreError> {
        let digest = |name: &String| {
            let hex = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".json");
            hex.and_then(Digest::from_hex)
        };
        Ok(files::list(&self.folder)?.iter().filter_map(digest).collect())
    }

    /// Whether there is a record at an address.
    pub fn contains(&self, digest: &Digest) -> bool {
        let (plain, packed) = self.paths(digest);
        plain.exists() || packed.exists()
    }

    /// The name of the file that holds the record at an address; `None` where there is none.
    pub fn file_name(&self, digest: &Digest) -> Option<String> {
        let (plain, packed) = self.paths(digest);
        let found = [plain, packed].into_iter().find(|path| path.exists())?;
        Some(found.file_name()?.to_string_lossy().into_owned())
    }

    fn bytes(&self, digest: &Digest) -> Result<(PathBuf, Vec<u8>), StoreError> {
        let (plain, packed) = self.paths(digest);
        if let Some(bytes) = files::read(&plain)? {
            return Ok((plain, bytes));
        }
        let bytes = files::read(&packed)?.ok_or_else(|| self.missing(digest))?;
        let bytes = decompress(&bytes).map_err(|_| StoreError::Altered { path: packed.clone() })?;
        Ok((packed, bytes))
    }

    /// The two names a record may have.
    fn paths(&self, digest: &Digest) -> (PathBuf, PathBuf) {
        let name = |ending: &str| self.folder.join(format!("{}{ending}", digest.hex()));
        (name(".json"), name(".json.gz"))
    }

    fn missing(&self, digest: &Digest) -> StoreError {
        StoreError::NoEvidence { digest: digest.clone(), folder: self.folder.clone() }
    }
}

/// Without a time or a name in its header, so that equal records are equal files.
fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn decompress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    GzDecoder::new(bytes).take(READ_LIMIT).read_to_end(&mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn get(evidence: &Evidence, digest: &Digest) -> Result<String, StoreError> {
        evidence.get(digest, |record: &String| Digest::of(record))
    }

    fn put(evidence: &Evidence, record: &str) -> Digest {
        let digest = Digest::of(record);
        evidence.put(&digest, &record).unwrap();
        digest
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn small_records_are_plain_and_large_ones_compressed() {
        for (record, ending) in [("small".to_owned(), ".json"), ("x".repeat(20_000), ".json.gz")] {
            let dir = tempfile::tempdir().unwrap();
            let evidence = Evidence::in_folder(dir.path().to_owned());
            let digest = put(&evidence, &record);
            assert_eq!(names(dir.path()), [format!("{}{ending}", digest.hex())]);
            assert!(evidence.contains(&digest));
            fs::write(dir.path().join("notes.json"), "{}").unwrap();
            assert_eq!(evidence.digests().unwrap(), std::slice::from_ref(&digest));
            assert_eq!(evidence.file_name(&digest), names(dir.path()).pop());
            assert_eq!(get(&evidence, &digest).unwrap(), record);
        }
    }

    #[test]
    fn a_record_is_written_once() {
        let dir = tempfile::tempdir().unwrap();
        let evidence = Evidence::in_folder(dir.path().to_owned());
        let digest = Digest::of("a");
        evidence.put(&digest, &"first").unwrap();
        evidence.put(&digest, &"second").unwrap();
        let kept: String = evidence.get(&digest, |_| Digest::of("a")).unwrap();
        assert_eq!(kept, "first");
    }

    #[test]
    fn altered_and_cut_files_are_found_out() {
        let dir = tempfile::tempdir().unwrap();
        let evidence = Evidence::in_folder(dir.path().to_owned());
        for (record, damaged) in
            [("small".to_owned(), &b"\"other\""[..]), ("y".repeat(20_000), &b"\x1f\x8b\x08"[..])]
        {
            let digest = put(&evidence, &record);
            let name = names(dir.path()).into_iter().find(|name| name.contains(digest.hex()));
            let path = dir.path().join(name.unwrap());
            fs::write(&path, damaged).unwrap();
            let shown = get(&evidence, &digest).unwrap_err().to_string();
            assert!(shown.starts_with(&format!("{} does not hold", path.display())), "{shown}");
        }
    }

    #[test]
    fn a_record_that_is_not_there_is_told_by_its_address() {
        let dir = tempfile::tempdir().unwrap();
        let evidence = Evidence::in_folder(dir.path().to_owned());
        let digest = Digest::of("x");
        assert!(!evidence.contains(&digest));
        let shown = get(&evidence, &digest).unwrap_err().to_string();
        assert!(shown.starts_with(&format!("no evidence {digest} in ")), "{shown}");
    }
}
