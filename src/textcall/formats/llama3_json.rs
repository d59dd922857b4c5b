//! JSON with `parameters`, after a token or as the whole message; built-ins are Python.
//! Models: `Llama 3.1, 3.2, 3.3`.
//! `<|python_tag|>{"name": "tide_table", "parameters": {"port": "Brest"}}; {"name": "tide_table", "parameters": {"port": "Vigo"}}`

const CALLS: [Grammar; 2] =
    [Grammar::json(Starts::Either, &[]), Grammar::bare_python(Starts::Either)];

text_format!(
    "llama3-json",
    Format::json(&["<|python_tag|>"], &CALLS).or_bare(&[Grammar::BARE_OBJECT])
);
