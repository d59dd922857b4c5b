//! What is a text format?
//!
//! Data: the markers that open a call, and one or more grammars that read on from there. A format
//! whose server may have stripped the markers also says how it looks without them.

use super::grammar::{
    Channels, Elements, Headed, JsonBlock, Notation, Pairs, Python, React, Reader, Tags,
};
use crate::ir::CallFormat;

/// A way in which models write calls as text.
#[derive(Debug)]
pub struct Format {
    /// The family's name, as in `--as` and in results.
    pub name: &'static str,
    /// The markers that open a call or a section of calls.
    pub openers: &'static [&'static str],
    /// Where an opener counts.
    pub(in crate::textcall) anchor: Anchor,
    /// What may follow an opener, tried in order.
    pub(in crate::textcall) grammars: &'static [Grammar],
    /// What may stand at the start of a line without any marker, tried in order.
    pub(in crate::textcall) bare: &'static [Grammar],
    /// The form in the terms of the representation.
    pub form: CallFormat,
}

/// Where an opener counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::textcall) enum Anchor {
    /// Anywhere in prose.
    Anywhere,
    /// Only where nothing but white space precedes it on its line.
    LineStart,
}

impl Format {
    /// JSON behind markers that count anywhere.
    pub(super) const JSON: Self = Self {
        name: "",
        openers: &[],
        anchor: Anchor::Anywhere,
        grammars: &[],
        bare: &[],
        form: CallFormat::JsonText,
    };

    /// Tags that count anywhere.
    pub(super) const XML: Self = Self { form: CallFormat::Xml, ..Self::JSON };
}

/// How to read on from an opener.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::textcall) enum Grammar {
    /// JSON that holds name and arguments.
    Json(JsonBlock),
    /// A head with the name, then JSON arguments.
    Headed(Headed),
    /// A tag per call and a tag per parameter.
    Tags(Tags),
    /// Elements named after the parameters.
    Elements(Elements),
    /// Alternating keys and values.
    Pairs(Pairs),
    /// `call:NAME{key:value}` with bare keys.
    Notation(Notation),
    /// `name(key=value)`.
    Python(Python),
    /// Messages with a header.
    Channels(Channels),
    /// `Action:` and `Action Input:` lines.
    React(React),
}

impl Grammar {
    /// A reader for what stands after `opener`, which ends at `at`.
    pub(super) fn reader(&'static self, opener: &'static str, at: usize) -> Box<dyn Reader> {
        match self {
            Self::Json(config) => config.reader(at),
            Self::Headed(config) => config.reader(opener, at),
            Self::Tags(config) => config.reader(opener, at),
            Self::Elements(config) => config.reader(opener, at),
            Self::Pairs(config) => config.reader(opener, at),
            Self::Notation(config) => config.reader(at),
            Self::Python(config) => config.reader(at),
            Self::Channels(config) => config.reader(opener, at),
            Self::React(config) => config.reader(at),
        }
    }

    /// What closes a call or a section, and so is not content when it stands alone after one.
    pub(super) fn closers(&self) -> Vec<&'static str> {
        match self {
            Self::Json(config) => config.close.to_vec(),
            Self::Headed(config) => [config.close, config.section_close].concat(),
            Self::Tags(config) => {
                [&[config.parameter_close, config.call_close], config.section_close].concat()
            }
            Self::Elements(config) => config.section_close.to_vec(),
            Self::Pairs(_) => vec!["</tool_call>", "</tool_calls>"],
            Self::Notation(config) => config.close.to_vec(),
            Self::Python(config) => config.close.to_vec(),
            Self::Channels(config) => config.close.to_vec(),
            Self::React(_) => Vec::new(),
        }
    }
}
