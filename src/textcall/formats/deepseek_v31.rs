//! Tokens, the name, a token, the arguments. Models: `DeepSeek V3.1`.
//! `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tide_table<｜tool▁sep｜>{"port": "Brest"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`

/// The tokens round a call.
pub(super) const TOKENS: Headed = Headed {
    call: &["<｜tool▁call▁begin｜>"],
    separators: &["<｜tool▁sep｜>"],
    close: &["<｜tool▁call▁end｜>"],
    section_close: &["<｜tool▁calls▁end｜>"],
    ..Headed::MARKED
};

text_format!(
    "deepseek-v31",
    Format::json(&["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"], &[Grammar::Headed(TOKENS)])
        .or_bare(&[Grammar::unmarked("")])
);
