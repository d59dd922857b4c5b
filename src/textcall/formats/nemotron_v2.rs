//! A JSON list in a tag.
//! Models: `Nemotron Nano v2`.
//! ```text
//! <TOOLCALL>[{"name": "tide_table", "arguments": {"port": "Brest"}}]</TOOLCALL>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::JsonBlock;

pub(super) const FORMAT: Format = Format {
    name: "nemotron_v2",
    openers: &["<TOOLCALL>"],
    grammars: &[Grammar::Json(JsonBlock { close: &["</TOOLCALL>"], ..JsonBlock::MARKED })],
    ..Format::JSON
};
