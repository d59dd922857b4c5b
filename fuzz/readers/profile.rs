//! Profiles: any file is read or refused; one that was read can be compared, planned from and written.

use std::fs;

use toolprobe::profile::capabilities;
use toolprobe::store::read_profile;

/// Reads a profile from a file.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("p.json");
    if fs::write(&path, bytes).is_err() {
        return;
    }
    match read_profile(&path) {
        Ok(profile) => {
            let _ = serde_json::to_string(&profile);
            let _ = capabilities(&profile.results);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
