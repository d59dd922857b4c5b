//! JSON in a message of the role `function call`, or after a token.
//! Models: `GigaChat 3`.
//! ```text
//! <|message_sep|>
//!
//! function call<|role_sep|>
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::JsonBlock;

pub(super) const FORMAT: Format = Format {
    name: "gigachat3",
    openers: &["function call<|role_sep|>", "<|function_call|>"],
    grammars: &[Grammar::Json(JsonBlock { close: &["<|message_sep|>"], ..JsonBlock::MARKED })],
    ..Format::JSON
};
