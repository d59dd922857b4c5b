//! The secrets of this process, kept out of everything that it writes and shows.
//!
//! The one piece of global state: whatever path a text takes out of the process, it is looked through
//! for every secret that was ever read. Secrets are added and never forgotten.

use std::borrow::Cow;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::{Scrubber, Secret};

static KNOWN: LazyLock<RwLock<Scrubber>> = LazyLock::new(RwLock::default);

/// Keeps a secret out of everything that is written or shown from now on.
pub(crate) fn remember(secret: &Secret) {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).register(secret);
}

/// A scrubber of all secrets that are known by now.
pub(crate) fn known_secrets() -> Scrubber {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A text as it may be shown.
pub(crate) fn scrub(text: &str) -> Cow<'_, str> {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).borrowed(text)
}

/// The bytes of a file as they may be written. What is not text is left alone.
pub(crate) fn scrub_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes).map(scrub) {
        Ok(Cow::Owned(clean)) => Cow::Owned(clean.into_bytes()),
        Ok(Cow::Borrowed(_)) | Err(_) => Cow::Borrowed(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_was_read_once_is_scrubbed_for_good() {
        remember(&Secret::new("known-to-this-process"));
        assert_eq!(scrub("it is KNOWN-to-this-process!"), "it is [secret]!");
        assert_eq!(scrub_bytes(b"\"known\\u002dto-this-process\"").as_ref(), b"\"[secret]\"");
        assert_eq!(scrub_bytes(b"\xff known-to-this-process").first(), Some(&0xff));
        assert!(matches!(scrub("nothing"), Cow::Borrowed(_)));
    }
}
