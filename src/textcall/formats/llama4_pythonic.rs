//! A list of Python calls between tokens.
//! Models: `Llama 4`.
//! ```text
//! <|python_start|>[tide_table(port='Brest', days=2)]<|python_end|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Brackets, Python};
use crate::textcall::payload::Trust;

pub(super) const FORMAT: Format = Format {
    name: "llama4_pythonic",
    openers: &["<|python_start|>"],
    grammars: &[Grammar::Python(Python {
        brackets: Brackets::Optional,
        close: &["<|python_end|>"],
        trust: Trust::Marked,
    })],
    ..Format::JSON
};
