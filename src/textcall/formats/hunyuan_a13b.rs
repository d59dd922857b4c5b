//! As `jamba`, after reasoning; plain answers stand in `<answer>`.
//! Models: `Hunyuan A13B`.
//! ```text
//! <think>
//! High water first.
//! </think>
//! <answer>
//! <tool_calls>[{"name": "tide_table", "arguments": {"port": "Brest"}}]</tool_calls>
//! </answer>
//! ```

use crate::textcall::format::Format;

pub(super) const FORMAT: Format = Format {
    name: "hunyuan_a13b",
    openers: &["<tool_calls>"],
    grammars: super::jamba::FORMAT.grammars,
    ..Format::JSON
};
