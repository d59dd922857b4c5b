//! A JSON list: bare, in a fence, or behind other families' markers. Models: `xLAM 2`.
//! `[{"name": "tide_table", "arguments": {"port": "Brest"}}]`

use super::{Format, Grammar, granite};

pub(super) const FORMAT: Format =
    Format::json(&["[TOOL_CALLS]", "<tool_call>"], granite::FORMAT.grammars)
        .or_bare(&[Grammar::BARE_LIST, Grammar::FENCED]);
