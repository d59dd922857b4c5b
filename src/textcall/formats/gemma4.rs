//! Bare keys and values, strings in a token of their own. Models: `Gemma 4`.
//! `<|tool_call>call:tide_table{port:<|"|>Brest<|"|>,days:2}<tool_call|>`

static FLAVOUR: Flavour = delimited("<|\"|>");

const MARKED: Notation = Notation {
    flavour: &FLAVOUR,
    delimiter: "<|\"|>",
    close: &["<tool_call|>"],
    trust: Trust::Marked,
};

family!(
    Format::json(&["<|tool_call>"], &[Grammar::Notation(MARKED)])
        .or_bare(&[Grammar::Notation(Notation { trust: Trust::Offered, ..MARKED })])
);
