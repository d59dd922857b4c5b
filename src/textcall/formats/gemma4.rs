//! Bare keys and values, strings in a token of their own. Models: `Gemma 4`.
//! `<|tool_call>call:tide_table{port:<|"|>Brest<|"|>,days:2}<tool_call|>`

const MARKED: Headed = Headed {
    head: Head::Worded("call:"),
    delimiter: Some("<|\"|>"),
    close: &["<tool_call|>"],
    ..Headed::MARKED
};

text_format!(
    "gemma4",
    Format::json(&["<|tool_call>"], &[Grammar::Headed(MARKED)])
        .or_bare(&[Grammar::Headed(MARKED.bare("call:"))])
);
