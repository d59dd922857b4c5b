//! Lines of a dialogue; what follows `Observation:` is made up.
//! Models: `any model prompted so; Qwen 7B Chat`.
//! ```text
//! Thought: I need the tides.
//! Action: tide_table
//! Action Input: {"port": "Brest"}
//! ```

const LINES: React = React { input: "Action Input:", observation: "Observation:" };

family!(Format::json(&["Action:"], &[Grammar::React(LINES)]).at_line_start());
