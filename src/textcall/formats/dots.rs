//! As `minimax_m2` in a tag of its own, or JSON.
//! Models: `dots.llm`.
//! ```text
//! <dots_function_call>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </dots_function_call>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{JsonBlock, Tags};

pub(super) const FORMAT: Format = Format {
    name: "dots",
    openers: &["<dots_function_call>"],
    grammars: &[
        Grammar::Tags(Tags { section_close: &["</dots_function_call>"], ..Tags::INVOKE }),
        Grammar::Json(JsonBlock { close: &["</dots_function_call>"], ..JsonBlock::MARKED }),
    ],
    ..Format::XML
};
