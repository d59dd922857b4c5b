//! Messages with a channel and a recipient. Models: `gpt-oss`.
//! `<|channel|>analysis<|message|>Look it up.<|end|><|start|>assistant<|channel|>commentary to=functions.tide_table <|constrain|>json<|message|>{"port": "Brest"}<|call|>`
//! The recipient may come first: ` to=functions.tide_table<|channel|>commentary json<|message|>{"port": "Brest"}<|call|>`

/// Header, `<|message|>`, body, end.
pub(super) const MESSAGES: Grammar = Grammar::Headed(Headed {
    head: Head::Recipient,
    separators: &["<|message|>"],
    close: &["<|call|>", "<|end|>", "<|return|>", "<|eom|>"],
    ..Headed::MARKED
});

text_format!(
    "gpt-oss",
    Format::json(
        &[
            "<|start|>",
            "<|channel|>",
            "assistantcommentary to=functions.",
            "commentary to=functions.",
            "to=functions.",
        ],
        &[MESSAGES],
    )
);
