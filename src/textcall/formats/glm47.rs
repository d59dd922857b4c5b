//! As `glm45`, without the newlines.
//! Models: `GLM 4.7`.
//! ```text
//! <tool_call>tide_table<arg_key>port</arg_key><arg_value>Brest</arg_value></tool_call>
//! ```

use crate::textcall::format::Format;

pub(super) const FORMAT: Format = Format {
    name: "glm47",
    openers: &["<tool_call>"],
    grammars: super::glm45::FORMAT.grammars,
    ..Format::XML
};
