//! A tag per call and per parameter; one newline on each side of a value is padding.
//! Models: `Qwen3-Coder, Qwen3.5, Nemotron 3, MiMo, Step 3.5`.
//! ```text
//! <tool_call>
//! <function=tide_table>
//! <parameter=port>
//! Brest
//! </parameter>
//! </function>
//! </tool_call>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Tags;

pub(super) const FORMAT: Format = Format {
    name: "qwen3_coder",
    openers: &["<tool_call>", "<function="],
    grammars: &[Grammar::Tags(Tags { section_close: &["</tool_call>"], ..Tags::FUNCTION })],
    ..Format::XML
};
