//! Python calls, one per line, in a tag. Models: `OLMo 3`.
//! ```text
//! <function_calls>
//! tide_table(port="Brest", days=2)
//! </function_calls>
//! ```

use super::{Brackets, Format, Grammar, Trust};

const CALLS: Grammar = Grammar::python(Brackets::Optional, &["</function_calls>"], Trust::Marked);

pub(super) const FORMAT: Format = Format::json(&["<function_calls>"], &[CALLS]);
