//! Tokens, the word `function`, the name, the arguments in a fence.
//! Models: `DeepSeek V3-0324, R1-0528`.
//! ```text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide_table
//! ```json
//! {"port": "Brest"}
//! ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Head, Headed};
use crate::textcall::payload::Trust;

pub(super) const FORMAT: Format = Format {
    name: "deepseek_v3",
    openers: &["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"],
    grammars: &[Grammar::Headed(Headed {
        call: &["<｜tool▁call▁begin｜>"],
        head: Head::Typed("<｜tool▁sep｜>"),
        separators: &["\n"],
        close: &["<｜tool▁call▁end｜>"],
        section_close: &["<｜tool▁calls▁end｜>"],
        ..Headed::MARKED
    })],
    bare: &[Grammar::Headed(Headed {
        head: Head::Prefixed("function"),
        trust: Trust::Offered,
        ..Headed::MARKED
    })],
    ..Format::JSON
};
