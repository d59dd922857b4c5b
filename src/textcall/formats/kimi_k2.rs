//! Tokens, an id made of the name and a counter, a token, the arguments. Models: `Kimi K2`.
//! `<|tool_calls_section_begin|><|tool_call_begin|>functions.tide_table:0<|tool_call_argument_begin|>{"port": "Brest"}<|tool_call_end|><|tool_calls_section_end|>`

const TOKENS: Headed = Headed {
    call: &["<|tool_call_begin|>"],
    head: Head::Counted,
    separators: &["<|tool_call_argument_begin|>"],
    close: &["<|tool_call_end|>"],
    section_close: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
    ..Headed::MARKED
};

text_format!(
    "kimi-k2",
    Format::json(
        &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", "<|tool_call_begin|>"],
        &[Grammar::Headed(TOKENS)],
    )
    .or_bare(&[Grammar::unmarked("functions.")])
);
