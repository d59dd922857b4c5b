//! Bare keys and values, strings in a token of their own. Models: `FunctionGemma`.
//! `<start_function_call>call:tide_table{port:<escape>Brest<escape>,days:2}<end_function_call>`

const MARKED: Headed = Headed {
    head: Head::Worded("call:"),
    delimiter: Some("<escape>"),
    close: &["<end_function_call>"],
    ..Headed::MARKED
};

text_format!(
    "functiongemma",
    Format::json(&["<start_function_call>"], &[Grammar::Headed(MARKED)])
        .or_bare(&[Grammar::Headed(MARKED.bare("call:"))])
);
