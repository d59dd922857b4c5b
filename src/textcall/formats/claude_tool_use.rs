//! JSON with `input` for the arguments, one tag per call.
//! Models: `Claude in text mode, and by prompt`.
//! ```text
//! <tool_use>{"id": "toolu_7", "name": "tide_table", "input": {"port": "Brest"}}</tool_use>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{JsonBlock, Starts};

pub(super) const FORMAT: Format = Format {
    name: "claude_tool_use",
    openers: &["<tool_use>"],
    grammars: &[Grammar::Json(JsonBlock {
        starts: Starts::Object,
        close: &["</tool_use>"],
        ..JsonBlock::MARKED
    })],
    ..Format::JSON
};
