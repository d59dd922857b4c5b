//! A JSON list after a token.
//! Models: `Mistral 7B v0.3, Nemo, Small 3.0, Large 2`.
//! ```text
//! [TOOL_CALLS] [{"name": "tide_table", "arguments": {"port": "Brest"}, "id": "t1d3tAbl3"}]
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::JsonBlock;

pub(super) const FORMAT: Format = Format {
    name: "mistral",
    openers: &["[TOOL_CALLS]"],
    grammars: &[Grammar::Json(JsonBlock::MARKED)],
    ..Format::JSON
};
