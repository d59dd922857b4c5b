//! As `qwen3-coder`, in a tag of its own. Models: `Seed-OSS`.
//! ```text
//! <seed:tool_call>
//! <function=tide_table>
//! <parameter=port>Brest</parameter>
//! </function>
//! </seed:tool_call>
//! ```

text_format!(
    "seed-oss",
    Format::xml(&["<seed:tool_call>"], &[Grammar::function(&["</seed:tool_call>"])])
);
