//! JSON after a tag that is never closed, one per call. Models: `Granite 20B function calling`.
//! `<function_call> {"name": "tide_table", "arguments": {"port": "Brest"}}`

text_format!(
    "granite-20b-fc",
    Format::json(&["<function_call>"], &[Grammar::json(Starts::Either, &["</function_call>"])])
);
