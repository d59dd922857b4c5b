//! A JSON list after a token, without a closer.
//! Models: `Granite 3.0 to 3.3`.
//! ```text
//! <|tool_call|>[{"name": "tide_table", "arguments": {"port": "Brest"}}]
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{JsonBlock, Starts};

pub(super) const FORMAT: Format = Format {
    name: "granite",
    openers: &["<|tool_call|>", "<tool_call>"],
    grammars: &[Grammar::Json(JsonBlock {
        starts: Starts::List,
        close: &["</tool_call>"],
        ..JsonBlock::MARKED
    })],
    ..Format::JSON
};
