//! SHA-256 digests, the addresses under which content is stored.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const PREFIX: &str = "sha256:";
const HEX_LEN: usize = 64;

/// The SHA-256 of some content, written as `sha256:<64 hex digits>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub struct Digest(String);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let mut hex = String::with_capacity(HEX_LEN);
        for byte in Sha256::digest(bytes) {
            let digits = [byte >> 4, byte & 0xf].map(|digit| char::from_digit(digit.into(), 16));
            hex.extend(digits.into_iter().flatten());
        }
        Self(hex)
    }

    /// The digest with these hexadecimal digits, if they are 64 lower-case ones.
    pub fn from_hex(hex: &str) -> Option<Self> {
        format!("{PREFIX}{hex}").parse().ok()
    }

    /// The hexadecimal digits alone.
    pub fn hex(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<Self, NotADigest> {
        text.parse()
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        text.strip_prefix(PREFIX)
            .filter(|hex| hex.len() == HEX_LEN)
            .filter(|hex| hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
            .map(|hex| Self(hex.to_owned()))
            .ok_or_else(|| NotADigest(text.to_owned()))
    }
}

/// A text that is not `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not 'sha256:' and 64 lower-case hexadecimal digits")]
pub struct NotADigest(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_back_as_it_was_written() {
        let digest = Digest::of(b"abc");
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(serde_json::from_value::<Digest>(text.into()).unwrap(), digest);
    }

    #[test]
    fn anything_but_a_digest_is_refused() {
        for text in ["", "sha256:", "abc", "sha256:xyz", &format!("sha256:{}", "A".repeat(64))] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
