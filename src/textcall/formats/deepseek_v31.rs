//! Tokens, the name, a token, the arguments.
//! Models: `DeepSeek V3.1`.
//! ```text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tide_table<｜tool▁sep｜>{"port": "Brest"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Headed;

pub(super) const FORMAT: Format = Format {
    name: "deepseek_v31",
    openers: &["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"],
    grammars: &[Grammar::Headed(Headed {
        call: &["<｜tool▁call▁begin｜>"],
        separators: &["<｜tool▁sep｜>"],
        close: &["<｜tool▁call▁end｜>"],
        section_close: &["<｜tool▁calls▁end｜>"],
        ..Headed::MARKED
    })],
    bare: super::mistral_v11::STRIPPED,
    ..Format::JSON
};
