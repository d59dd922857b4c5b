//! Tokens, the name, a token, the arguments. Models: `DeepSeek V3.1`.
//! `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tide_table<｜tool▁sep｜>{"port": "Brest"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`

use super::{Format, Grammar, Headed, mistral_v11};

pub(super) const FORMAT: Format = Format::json(
    "deepseek_v31",
    &["<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"],
    &[Grammar::Headed(Headed {
        call: &["<｜tool▁call▁begin｜>"],
        separators: &["<｜tool▁sep｜>"],
        close: &["<｜tool▁call▁end｜>"],
        section_close: &["<｜tool▁calls▁end｜>"],
        ..Headed::MARKED
    })],
)
.or_bare(mistral_v11::STRIPPED);
