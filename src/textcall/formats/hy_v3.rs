//! The name, a separator, then keys and values; every tag may carry a suffix. Models: `Hy3`.
//! ```text
//! <tool_calls>
//! <tool_call>tide_table<tool_sep>
//! <arg_key>port</arg_key>
//! <arg_value>Brest</arg_value>
//! </tool_call>
//! </tool_calls>
//! ```

const TAGS: Tags = Tags {
    style: TagStyle::Pairs(Some("<tool_sep>")),
    section_close: &["</tool_calls>"],
    ..Tags::PAIRS
};

text_format!(
    "hy-v3",
    Format::xml(
        &["<tool_calls>", "<tool_call>", "<tool_calls:", "<tool_call:"],
        &[Grammar::Tags(TAGS)],
    )
);
