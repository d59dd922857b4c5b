//! The name in a tag, JSON arguments, an end tag.
//! Models: `Functionary 3.1, Llama 3.1 with custom tools`.
//! ```text
//! <function=tide_table>{"port": "Brest"}</function>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Headed;

pub(super) const FORMAT: Format = Format {
    name: "functionary_v31",
    openers: &["<function="],
    grammars: &[Grammar::Headed(Headed {
        call: &["<function="],
        separators: &[">"],
        close: &["</function>"],
        ..Headed::MARKED
    })],
    ..Format::JSON
};
