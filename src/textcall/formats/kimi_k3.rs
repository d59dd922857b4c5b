//! Tokens that open and close named channels, calls and arguments. Models: `Kimi K3`.
//! `<|open|>tools<|sep|><|open|>call tool="tide_table" index="1"<|sep|><|open|>argument key="port" type="string"<|sep|>Brest<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`

const TAGS: Tags = Tags {
    call: "<|open|>call",
    call_close: "<|close|>call<|sep|>",
    parameter: "<|open|>argument",
    parameter_close: "<|close|>argument<|sep|>",
    tag_end: "<|sep|>",
    style: TagStyle::Attributes("tool", "key"),
    section_close: &["<|close|>tools<|sep|>"],
    ..Tags::INVOKE
};

text_format!(
    "kimi-k3",
    Format::xml(&["<|open|>tools<|sep|>", "<|open|>call"], &[Grammar::Tags(TAGS)])
);
