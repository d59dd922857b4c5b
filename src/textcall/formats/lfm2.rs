//! A list of Python calls, or of JSON objects, between tokens.
//! Models: `LFM2, LFM2.5`.
//! ```text
//! <|tool_call_start|>[tide_table(port="Brest", days=2)]<|tool_call_end|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Brackets, JsonBlock, Python};
use crate::textcall::payload::Trust;

pub(super) const FORMAT: Format = Format {
    name: "lfm2",
    openers: &["<|tool_call_start|>"],
    grammars: &[
        Grammar::Python(Python {
            brackets: Brackets::Optional,
            close: &["<|tool_call_end|>"],
            trust: Trust::Marked,
        }),
        Grammar::Json(JsonBlock { close: &["<|tool_call_end|>"], ..JsonBlock::MARKED }),
    ],
    ..Format::JSON
};
