//! A JSON list after a word. Models: `Phi-4-mini, FireFunction v2`.
//! `functools[{"name": "tide_table", "arguments": {"port": "Brest"}}]`

use super::{Format, Grammar, Starts};

pub(super) const FORMAT: Format = Format::json(&["functools"], &[Grammar::json(Starts::List, &[])]);
