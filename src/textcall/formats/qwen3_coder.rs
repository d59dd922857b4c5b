//! A tag per call and per parameter; one newline on each side of a value is padding.
//! Models: `Qwen3-Coder, Qwen3.5, Nemotron 3, MiMo, Step 3.5`.
//! ```text
//! <tool_call>
//! <function=tide_table>
//! <parameter=port>
//! Brest
//! </parameter>
//! </function>
//! </tool_call>
//! ```

text_format!(
    "qwen3-coder",
    Format::xml(&["<tool_call>", "<function="], &[Grammar::function(&["</tool_call>"])])
);
