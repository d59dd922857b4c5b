//! JSON with name and arguments in a tag, one tag per call.
//! Models: `Hermes 2 Pro and 3, Qwen 2.5 and 3, QwQ, SmolLM3, Granite 4`.
//! ```text
//! <tool_call>
//! {"name": "tide_table", "arguments": {"port": "Brest", "days": 2}}
//! </tool_call>
//! ```

text_format!(
    "hermes",
    Format::json(&["<tool_call>"], &[Grammar::json(Starts::Object, &["</tool_call>"])])
);
