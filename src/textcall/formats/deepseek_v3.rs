//! Tokens, the word `function`, the name, the arguments in a fence.
//! Models: `DeepSeek V3-0324, R1-0528`.
//! ```text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide_table
//! ```json
//! {"port": "Brest"}
//! ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```

use super::{Format, Grammar, Head, Headed, deepseek_v31};

const TYPED: Headed =
    Headed { head: Head::Typed("<｜tool▁sep｜>"), separators: &["\n"], ..deepseek_v31::TOKENS };

pub(super) const FORMAT: Format =
    Format::json(deepseek_v31::FORMAT.openers, &[Grammar::Headed(TYPED)])
        .or_bare(&[Grammar::unmarked("function")]);
