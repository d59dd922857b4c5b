//! Lines of a dialogue; what follows `Observation:` is made up.
//! Models: `any model prompted so; Qwen 7B Chat`.
//! ```text
//! Thought: I need the tides.
//! Action: tide_table
//! Action Input: {"port": "Brest"}
//! ```

use crate::textcall::format::{Anchor, Format, Grammar};
use crate::textcall::grammar::React;

pub(super) const FORMAT: Format = Format {
    name: "react",
    openers: &["Action:"],
    anchor: Anchor::LineStart,
    grammars: &[Grammar::React(React { input: "Action Input:", observation: "Observation:" })],
    ..Format::JSON
};
