//! Lengths of time as people write them, such as `30s` or `2m`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A length of time as people write it: `250ms`, `30s`, `5m`, `24h`, `7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub Duration);

/// The units, with their milliseconds, longest first.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

const EXPECTED: &str =
    "a duration with its unit, such as \"250ms\", \"30s\", \"5m\", \"24h\" or \"7d\"";

/// A text that is not a length of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not {EXPECTED}")]
pub struct NotASpan(String);

impl FromStr for Span {
    type Err = NotASpan;

    fn from_str(text: &str) -> Result<Self, NotASpan> {
        let text = text.trim();
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = text.get(digits.len()..).unwrap_or_default().trim();
        let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, millis)| *millis);
        let millis = digits.parse::<u64>().ok().zip(factor).and_then(|(n, f)| n.checked_mul(f));
        let millis = millis.filter(|millis| *millis > 0);
        millis.map(|ms| Self(Duration::from_millis(ms))).ok_or_else(|| NotASpan(text.to_owned()))
    }
}

/// In the longest unit that loses nothing.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        let unit = UNITS.iter().find(|(_, factor)| millis.is_multiple_of(*factor));
        let (name, factor) = unit.copied().unwrap_or(("ms", 1));
        write!(f, "{}{name}", millis / factor)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Span, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[0-9]+(ms|s|m|h|d)$",
            "description": EXPECTED,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read_and_written() {
        for (text, millis) in [
            ("250ms", 250),
            ("30s", 30_000),
            ("5m", 300_000),
            ("24h", 86_400_000),
            ("7d", 604_800_000),
        ] {
            let span: Span = text.parse().unwrap();
            assert_eq!(span, Span(Duration::from_millis(millis)), "{text}");
        }
        for text in ["250ms", "30s", "5m", "7d", "1500ms"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        assert_eq!("24h".parse::<Span>().unwrap().to_string(), "1d");
    }

    #[test]
    fn what_has_no_unit_or_no_length_is_refused() {
        for text in ["", "30", "s", "0s", "-1s", "1.5h", "5 weeks", "99999999999999999999d", "é"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
        assert_eq!(
            "30".parse::<Span>().unwrap_err().to_string(),
            "'30' is not a duration with its unit, such as \"250ms\", \"30s\", \"5m\", \"24h\" or \"7d\""
        );
    }
}
