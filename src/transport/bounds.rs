//! Bounds: how large a reply and its parts may be, so that no server fills the memory.
//!
//! Each bound has a name, which is its error code and the name of its setting. What is beyond one is no
//! finding: it is inconclusive, and says which bound it was.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::TransportError;
use crate::wire::WireLimits;

/// What has a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Oversize {
    /// A whole body, in bytes after decompression.
    Body,
    /// All of a stream, in bytes after decompression.
    Stream,
    /// One frame of a stream, in bytes.
    Frame,
    /// The number of frames of a stream.
    FrameCount,
    /// The nesting of an array element, in levels.
    Nesting,
    /// The number of JSON values in a body or a frame.
    Values,
    /// The text, reasoning and calls of a reply, in bytes.
    Reply,
    /// The number of parts of a reply.
    Parts,
    /// The number of calls in a reply.
    Calls,
    /// The name of a tool in a call, in bytes.
    Name,
    /// An id or another short word of a reply, in bytes.
    Id,
    /// The arguments of one call, in bytes.
    Arguments,
    /// The large replies that are in memory at the same time, in bytes.
    InFlight,
}

/// Each bound with its name, what it is about, and its default.
const BOUNDS: [(Oversize, &str, &str, usize); 13] = [
    (Oversize::Body, "body", "the size of the body in bytes", 4 << 20),
    (Oversize::Stream, "stream", "the size of the stream in bytes", 8 << 20),
    (Oversize::Frame, "frame", "the size of a frame in bytes", 4 << 20),
    (Oversize::FrameCount, "frame-count", "the number of frames in the stream", 50_000),
    (Oversize::Nesting, "nesting", "the depth of a frame's JSON", 128),
    (Oversize::Values, "values", "the number of JSON values in a body or a frame", 50_000),
    (Oversize::Reply, "reply", "the text and calls of the reply in bytes", 512 << 10),
    (Oversize::Parts, "parts", "the number of parts of the reply", 1_000),
    (Oversize::Calls, "calls", "the number of calls in the reply", 256),
    (Oversize::Name, "name", "the name of a called tool in bytes", 256),
    (Oversize::Id, "id", "an id or a label of the reply in bytes", 4_096),
    (Oversize::Arguments, "arguments", "the arguments of a call in bytes", 256 << 10),
    (
        Oversize::InFlight,
        "in-flight",
        "the large replies in memory at the same time in bytes",
        8 << 20,
    ),
];

impl Oversize {
    fn row(self) -> (&'static str, &'static str, usize) {
        let row = BOUNDS.iter().find(|(known, ..)| *known == self);
        row.map_or(("", "", 0), |(_, name, what, default)| (*name, *what, *default))
    }

    /// Its name: in error messages, in settings.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The names of all bounds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BOUNDS.iter().map(|(_, name, ..)| *name)
    }
}

impl fmt::Display for Oversize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().1)
    }
}

impl FromStr for Oversize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let row = BOUNDS.iter().find(|(_, name, ..)| *name == text);
        row.map(|(bound, ..)| *bound).ok_or_else(|| {
            let names: Vec<&str> = Self::names().collect();
            format!("no bound is called '{text}'; one of: {}", names.join(", "))
        })
    }
}

/// How large each thing may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeLimits([usize; BOUNDS.len()]);

impl Default for SizeLimits {
    fn default() -> Self {
        Self(BOUNDS.map(|(.., default)| default))
    }
}

impl SizeLimits {
    /// The largest size of this.
    pub fn of(&self, what: Oversize) -> usize {
        let place = BOUNDS.iter().position(|(known, ..)| *known == what);
        place.and_then(|place| self.0.get(place)).copied().unwrap_or_default()
    }

    /// The same with another bound for this.
    #[must_use]
    pub fn with(mut self, what: Oversize, limit: usize) -> Self {
        let place = BOUNDS.iter().position(|(known, ..)| *known == what);
        if let Some(bound) = place.and_then(|place| self.0.get_mut(place)) {
            *bound = limit;
        }
        self
    }

    /// Refuses a size beyond its bound.
    pub fn check(&self, what: Oversize, size: usize) -> Result<(), TransportError> {
        let limit = self.of(what);
        if size > limit {
            return Err(TransportError::TooLarge { what, limit: limit as u64 });
        }
        Ok(())
    }

    /// Refuses a JSON text with more values than allowed. No text has more of them than bytes and one, so most
    /// need no counting.
    pub(super) fn check_values(&self, text: &[u8]) -> Result<(), TransportError> {
        if text.len() < self.of(Oversize::Values) {
            return Ok(());
        }
        self.check(Oversize::Values, count_values(text))
    }

    /// The bounds of frames, as the reader of streams has them.
    pub(super) fn frames(&self) -> WireLimits {
        WireLimits {
            max_frame_bytes: self.of(Oversize::Frame),
            max_depth: self.of(Oversize::Nesting),
        }
    }
}

/// How many values a JSON text has, at most: no value without a comma, a bracket or a brace before it.
fn count_values(text: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped) = (1, false, false);
    for byte in text {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b',' | b'[' | b'{') => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_has_a_name_of_its_own_and_a_default() {
        let limits = SizeLimits::default();
        for (bound, name, ..) in BOUNDS {
            assert_eq!(name.parse(), Ok(bound));
            assert_eq!(serde_json::to_value(bound).unwrap(), name);
            assert!(limits.of(bound) > 0);
            assert_eq!(limits.with(bound, 7).check(bound, 7), Ok(()));
            let error = limits.with(bound, 7).check(bound, 8).unwrap_err().to_string();
            assert!(error.contains(&format!("--bound {name}=")), "{error}");
        }
        assert!("bodies".parse::<Oversize>().unwrap_err().contains("one of: body, stream"));
    }

    #[test]
    fn values_are_counted_outside_of_strings() {
        assert_eq!(count_values(br#"{"a": [1, 2], "b,[{\"": "x,y"}"#), 5);
        assert_eq!(count_values(b"[[[],[]]]"), 6);
    }
}
