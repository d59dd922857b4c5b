//! Elements named after the parameters, a token before every tag.
//! Models: `MiniMax M3`.
//! ```text
//! ]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="tide_table">]<]minimax[>[<port>Brest]<]minimax[>[</port>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Elements;

pub(super) const FORMAT: Format = Format {
    name: "minimax_m3",
    openers: &["]<]minimax[>[<tool_call>", "]<]minimax[>[<invoke", "<tool_call>"],
    grammars: &[Grammar::Elements(Elements {
        namespace: "]<]minimax[>[",
        section_close: &["</tool_call>", "]<]minimax[>[</tool_call>"],
    })],
    ..Format::XML
};
