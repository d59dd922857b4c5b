//! Tokens, the word `function`, the name, the arguments in a fence.
//! Models: `DeepSeek V3-0324, R1-0528`.
//! ```text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>tide_table
//! ```json
//! {"port": "Brest"}
//! ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```

use super::{Format, Grammar, Head, Headed, Trust};

pub(super) const FORMAT: Format = Format::json(
    "deepseek_v3",
    &["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"],
    &[Grammar::Headed(Headed {
        call: &["<｜tool▁call▁begin｜>"],
        head: Head::Typed("<｜tool▁sep｜>"),
        separators: &["\n"],
        close: &["<｜tool▁call▁end｜>"],
        section_close: &["<｜tool▁calls▁end｜>"],
        ..Headed::MARKED
    })],
)
.or_bare(&[Grammar::Headed(Headed {
    head: Head::Prefixed("function"),
    trust: Trust::Offered,
    ..Headed::MARKED
})]);
