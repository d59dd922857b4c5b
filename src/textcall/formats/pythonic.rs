//! A list of Python calls, which is the whole message. Models: `Llama 3.2, ToolACE`.
//! `[tide_table(port='Brest', days=2)]`

use super::{Brackets, Format, Grammar, Trust};

pub(super) const FORMAT: Format =
    Format::bare(&[Grammar::python(Brackets::Required, &[], Trust::Offered)]);
