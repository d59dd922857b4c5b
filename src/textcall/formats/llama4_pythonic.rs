//! A list of Python calls between tokens. Models: `Llama 4`.
//! `<|python_start|>[tide_table(port='Brest', days=2)]<|python_end|>`

text_format!(
    "llama4-pythonic",
    Format::json(&["<|python_start|>"], &[Grammar::python(&["<|python_end|>"])])
);
