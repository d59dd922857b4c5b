//! JSON with `input` for the arguments, one tag per call.
//! Models: `Claude in text mode, and by prompt`.
//! `<tool_use>{"id": "toolu_7", "name": "tide_table", "input": {"port": "Brest"}}</tool_use>`

text_format!(
    "claude-tool-use",
    Format::json(&["<tool_use>"], &[Grammar::json(Starts::Object, &["</tool_use>"])])
);
