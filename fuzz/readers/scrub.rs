//! Secrets: no text brings the search down, what holds one loses it, and what was cleaned stays as it is.

use std::sync::LazyLock;

use toolprobe::transport::{Scrubber, Secret};

const KEY: &str = "sk-fuzz/+a\"b=~9Zq";

static SCRUBBER: LazyLock<Scrubber> =
    LazyLock::new(|| Scrubber::new([KEY, "pass%41word\\n"].map(Secret::new)));

/// Looks for secrets in a text.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let clean = SCRUBBER.text(text);
    assert!(!clean.to_lowercase().contains(&KEY.to_lowercase()));
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (before, after) = text.split_at(middle);
    let clean = SCRUBBER.text(format!("{before}{KEY}{after}"));
    assert!(!clean.contains(KEY), "{clean}");
}
