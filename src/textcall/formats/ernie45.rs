//! As `hermes`, after reasoning; plain answers stand in `<response>`.
//! Models: `ERNIE 4.5`.
//! ```text
//! </think>
//!
//! <tool_call>
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! </tool_call>
//! ```

use crate::textcall::format::Format;

pub(super) const FORMAT: Format = Format {
    name: "ernie45",
    openers: &["<tool_call>"],
    grammars: super::hermes::FORMAT.grammars,
    ..Format::JSON
};
