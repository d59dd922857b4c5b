//! Policies: any text is read or refused, and what was read can be asked.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use toolprobe::regress::Policy;
use toolprobe::target::ConfigError;

fuzz_target!(|text: &str| {
    match toml::from_str::<Policy>(text) {
        Ok(policy) => drop(policy.unmatched(&["acme/model", "", "*"])),
        Err(error) => {
            let shown = ConfigError::from_toml(Path::new("policy.toml"), text, &error).to_string();
            assert!(!shown.is_empty());
        }
    }
});
