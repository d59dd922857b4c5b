//! A token, the name, perhaps an id, a token, the arguments.
//! Models: `Mistral Small 3.2, Magistral, Devstral, Ministral 3, Large 3`.
//! `[TOOL_CALLS]tide_table[CALL_ID]t1d3tAbl3[ARGS]{"port": "Brest"}`

use super::{Format, Grammar, Head, Headed, Trust};

/// An offered name and its arguments, which is what is left when the tokens are stripped.
pub(super) const STRIPPED: &[Grammar] = &[Grammar::Headed(Headed {
    head: Head::Prefixed(""),
    separators: &["[ARGS]"],
    trust: Trust::Offered,
    ..Headed::MARKED
})];

pub(super) const FORMAT: Format = Format::json(
    "mistral_v11",
    &["[TOOL_CALLS]", "[TOOL_CALLS"],
    &[Grammar::Headed(Headed {
        call: &["[TOOL_CALLS]", "[TOOL_CALLS"],
        head: Head::NameThenId("[CALL_ID]"),
        separators: &["[ARGS]", "[ARGS"],
        ..Headed::MARKED
    })],
)
.or_bare(STRIPPED);
