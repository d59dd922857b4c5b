//! A JSON list with ids and `tool_name` between action tokens.
//! Models: `Command R7B, Command A`.
//! ```text
//! <|START_ACTION|>[
//!     {"tool_call_id": "0", "tool_name": "tide_table", "parameters": {"port": "Brest"}}
//! ]<|END_ACTION|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::JsonBlock;

pub(super) const FORMAT: Format = Format {
    name: "cohere",
    openers: &["<|START_ACTION|>"],
    grammars: &[Grammar::Json(JsonBlock { close: &["<|END_ACTION|>"], ..JsonBlock::MARKED })],
    bare: super::xlam::LIST,
    ..Format::JSON
};
