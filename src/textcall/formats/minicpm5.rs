//! `function` and `param` tags; CDATA round text with markup.
//! Models: `MiniCPM 5`.
//! ```text
//! <function name="tide_table"><param name="port">Brest</param></function>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Tags;

pub(super) const FORMAT: Format = Format {
    name: "minicpm5",
    openers: &["<function "],
    grammars: &[Grammar::Tags(Tags {
        call: "<function ",
        call_close: "</function>",
        parameter: "<param ",
        parameter_close: "</param>",
        ..Tags::INVOKE
    })],
    ..Format::XML
};
