//! As `minimax-m2` in a tag of its own, or JSON. Models: `dots.llm`.
//! ```text
//! <dots_function_call>
//! <invoke name="tide_table">
//! <parameter name="port">Brest</parameter>
//! </invoke>
//! </dots_function_call>
//! ```

const CLOSE: &[&str] = &["</dots_function_call>"];

text_format!(
    "dots",
    Format::xml(
        &["<dots_function_call>"],
        &[Grammar::invoke(CLOSE), Grammar::json(Starts::Either, CLOSE)],
    )
);
