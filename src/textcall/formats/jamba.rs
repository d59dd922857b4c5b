//! A JSON list in a tag.
//! Models: `Jamba 1.5, Apriel`.
//! ```text
//! <tool_calls>[{"name": "tide_table", "arguments": {"port": "Brest"}}]</tool_calls>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{JsonBlock, Starts};

pub(super) const FORMAT: Format = Format {
    name: "jamba",
    openers: &["<tool_calls>"],
    grammars: &[Grammar::Json(JsonBlock {
        starts: Starts::List,
        close: &["</tool_calls>"],
        ..JsonBlock::MARKED
    })],
    ..Format::JSON
};
