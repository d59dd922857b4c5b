//! Secrets: what must never be written or shown, and where it stands in a text.
//!
//! - [`Secret`]: a credential, which does not print
//! - [`Scrubber`]: replaces secrets by `[secret]`, in every form a server is likely to echo them in
//! - `forms`: what is looked for; `unescape`, `squeeze`: what is undone before looking; `finder`: the
//!   search; `screen`: tells quickly that there is nothing to find
//! - `open_words`: what is not looked for, because everybody knows it
//! - `pieces`: secrets that are spread over several texts
//! - `known`: the secrets of this process, for everything that is written or shown

mod finder;
mod forms;
mod known;
mod open_words;
mod pieces;
mod screen;
mod scrubber;
mod squeeze;
mod unescape;

use std::fmt;
use std::sync::Arc;

pub(crate) use known::{known_secrets, remember, scrub, scrub_bytes};
pub use scrubber::Scrubber;

/// What replaces a secret.
pub(crate) const SECRET_MARK: &str = "[secret]";

/// Secrets shorter than this are not looked for in texts.
///
/// A key such as `none`, `EMPTY` or `ollama` is a placeholder, and replacing it wherever it occurs
/// would spoil the evidence. Such a value is still never stored from where it was put: headers and
/// parameters that the user gives are redacted by position.
pub(crate) const MIN_SCRUBBED_LEN: usize = 8;

/// A word of a header's value that is this long is taken for a credential of its own.
const LONG_PART: usize = 16;

/// A credential. It does not print, and it cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// A credential, without the white space around it (such as the line end of `$(cat key)`).
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(Arc::from(text.as_ref().trim()))
    }

    /// A text that carries a credential, and the long words in it: a server that takes `Bearer …` or
    /// a cookie apart may echo the part alone.
    pub(crate) fn with_parts(text: &str) -> impl Iterator<Item = Self> + use<> {
        let words = text.split(|c: char| c.is_whitespace() || ",;".contains(c));
        let parts = words.flat_map(|word| [word, word.split_once('=').map_or("", |(_, it)| it)]);
        let parts = parts.filter(|part| part.len() >= LONG_PART && part.len() < text.trim().len());
        let all: Vec<Self> = std::iter::once(text).chain(parts).map(Self::new).collect();
        all.into_iter()
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
    fn the_long_words_of_a_secret_are_secrets_too() {
        let parts = |text: &str| -> Vec<String> {
            Secret::with_parts(text).map(|it| it.expose().to_owned()).collect()
        };
        assert_eq!(
            parts("Bearer sk-0123456789abcdef"),
            ["Bearer sk-0123456789abcdef", "sk-0123456789abcdef"]
        );
        assert_eq!(
            parts("id=0123456789abcdef; a=b"),
            ["id=0123456789abcdef; a=b", "id=0123456789abcdef", "0123456789abcdef"]
        );
        assert_eq!(parts("sk-0123456789abcdef"), ["sk-0123456789abcdef"]);
        assert_eq!(parts("My Application"), ["My Application"]);
    }

    #[test]
    fn white_space_around_a_secret_is_dropped() {
        assert_eq!(Secret::new(" key-12345\n").expose(), "key-12345");
    }
}
