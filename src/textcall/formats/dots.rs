//! As `minimax_m2` in a tag of its own, or JSON. Models: `dots.llm`.
//! ```text
//! <dots_function_call>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </dots_function_call>
//! ```

use super::{Format, Grammar, Starts};

pub(super) const FORMAT: Format = Format::xml(
    "dots",
    &["<dots_function_call>"],
    &[
        Grammar::invoke(&["</dots_function_call>"]),
        Grammar::json(Starts::Either, &["</dots_function_call>"]),
    ],
);
