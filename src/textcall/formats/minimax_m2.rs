//! `invoke` and `parameter` tags in a section.
//! Models: `MiniMax M2`.
//! ```text
//! <minimax:tool_call>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </minimax:tool_call>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Tags;

pub(super) const FORMAT: Format = Format {
    name: "minimax_m2",
    openers: &["<minimax:tool_call>"],
    grammars: &[Grammar::Tags(Tags { section_close: &["</minimax:tool_call>"], ..Tags::INVOKE })],
    ..Format::XML
};
