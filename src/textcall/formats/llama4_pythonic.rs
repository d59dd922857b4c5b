//! A list of Python calls between tokens. Models: `Llama 4`.
//! `<|python_start|>[tide_table(port='Brest', days=2)]<|python_end|>`

use super::{Brackets, Format, Grammar, Trust};

const CALLS: Grammar = Grammar::python(Brackets::Optional, &["<|python_end|>"], Trust::Marked);

pub(super) const FORMAT: Format = Format::json(&["<|python_start|>"], &[CALLS]);
