//! JSON in a tilde fence, by prompt.
//! Models: `any model taught the protocol`.
//! ```text
//! ~~~tool_call
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! ~~~
//! ```

use crate::textcall::format::{Anchor, Format, Grammar};
use crate::textcall::grammar::{JsonBlock, Starts};

pub(super) const FORMAT: Format = Format {
    name: "exathena",
    openers: &["~~~tool_call"],
    anchor: Anchor::LineStart,
    grammars: &[Grammar::Json(JsonBlock {
        starts: Starts::Object,
        close: &["~~~"],
        ..JsonBlock::MARKED
    })],
    ..Format::JSON
};
