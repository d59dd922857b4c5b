//! A JSON list after a word.
//! Models: `Phi-4-mini, FireFunction v2`.
//! ```text
//! functools[{"name": "tide_table", "arguments": {"port": "Brest"}}]
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{JsonBlock, Starts};

pub(super) const FORMAT: Format = Format {
    name: "phi4_mini",
    openers: &["functools"],
    grammars: &[Grammar::Json(JsonBlock { starts: Starts::List, ..JsonBlock::MARKED })],
    ..Format::JSON
};
