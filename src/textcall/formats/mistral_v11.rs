//! A token, the name, perhaps an id, a token, the arguments.
//! Models: `Mistral Small 3.2, Magistral, Devstral, Ministral 3, Large 3`.
//! ```text
//! [TOOL_CALLS]tide_table[CALL_ID]t1d3tAbl3[ARGS]{"port": "Brest"}
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Head, Headed};
use crate::textcall::payload::Trust;

/// An offered name and its arguments, which is what is left when the tokens are stripped.
pub(super) const STRIPPED: &[Grammar] = &[Grammar::Headed(Headed {
    head: Head::Prefixed(""),
    separators: &["[ARGS]"],
    trust: Trust::Offered,
    ..Headed::MARKED
})];

pub(super) const FORMAT: Format = Format {
    name: "mistral_v11",
    openers: &["[TOOL_CALLS]", "[TOOL_CALLS"],
    grammars: &[Grammar::Headed(Headed {
        call: &["[TOOL_CALLS]", "[TOOL_CALLS"],
        head: Head::NameThenId("[CALL_ID]"),
        separators: &["[ARGS]", "[ARGS"],
        ..Headed::MARKED
    })],
    bare: STRIPPED,
    ..Format::JSON
};
