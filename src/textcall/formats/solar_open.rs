//! Tokens round an id, the name and the arguments. Models: `Solar Open`.
//! `<|tool_calls|><|tool_call:begin|>k3z9<|tool_call:name|>tide_table<|tool_call:args|>{"port": "Brest"}<|tool_call:end|>`

const TOKENS: Headed = Headed {
    call: &["<|tool_call:begin|>"],
    head: Head::IdThenName("<|tool_call:name|>"),
    separators: &["<|tool_call:args|>"],
    close: &["<|tool_call:end|>"],
    ..Headed::MARKED
};

text_format!(
    "solar-open",
    Format::json(&["<|tool_calls|>", "<|tool_call:begin|>"], &[Grammar::Headed(TOKENS)])
);
