//! JSON in a Markdown fence. Only an offered tool with arguments is a call.
//! Models: `any model asked for JSON; Qwen2.5-Coder, Gemma 3`.
//! ```text
//! ```json
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! ```
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Fence, JsonBlock};

pub(super) const FORMAT: Format = Format {
    name: "json_fence",
    bare: &[Grammar::Json(JsonBlock { fence: Fence::Native, ..JsonBlock::BARE })],
    ..Format::JSON
};
