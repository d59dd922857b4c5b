//! Python calls, one per line, in a tag. Models: `OLMo 3`.
//! ```text
//! <function_calls>
//! tide_table(port="Brest", days=2)
//! </function_calls>
//! ```

use super::{Brackets, Format, Grammar, Trust};

pub(super) const FORMAT: Format = Format::json(
    "olmo3",
    &["<function_calls>"],
    &[Grammar::python(Brackets::Optional, &["</function_calls>"], Trust::Marked)],
);
