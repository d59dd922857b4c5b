//! A JSON list in a fence after `Action:`; one pseudo tool means "no call".
//! Models: `Command R and R+`.
//! ~~~text
//! Action: ```json
//! [
//!     {"tool_name": "tide_table", "parameters": {"port": "Brest"}}
//! ]
//! ```
//! ~~~

const LIST: Listed = Listed {
    fence: Fence::Usual,
    pseudo: &["directly-answer", "directly_answer"],
    ..Listed::MARKED
};

text_format!(
    "command-r-plus",
    Format::json(&["Action:"], &[Grammar::Listed(LIST)]).at_line_start()
);
