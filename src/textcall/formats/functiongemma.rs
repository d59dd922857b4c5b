//! Bare keys and values, strings in a token of their own. Models: `FunctionGemma`.
//! `<start_function_call>call:tide_table{port:<escape>Brest<escape>,days:2}<end_function_call>`

static FLAVOUR: Flavour = delimited("<escape>");

const MARKED: Notation = Notation {
    flavour: &FLAVOUR,
    delimiter: "<escape>",
    close: &["<end_function_call>"],
    trust: Trust::Marked,
};

family!(
    Format::json(&["<start_function_call>"], &[Grammar::Notation(MARKED)])
        .or_bare(&[Grammar::Notation(Notation { trust: Trust::Offered, ..MARKED })])
);
