//! A JSON list after a word. Models: `Phi-4-mini, FireFunction v2`.
//! `functools[{"name": "tide_table", "arguments": {"port": "Brest"}}]`

text_format!("phi4-mini", Format::json(&["functools"], &[Grammar::json(Starts::List, &[])]));
