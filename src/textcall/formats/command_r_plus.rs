//! A JSON list in a fence after `Action:`; one pseudo tool means "no call".
//! Models: `Command R and R+`.
//! ```text
//! Action: ```json
//! [
//!     {"tool_name": "tide_table", "parameters": {"port": "Brest"}}
//! ]
//! ```
//! ```

use crate::textcall::format::{Anchor, Format, Grammar};
use crate::textcall::grammar::{Fence, JsonBlock};

pub(super) const FORMAT: Format = Format {
    name: "command_r_plus",
    openers: &["Action:"],
    anchor: Anchor::LineStart,
    grammars: &[Grammar::Json(JsonBlock {
        fence: Fence::Usual,
        pseudo: &["directly-answer", "directly_answer"],
        ..JsonBlock::MARKED
    })],
    ..Format::JSON
};
