//! SHA-256 digests, the addresses under which content is stored.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

const PREFIX: &str = "sha256:";
const LEN: usize = 32;

/// The SHA-256 of some content, written as `sha256:<64 hex digits>`.
///
/// It is kept as bytes: a profile names hundreds of exchanges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, schemars::JsonSchema)]
#[schemars(with = "String")]
pub struct Digest([u8; LEN]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest with these hexadecimal digits, if they are 64 lower-case ones.
    pub fn from_hex(hex: &str) -> Option<Self> {
        let digits = hex.bytes().map(digit).collect::<Option<Vec<u8>>>()?;
        let (pairs, []) = digits.as_chunks::<2>() else { return None };
        let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
        bytes.try_into().ok().map(Self)
    }

    /// The hexadecimal digits alone.
    pub fn hex(&self) -> String {
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        let mut hex = String::with_capacity(2 * LEN);
        hex.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
        hex
    }
}

/// The value of a lower-case hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.hex())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let digest = text.strip_prefix(PREFIX).and_then(Self::from_hex);
        digest.ok_or_else(|| NotADigest(text.to_owned()))
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
        let odd = |digits: usize| format!("sha256:{}", "a".repeat(digits));
        let upper = format!("sha256:{}", "A".repeat(64));
        for text in ["", "sha256:", "abc", "sha256:xyz", &odd(63), &odd(65), &odd(66), &upper] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
