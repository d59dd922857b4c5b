//! A JSON list after a token, without a closer. Models: `Granite 3.0 to 3.3`.
//! `<|tool_call|>[{"name": "tide_table", "arguments": {"port": "Brest"}}]`

text_format!(
    "granite",
    Format::json(
        &["<|tool_call|>", "<tool_call>"],
        &[Grammar::json(Starts::List, &["</tool_call>"])],
    )
);
