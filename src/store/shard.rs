//! A shard of a run: which part of the targets one of several machines asks, as `2/4`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of so many parts of the targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
#[schemars(with = "String")]
pub struct Shard {
    /// Which part, from 1.
    number: usize,
    /// How many parts there are.
    of: usize,
}

/// A text that names no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a shard, such as 2/4: the second of four; the first is 1/4")]
pub struct NotAShard(String);

impl Shard {
    /// Which part, from 0.
    pub(crate) fn place(self) -> usize {
        self.number - 1
    }

    /// How many parts there are.
    pub(crate) fn of(self) -> usize {
        self.of
    }

    /// All parts there are, in order.
    pub(super) fn siblings(self) -> impl Iterator<Item = Self> {
        (1..=self.of).map(move |number| Self { number, of: self.of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = NotAShard;

    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(one, all)| Some((one.parse().ok()?, all.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(NotAShard(text.to_owned())),
        }
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = NotAShard;

    fn try_from(text: String) -> Result<Self, NotAShard> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_written_as_its_number_and_how_many_there_are() {
        let shard: Shard = "2/4".parse().unwrap();
        assert_eq!((shard.place(), shard.of(), shard.to_string()), (1, 4, "2/4".to_owned()));
        for wrong in ["0/4", "5/4", "2", "2/", "/4", "a/b", "1/0", "-1/4", "1/4/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
