//! Configurations: any text is read, or refused with a place.

use std::path::Path;

use toolprobe::target::ConfigFile;

/// Reads a configuration.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match ConfigFile::parse(Path::new("toolprobe.toml"), text) {
        Ok(file) => {
            let _ = file.targets(&|_| None).map_err(|error| error.to_string());
            let _ = file.targets(&|name| Some(format!("{name}-value")));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
