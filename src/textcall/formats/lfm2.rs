//! A list of Python calls, or of JSON objects, between tokens. Models: `LFM2, LFM2.5`.
//! `<|tool_call_start|>[tide_table(port="Brest", days=2)]<|tool_call_end|>`

const CLOSE: &[&str] = &["<|tool_call_end|>"];

text_format!(
    "lfm2",
    Format::json(
        &["<|tool_call_start|>"],
        &[Grammar::python(CLOSE), Grammar::json(Starts::Either, CLOSE)],
    )
);
