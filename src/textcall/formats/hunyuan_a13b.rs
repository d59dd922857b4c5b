//! As `jamba`, after reasoning; plain answers stand in `<answer>`. Models: `Hunyuan A13B`.
//! ```text
//! <think>
//! High water first.
//! </think>
//! <answer>
//! <tool_calls>[{"name": "tide_table", "arguments": {"port": "Brest"}}]</tool_calls>
//! </answer>
//! ```

text_format!("hunyuan-a13b", super::jamba::FORMAT);
