//! Lines of a dialogue; what follows `Observation:` is made up.
//! Models: `any model prompted so; Qwen 7B Chat`.
//! ```text
//! Thought: I need the tides.
//! Action: tide_table
//! Action Input: {"port": "Brest"}
//! ```

const LINES: Headed =
    Headed { head: Head::Line("Observation:"), separators: &["Action Input:"], ..Headed::MARKED };

text_format!("react", Format::json(&["Action:"], &[Grammar::Headed(LINES)]).at_line_start());
