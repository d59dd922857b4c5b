//! Slugs: what a profile's file is called.
//!
//! Readable, and made only of what every file system takes: a model's name is the provider's text
//! and may hold slashes, dots or worse. The hash keeps apart what reads alike. What the target stands
//! for is not part of it, so that a target that moved keeps its file.

use crate::ir::Digest;

/// How much of a name stays readable.
const READABLE: usize = 80;

/// How many digits of the hash stand at the end: 48 bits.
const HASH_DIGITS: usize = 12;

/// The name of the file of a target's profile, without its ending.
pub(crate) fn slug(name: &str) -> String {
    let hash: String = Digest::of(name).hex().chars().take(HASH_DIGITS).collect();
    format!("{}-{hash}", plain(name))
}

/// Lower case letters, digits and single dashes; dots only between two of them.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            '.' if out.ends_with(|c: char| c.is_ascii_alphanumeric()) => out.push('.'),
            _ if out.ends_with(|c: char| c.is_ascii_alphanumeric()) => out.push('-'),
            _ => {}
        }
        if out.len() >= READABLE {
            break;
        }
    }
    let trimmed = out.trim_end_matches(['-', '.']);
    if trimmed.is_empty() { "unnamed".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_readable_and_stable() {
        assert_eq!(slug("acme/Big Model"), "acme-big-model-238e9542aa8c");
    }

    #[test]
    fn no_name_reaches_the_file_system_as_it_is() {
        for name in ["../../etc/passwd", "..", "a/b\\c:d", "CON", "\u{0}x", "模型", "", " . . "] {
            let slug = slug(name);
            let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
            assert!(slug.chars().all(safe), "{slug}");
            assert!(slug.starts_with(char::is_alphanumeric) && !slug.contains(".."), "{slug}");
        }
        assert!(slug(&"x".repeat(10_000)).len() < 100);
    }

    #[test]
    fn names_that_read_alike_have_files_of_their_own() {
        assert_ne!(slug("a/b"), slug("a-b"));
        assert_ne!(slug("A"), slug("a"));
    }
}
