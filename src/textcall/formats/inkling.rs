//! A message to the tool; its JSON repeats the name.
//! Models: `Inkling`.
//! ```text
//! <|message_model|>tide_table<|content_invoke_tool_json|>{"name": "tide_table", "args": {"port": "Brest"}}<|end_message|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::{Head, Headed, JsonBlock};

pub(super) const FORMAT: Format = Format {
    name: "inkling",
    openers: &["<|message_model|>", "<|content_invoke_tool_json|>"],
    grammars: &[
        Grammar::Headed(Headed {
            call: &["<|message_model|>"],
            head: Head::Repeated,
            separators: &["<|content_invoke_tool_json|>"],
            close: &["<|end_message|>"],
            ..Headed::MARKED
        }),
        Grammar::Json(JsonBlock { close: &["<|end_message|>"], ..JsonBlock::MARKED }),
    ],
    ..Format::JSON
};
