//! The provider's own message, written out as text.
//! Models: `any model trained on API transcripts`.
//! ```text
//! {"function_call": {"name": "tide_table", "arguments": "{\"port\": \"Brest\"}"}}
//! ```

use crate::textcall::format::Format;

pub(super) const FORMAT: Format =
    Format { name: "openai_legacy", bare: super::llama3_json::FORMAT.bare, ..Format::JSON };
