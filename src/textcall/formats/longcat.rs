//! As `hermes`, with tags of its own.
//! Models: `LongCat-Flash`.
//! ```text
//! <longcat_tool_call>{"name": "tide_table", "arguments": {"port": "Brest"}}</longcat_tool_call>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{JsonBlock, Starts};

pub(super) const FORMAT: Format = Format {
    name: "longcat",
    openers: &["<longcat_tool_call>"],
    grammars: &[Grammar::Json(JsonBlock {
        starts: Starts::Object,
        close: &["</longcat_tool_call>"],
        ..JsonBlock::MARKED
    })],
    ..Format::JSON
};
