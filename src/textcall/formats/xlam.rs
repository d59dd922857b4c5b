//! A JSON list: bare, in a fence, or behind other families' markers.
//! Models: `xLAM 2`.
//! ```text
//! [{"name": "tide_table", "arguments": {"port": "Brest"}}]
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Fence, JsonBlock, Starts};

/// A list that nothing announces.
pub(super) const LIST: &[Grammar] =
    &[Grammar::Json(JsonBlock { starts: Starts::List, ..JsonBlock::BARE })];

pub(super) const FORMAT: Format = Format {
    name: "xlam",
    openers: &["[TOOL_CALLS]", "<tool_call>"],
    grammars: super::granite::FORMAT.grammars,
    bare: &[
        Grammar::Json(JsonBlock { starts: Starts::List, ..JsonBlock::BARE }),
        Grammar::Json(JsonBlock { fence: Fence::Native, ..JsonBlock::BARE }),
    ],
    ..Format::JSON
};
