//! A JSON list in a tag. Models: `Jamba 1.5, Apriel`.
//! `<tool_calls>[{"name": "tide_table", "arguments": {"port": "Brest"}}]</tool_calls>`

text_format!(
    "jamba",
    Format::json(&["<tool_calls>"], &[Grammar::json(Starts::List, &["</tool_calls>"])])
);
