//! Messages with a channel and a recipient.
//! Models: `gpt-oss`.
//! ```text
//! <|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.tide_table <|constrain|>json<|message|>{"port": "Brest"}<|call|>
//! ```

use crate::textcall::format::{Format, Grammar};
use crate::textcall::grammar::Channels;

/// Header, `<|message|>`, body, end.
pub(super) const MESSAGES: Grammar = Grammar::Channels(Channels {
    message: "<|message|>",
    close: &["<|call|>", "<|end|>", "<|return|>", "<|eom|>"],
});

pub(super) const FORMAT: Format = Format {
    name: "gpt_oss",
    openers: &[
        "<|start|>",
        "<|channel|>",
        "assistantcommentary to=functions.",
        "commentary to=functions.",
    ],
    grammars: &[MESSAGES],
    ..Format::JSON
};
