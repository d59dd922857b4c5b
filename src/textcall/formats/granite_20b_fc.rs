//! JSON after a tag that is never closed, one per call.
//! Models: `Granite 20B function calling`.
//! ```text
//! <function_call> {"name": "tide_table", "arguments": {"port": "Brest"}}
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::JsonBlock;

pub(super) const FORMAT: Format = Format {
    name: "granite_20b_fc",
    openers: &["<function_call>"],
    grammars: &[Grammar::Json(JsonBlock { close: &["</function_call>"], ..JsonBlock::MARKED })],
    ..Format::JSON
};
