//! A list of Python calls, or of JSON objects, between tokens. Models: `LFM2, LFM2.5`.
//! `<|tool_call_start|>[tide_table(port="Brest", days=2)]<|tool_call_end|>`

use super::{Brackets, Format, Grammar, Starts, Trust};

pub(super) const FORMAT: Format = Format::json(
    "lfm2",
    &["<|tool_call_start|>"],
    &[
        Grammar::python(Brackets::Optional, &["<|tool_call_end|>"], Trust::Marked),
        Grammar::json(Starts::Either, &["<|tool_call_end|>"]),
    ],
);
