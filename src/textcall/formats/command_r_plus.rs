//! A JSON list in a fence after `Action:`; one pseudo tool means "no call".
//! Models: `Command R and R+`.
//! ~~~text
//! Action: ```json
//! [
//!     {"tool_name": "tide_table", "parameters": {"port": "Brest"}}
//! ]
//! ```
//! ~~~

use super::{Fence, Format, Grammar, JsonBlock};

pub(super) const FORMAT: Format = Format::json(
    "command_r_plus",
    &["Action:"],
    &[Grammar::Json(JsonBlock {
        fence: Fence::Usual,
        pseudo: &["directly-answer", "directly_answer"],
        ..JsonBlock::MARKED
    })],
)
.at_line_start();
