//! A JSON list in a fence after `Action:`; one pseudo tool means "no call".
//! Models: `Command R and R+`.
//! ~~~text
//! Action: ```json
//! [
//!     {"tool_name": "tide_table", "parameters": {"port": "Brest"}}
//! ]
//! ```
//! ~~~

const LIST: JsonBlock = JsonBlock {
    fence: Fence::Usual,
    pseudo: &["directly-answer", "directly_answer"],
    ..JsonBlock::MARKED
};

family!(Format::json(&["Action:"], &[Grammar::Json(LIST)]).at_line_start());
