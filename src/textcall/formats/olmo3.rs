//! Python calls, one per line, in a tag. Models: `OLMo 3`.
//! ```text
//! <function_calls>
//! tide_table(port="Brest", days=2)
//! </function_calls>
//! ```

text_format!(
    "olmo3",
    Format::json(&["<function_calls>"], &[Grammar::python(&["</function_calls>"])])
);
