//! JSON between action tokens.
//! Models: `InternLM 2.5, Intern-S1`.
//! ```text
//! <|action_start|><|plugin|>
//! {"name": "tide_table", "parameters": {"port": "Brest"}}<|action_end|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::JsonBlock;

pub(super) const FORMAT: Format = Format {
    name: "internlm",
    openers: &["<|action_start|>", "<|plugin|>"],
    grammars: &[Grammar::Json(JsonBlock {
        gap: &["<|plugin|>"],
        close: &["<|action_end|>"],
        ..JsonBlock::MARKED
    })],
    ..Format::JSON
};
