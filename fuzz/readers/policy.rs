//! Policies: any text is read or refused, and what was read can be asked.

use std::path::Path;

use toolprobe::regress::Policy;
use toolprobe::target::ConfigError;

/// Reads a policy.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match toml::from_str::<Policy>(text) {
        Ok(policy) => drop(policy.unmatched_rules(&["acme/model", "", "*"])),
        Err(error) => {
            let shown = ConfigError::from_toml(Path::new("policy.toml"), text, &error).to_string();
            assert!(!shown.is_empty());
        }
    }
}
