//! Transcripts: any file is read or refused, and what was read can be written again.

use std::fs;

use toolprobe::replay::Transcript;

/// Reads a transcript from a file.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("t.json");
    if fs::write(&path, bytes).is_err() {
        return;
    }
    match Transcript::read(&path) {
        Ok(transcript) => {
            let _ = (transcript.name(), transcript.settings());
            assert!(transcript.write(&path).is_ok());
            assert_eq!(Transcript::read(&path).ok(), Some(transcript));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
