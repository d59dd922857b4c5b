//! As `hermes`, after reasoning; plain answers stand in `<response>`. Models: `ERNIE 4.5`.
//! ```text
//! </think>
//!
//! <tool_call>
//! {"name": "tide_table", "arguments": {"port": "Brest"}}
//! </tool_call>
//! ```

text_format!("ernie45", super::hermes::FORMAT);
