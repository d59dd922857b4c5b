//! Secrets: what must never be written or shown, and where it stands in a text.
//!
//! - [`Secret`]: a credential, which does not print
//! - [`Scrubber`]: replaces secrets by `[secret]`, in every form a server is likely to echo them in
//! - `forms`: what is looked for; `unescape`: what is undone before looking; `finder`: the search
//! - `pieces`: secrets that are spread over several texts
//! - `known`: the secrets of this process, for everything that is written or shown

mod finder;
mod forms;
mod known;
mod pieces;
mod scrubber;
mod unescape;

use std::fmt;
use std::sync::Arc;

pub(crate) use known::{remember, scrub, scrub_bytes};
pub use scrubber::Scrubber;

/// What replaces a secret.
pub const SECRET_MARK: &str = "[secret]";

/// Secrets shorter than this are not looked for in texts.
///
/// A key such as `none`, `EMPTY` or `ollama` is a placeholder, and replacing it wherever it occurs
/// would spoil the evidence. Such a value is still never stored from where it was put: headers and
/// parameters that the user gives are redacted by position.
pub(crate) const MIN_SCRUBBED_LEN: usize = 8;

/// A credential. It does not print, and it cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// A credential, without the white space around it (such as the line end of `$(cat key)`).
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(Arc::from(text.as_ref().trim()))
    }

    /// The credential itself, for the one place that sends it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SECRET_MARK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SECRET_MARK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_prints_as_a_mark() {
        let secret = Secret::new("sk-test-12345");
        let shown = format!("{secret} {secret:?} {:?}", Some(&secret));
        assert_eq!(shown, "[secret] [secret] Some([secret])");
        assert!(!format!("{:?}", Scrubber::new([secret])).contains("sk-test"));
    }

    #[test]
    fn white_space_around_a_secret_is_dropped() {
        assert_eq!(Secret::new(" key-12345\n").expose(), "key-12345");
    }
}
