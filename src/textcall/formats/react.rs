//! Lines of a dialogue; what follows `Observation:` is made up.
//! Models: `any model prompted so; Qwen 7B Chat`.
//! ```text
//! Thought: I need the tides.
//! Action: tide_table
//! Action Input: {"port": "Brest"}
//! ```

use super::{Format, Grammar, React};

pub(super) const FORMAT: Format = Format::json(
    "react",
    &["Action:"],
    &[Grammar::React(React { input: "Action Input:", observation: "Observation:" })],
)
.at_line_start();
