//! The name in a tag, JSON arguments, an end tag.
//! Models: `Functionary 3.1, Llama 3.1 with custom tools`.
//! `<function=tide_table>{"port": "Brest"}</function>`

const TAGS: Headed =
    Headed { call: &["<function="], separators: &[">"], close: &["</function>"], ..Headed::MARKED };

text_format!("functionary-v31", Format::json(TAGS.call, &[Grammar::Headed(TAGS)]));
