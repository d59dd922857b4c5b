//! A JSON list with ids and `tool_name` between action tokens. Models: `Command R7B, Command A`.
//! ```text
//! <|START_ACTION|>[
//!     {"tool_call_id": "0", "tool_name": "tide_table", "parameters": {"port": "Brest"}}
//! ]<|END_ACTION|>
//! ```

text_format!(
    "cohere",
    Format::json(&["<|START_ACTION|>"], &[Grammar::json(Starts::Either, &["<|END_ACTION|>"])])
        .or_bare(&[Grammar::BARE_LIST])
);
