//! A list of Python calls, which is the whole message.
//! Models: `Llama 3.2, ToolACE`.
//! ```text
//! [tide_table(port='Brest', days=2)]
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Brackets, Python};
use crate::textcall::payload::Trust;

pub(super) const FORMAT: Format = Format {
    name: "pythonic",
    bare: &[Grammar::Python(Python {
        brackets: Brackets::Required,
        close: &[],
        trust: Trust::Offered,
    })],
    ..Format::JSON
};
