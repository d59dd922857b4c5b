//! A JSON list of objects whose one key is the name.
//! Models: `Apertus`.
//! ```text
//! <|tools_prefix|>[{"tide_table": {"port": "Brest"}}]<|tools_suffix|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::JsonBlock;

pub(super) const FORMAT: Format = Format {
    name: "apertus",
    openers: &["<|tools_prefix|>"],
    grammars: &[Grammar::Json(JsonBlock { close: &["<|tools_suffix|>"], ..JsonBlock::MARKED })],
    bare: super::xlam::LIST,
    ..Format::JSON
};
