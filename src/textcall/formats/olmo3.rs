//! Python calls, one per line, in a tag.
//! Models: `OLMo 3`.
//! ```text
//! <function_calls>
//! tide_table(port="Brest", days=2)
//! </function_calls>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Brackets, Python};
use crate::textcall::payload::Trust;

pub(super) const FORMAT: Format = Format {
    name: "olmo3",
    openers: &["<function_calls>"],
    grammars: &[Grammar::Python(Python {
        brackets: Brackets::Optional,
        close: &["</function_calls>"],
        trust: Trust::Marked,
    })],
    ..Format::JSON
};
