//! JSON between action tokens. Models: `InternLM 2.5, Intern-S1`.
//! ```text
//! <|action_start|><|plugin|>
//! {"name": "tide_table", "parameters": {"port": "Brest"}}<|action_end|>
//! ```

use super::{Format, Grammar, JsonBlock};

const OBJECT: JsonBlock =
    JsonBlock { gap: &["<|plugin|>"], close: &["<|action_end|>"], ..JsonBlock::MARKED };

pub(super) const FORMAT: Format =
    Format::json(&["<|action_start|>", "<|plugin|>"], &[Grammar::Json(OBJECT)]);
