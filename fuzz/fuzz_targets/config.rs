//! Configurations: any text is read, or refused with a place.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use toolprobe::target::ConfigFile;

fuzz_target!(|text: &str| {
    match ConfigFile::parse(Path::new("toolprobe.toml"), text) {
        Ok(file) => {
            let _ = file.targets(&|_| None).map_err(|error| error.to_string());
            let _ = file.targets(&|name| Some(format!("{name}-value")));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
