//! The provider's own message, written out as text. Models: `any model trained on API transcripts`.
//! `{"function_call": {"name": "tide_table", "arguments": "{\"port\": \"Brest\"}"}}`

use super::{Format, llama3_json};

pub(super) const FORMAT: Format =
    Format::json("openai_legacy", &[], &[]).or_bare(llama3_json::FORMAT.bare);
