//! A text format: a way in which models write calls as text.
//!
//! Formats are data: the markers that open a call, and one or more grammars that read the text
//! behind them. A format whose server may have removed the markers also says how it looks without.

use super::grammar::{CallGrammar, Fence, Headed, Listed, Notation, Starts, Tags};
use crate::ir::CallFormat;

/// A way in which models write calls as text.
#[derive(Debug)]
pub struct Format {
    /// The kebab-case id, as in `parse --as`, `list formats` and profiles.
    pub id: &'static str,
    /// The markers that open a call or a section of calls.
    pub openers: &'static [&'static str],
    /// Where an opener counts.
    pub(crate) anchor: Anchor,
    /// What may follow an opener, tried in order.
    pub(crate) grammars: &'static [Grammar],
    /// What may stand at the start of a line without any marker, tried in order.
    pub(crate) bare: &'static [Grammar],
    /// What kind of format `ir` calls it.
    pub call_format: CallFormat,
}

type Tokens = &'static [&'static str];

/// Where an opener counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// Anywhere in prose.
    Anywhere,
    /// Only where nothing but white space precedes it on its line.
    LineStart,
}

impl Format {
    /// JSON or Python behind markers that count anywhere.
    pub(crate) const fn json(openers: Tokens, grammars: &'static [Grammar]) -> Self {
        let (anchor, call_format) = (Anchor::Anywhere, CallFormat::JsonText);
        Self { id: "", openers, anchor, grammars, bare: &[], call_format }
    }

    /// Tags that count anywhere.
    pub(crate) const fn xml(openers: Tokens, grammars: &'static [Grammar]) -> Self {
        Self { call_format: CallFormat::Xml, ..Self::json(openers, grammars) }
    }

    /// What stands without any marker.
    pub(crate) const fn bare(bare: &'static [Grammar]) -> Self {
        Self::json(&[], &[]).or_bare(bare)
    }

    pub(crate) const fn or_bare(self, bare: &'static [Grammar]) -> Self {
        Self { bare, ..self }
    }

    pub(crate) const fn at_line_start(self) -> Self {
        Self { anchor: Anchor::LineStart, ..self }
    }
}

/// How to read on from an opener.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// JSON objects or Python calls, alone or in a list.
    Listed(Listed),
    /// A head with the name, then arguments in braces.
    Headed(Headed),
    /// A tag per call and a tag per parameter.
    Tags(Tags),
}

impl Grammar {
    /// A JSON object without any marker.
    pub(crate) const BARE_OBJECT: Self =
        Self::Listed(Listed { starts: Starts::Object, ..Listed::BARE });

    /// A JSON list without any marker.
    pub(crate) const BARE_LIST: Self =
        Self::Listed(Listed { starts: Starts::List, ..Listed::BARE });

    /// JSON in a Markdown fence.
    pub(crate) const FENCED: Self = Self::Listed(Listed { fence: Fence::Native, ..Listed::BARE });

    /// An offered name and its arguments, which is what is left when the tokens are stripped.
    pub(crate) const fn unmarked(prefix: &'static str) -> Self {
        let separators = &["[ARGS]", "<|tool_call_argument_begin|>"];
        Self::Headed(Headed { separators, ..Headed::MARKED.bare(prefix) })
    }

    /// JSON that its marker vouches for.
    pub(crate) const fn json(starts: Starts, close: Tokens) -> Self {
        Self::Listed(Listed { starts, close, ..Listed::MARKED })
    }

    /// Python calls behind a marker.
    pub(crate) const fn python(close: Tokens) -> Self {
        Self::Listed(Listed { notation: Notation::Python, close, ..Listed::MARKED })
    }

    /// Python calls without any marker.
    pub(crate) const fn bare_python(starts: Starts) -> Self {
        Self::Listed(Listed { notation: Notation::Python, starts, ..Listed::BARE })
    }

    /// `<invoke name="N"><parameter name="K">V</parameter></invoke>`
    pub(crate) const fn invoke(section_close: Tokens) -> Self {
        Self::Tags(Tags { section_close, ..Tags::INVOKE })
    }

    /// `<function=N><parameter=K>V</parameter></function>`
    pub(crate) const fn function(section_close: Tokens) -> Self {
        Self::Tags(Tags { section_close, ..Tags::FUNCTION })
    }

    /// The rules by which a reader reads it.
    pub(crate) fn rules(&self) -> &dyn CallGrammar {
        match self {
            Self::Listed(config) => config,
            Self::Headed(config) => config,
            Self::Tags(config) => config,
        }
    }

    /// What closes a call or a section, and so is not content when it stands alone after one.
    pub(crate) fn closers(&self) -> Vec<&'static str> {
        match self {
            Self::Listed(config) => config.close.to_vec(),
            Self::Headed(config) => [config.close, config.section_close].concat(),
            Self::Tags(config) => {
                [&[config.parameter_close, config.call_close], config.section_close].concat()
            }
        }
    }
}
