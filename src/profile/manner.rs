//! The manner in which a suite is asked, where flags change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ReplyMode;

/// How the probes of a suite are asked. Runs and transcripts keep it, so that the same can be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manner {
    /// The most tokens that a reply may have, in place of what each probe says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Which replies are asked for.
    #[serde(default, skip_serializing_if = "Mode::is_both")]
    pub mode: Mode,
}

impl Manner {
    /// Whether nothing is changed.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which replies a suite asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[derive(Serialize, Deserialize, JsonSchema, clap::ValueEnum, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Mode {
    /// Whole bodies, and no streams
    Plain,
    /// Streams, and no whole bodies
    Stream,
    /// Whole bodies with streamed twins; streams alone where nothing else works
    #[default]
    Both,
}

impl Mode {
    /// The one spelling used in files, flags and output.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// How a suite begins to ask.
    pub fn first(self) -> ReplyMode {
        match self {
            Self::Plain | Self::Both => ReplyMode::Plain,
            Self::Stream => ReplyMode::Streamed,
        }
    }

    /// Whether it is the default.
    pub fn is_both(&self) -> bool {
        *self == Self::Both
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn names_in_data_and_in_flags_are_the_same() {
        for mode in Mode::value_variants() {
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
            assert_eq!(mode.to_possible_value().unwrap().get_name(), mode.as_str());
        }
    }
}
