//! The name in a tag, JSON arguments, an end tag.
//! Models: `Functionary 3.1, Llama 3.1 with custom tools`.
//! `<function=tide_table>{"port": "Brest"}</function>`

use super::{Format, Grammar, Headed};

const TAGS: Headed =
    Headed { call: &["<function="], separators: &[">"], close: &["</function>"], ..Headed::MARKED };

pub(super) const FORMAT: Format = Format::json(TAGS.call, &[Grammar::Headed(TAGS)]);
