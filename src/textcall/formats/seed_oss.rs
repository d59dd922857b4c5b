//! As `qwen3_coder`, in a tag of its own.
//! Models: `Seed-OSS`.
//! ```text
//! <seed:tool_call>
//! <function=tide_table>
//! <parameter=port>Brest</parameter>
//! </function>
//! </seed:tool_call>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Tags;

pub(super) const FORMAT: Format = Format {
    name: "seed_oss",
    openers: &["<seed:tool_call>"],
    grammars: &[Grammar::Tags(Tags { section_close: &["</seed:tool_call>"], ..Tags::FUNCTION })],
    ..Format::XML
};
