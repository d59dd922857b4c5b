//! Other people's tables: telemetry by line, claims about models, URLs and routes.

use toolprobe::adapt::claims::read_claims;
use toolprobe::dialect::Route;
use toolprobe::telemetry::{Counts, read_lines};

/// Reads a text as telemetry, as claims and as a route.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match read_lines(text) {
        Ok(events) => assert!(Counts::of(&events).turns >= 1 || events.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(table) = serde_json::from_str(text) {
        let _ = read_claims(&table);
    }
    let _ = Route::parse(text);
}
