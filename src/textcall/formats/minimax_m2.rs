//! `invoke` and `parameter` tags in a section. Models: `MiniMax M2`.
//! ```text
//! <minimax:tool_call>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </minimax:tool_call>
//! ```

text_format!(
    "minimax-m2",
    Format::xml(&["<minimax:tool_call>"], &[Grammar::invoke(&["</minimax:tool_call>"])])
);
