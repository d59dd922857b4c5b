//! JSON in a message of the role `function call`, or after a token. Models: `GigaChat 3`.
//! ```text
//! <|message_sep|>
//!
//! function call<|role_sep|>
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! ```

text_format!(
    "gigachat3",
    Format::json(
        &["function call<|role_sep|>", "<|function_call|>"],
        &[Grammar::json(Starts::Either, &["<|message_sep|>"])],
    )
);
