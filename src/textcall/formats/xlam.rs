//! A JSON list: bare, in a fence, or behind other families' markers. Models: `xLAM 2`.
//! `[{"name": "tide_table", "arguments": {"port": "Brest"}}]`

use super::{Fence, Format, Grammar, JsonBlock, Starts, granite};

const BARE_LIST: Grammar = Grammar::Json(JsonBlock { starts: Starts::List, ..JsonBlock::BARE });

/// A list that nothing announces.
pub(super) const LIST: &[Grammar] = &[BARE_LIST];

pub(super) const FORMAT: Format =
    Format::json("xlam", &["[TOOL_CALLS]", "<tool_call>"], granite::FORMAT.grammars).or_bare(&[
        BARE_LIST,
        Grammar::Json(JsonBlock { fence: Fence::Native, ..JsonBlock::BARE }),
    ]);
